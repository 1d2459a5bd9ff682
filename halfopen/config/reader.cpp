#include <algorithm>
#include <numeric>

#include <halfopen/config/outcomes.hpp>
#include <halfopen/config/reader.hpp>

namespace halfopen::config {
namespace {

constexpr std::size_t problems_max = 200;

std::string list_of(std::vector<std::string> const& words) {
  std::string out;
  for (auto const& w : words) out += (out.empty() ? "" : ", ") + w;
  return out;
}

std::vector<std::string> keys_of(node const& map) {
  std::vector<std::string> keys;
  for (auto const& e : map.entries) keys.push_back(e.key);
  return keys;
}

std::vector<std::string> built_layers() {
  std::vector<std::string> names;
  for (auto const& k : layer_kinds)
    if (k.built) names.emplace_back(k.name);
  return names;
}

std::vector<std::string> all_layers() {
  std::vector<std::string> names;
  for (auto const& k : layer_kinds) names.emplace_back(k.name);
  return names;
}

// Names go into URLs, metrics labels and file names as they are.
bool is_name(std::string_view s) {
  auto const fits = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !s.empty() && s.size() <= 64 && s.front() != '.' && std::ranges::all_of(s, fits);
}

}  // namespace

struct reader::scope {
  scope(reader& r, std::string const& step) : path{r.path_}, length{path.size()} {
    path += (path.empty() || step.starts_with('[') ? "" : ".") + step;
  }
  ~scope() { path.resize(length); }
  scope(scope const&) = delete;
  scope& operator=(scope const&) = delete;

  std::string& path;
  std::size_t length;
};

void reader::report(source_position at, std::string code, std::string found, std::string expected,
                    std::string hint) {
  if (problems_.size() >= problems_max) return;
  problems_.push_back(
      {file_, at, severity::error, std::move(code), std::move(found), std::move(expected), std::move(hint)});
}

void reader::report_type(node const& n, std::string expected, std::string hint) {
  report(n.at, "config.type", description(n), std::move(expected), std::move(hint));
}

void reader::misread(node const& n, misfit const& why, char const* what) {
  report(n.at, why.code, description(n), why.expected.empty() ? what : why.expected, why.hint);
}

source_position reader::place(std::string path) const {
  for (;;) {
    if (auto const at = places_.find(path); at != places_.end()) return at->second;
    auto const cut = path.find_last_of(".[");
    if (cut == std::string::npos) return {1, 1};
    path.resize(cut);
  }
}

node const* reader::look_up(char const* key, bool required) {
  known_.emplace_back(key);
  auto const at = std::ranges::find(here_->entries, key, &entry::key);
  if (at == here_->entries.end()) {
    if (required)
      report(place(path_), "config.missing", "no " + in_quotes(key),
             in_quotes(key) + (path_.empty() ? "" : " in " + path_));
    return nullptr;
  }
  scope const step{*this, key};
  places_[path_] = at->value->is == node::kind::scalar ? at->value->at : at->at;
  return at->value.get();
}

void reader::report_unknown_keys(node const& map) {
  for (auto const& e : map.entries) {
    if (std::ranges::find(known_, e.key) != known_.end()) continue;
    auto const near = nearest(e.key, known_);
    std::string hint = near.empty() ? "" : "did you mean " + near + "?";
    if (e.key == "<<") hint = "merge keys are not understood; name the policy and use it twice";
    report(e.at, "config.unknown-key", in_quotes(e.key), "one of: " + list_of(known_), std::move(hint));
  }
}

bool reader::is_map(node const& n, char const* what) {
  if (n.is == node::kind::map || n.is == node::kind::nothing) return true;
  report_type(n, what);
  return false;
}

template <class Fields>
void reader::with_map(node const& n, char const* what, Fields const& read_fields) {
  if (!is_map(n, what)) return;
  auto const outer = std::exchange(here_, &n);
  auto const outer_known = std::exchange(known_, {});
  read_fields();
  report_unknown_keys(n);
  here_ = outer;
  known_ = outer_known;
}

template <class S>
void reader::section_from(node const& n, S& out) {
  with_map(n, "a map of settings", [&] { fields(*this, out); });
}

template <class T>
bool reader::scalar(node const& n, T& out, about<T> const& a) {
  using c = codec<T>;
  if (n.is != node::kind::scalar) {
    report_type(n, c::what);
    return false;
  }
  auto const v = c::parse(n.scalar);
  if (!v) {
    misread(n, v.error(), c::what);
    return false;
  }
  if constexpr (requires { *v < *a.least; }) {
    if ((a.least && *v < *a.least) || (a.most && *a.most < *v)) {
      std::string const range = !a.most    ? "at least " + c::print(*a.least)
                                : !a.least ? "at most " + c::print(*a.most)
                                           : c::print(*a.least) + " to " + c::print(*a.most);
      misread(n, {"config.range", range}, c::what);
      return false;
    }
  }
  if (a.wrong != nullptr) {
    if (char const* const instead = a.wrong(*v); instead != nullptr) {
      misread(n, {"config.value", instead}, c::what);
      return false;
    }
  }
  out = *v;
  return true;
}

template <class T>
void reader::value(char const* key, T& member, about<setting<T>> const& a) {
  node const* const n = look_up(key, a.required);
  if (n == nullptr) return;
  setting<T> read{};
  if (scalar(*n, read, a)) member = std::move(read);
}

template <class T>
void reader::values(char const* key, std::vector<T>& member, std::type_identity_t<about<T>> const& a) {
  node const* const n = look_up(key, a.required);
  if (n == nullptr) return;
  if (n->is != node::kind::list)
    return report_type(*n, "a list", n->is == node::kind::scalar ? "write [" + n->scalar + "]" : "");
  if (n->items.empty() && a.required)
    return report(n->at, "config.missing", "an empty list", "at least one item");
  scope const step{*this, key};
  std::vector<T> read;
  for (std::size_t i = 0; i < n->items.size(); ++i) {
    scope const item{*this, "[" + std::to_string(read.size()) + "]"};
    places_[path_] = n->items[i]->at;
    if (T one{}; scalar(*n->items[i], one, a)) read.push_back(std::move(one));
  }
  member = std::move(read);
}

template <class S>
void reader::section(char const* key, S& member, char const*) {
  node const* const n = look_up(key, false);
  if (n == nullptr) return;
  scope const step{*this, key};
  section_from(*n, member);
}

template <class S>
void reader::named(char const* key, std::vector<S>& member,
                   std::type_identity_t<about<std::string>> const& a) {
  node const* const n = look_up(key, a.required);
  if (n == nullptr || !is_map(*n, "a map of names")) return;
  if (n->entries.empty() && a.required) report(place(key), "config.missing", "nothing", "at least one name");
  scope const step{*this, key};
  for (auto const& e : n->entries) {
    if (!is_name(e.key))
      report(e.at, "config.name", description(*text(e.key)),
             "a name of letters, digits, '_', '-' and '.', at most 64");
    scope const name{*this, e.key};
    places_[path_] = e.at;
    S one{};
    if constexpr (is<S, assumption>)
      one.tool = e.key;
    else
      one.name = e.key;
    named_from(*e.value, one);
    member.push_back(std::move(one));
  }
}

template <class S>
void reader::sequence(char const* key, std::vector<S>& member,
                      std::type_identity_t<about<std::string>> const& a) {
  node const* const n = look_up(key, a.required);
  if (n == nullptr || n->is == node::kind::nothing) return;
  if (n->is != node::kind::list) return report_type(*n, "a list");
  scope const step{*this, key};
  for (std::size_t i = 0; i < n->items.size(); ++i) {
    scope const item{*this, "[" + std::to_string(i) + "]"};
    places_[path_] = n->items[i]->at;
    S one{};
    section_from(*n->items[i], one);
    member.push_back(std::move(one));
  }
}

void reader::match(char const* key, route_config& route, char const*) {
  node const* const n = look_up(key, true);
  if (n == nullptr) return;
  scope const step{*this, key};
  with_map(*n, "a map of settings", [&] { fields_of_match(*this, route); });
}

void reader::window(char const* key, window_config& member, char const*) {
  node const* const n = look_up(key, false);
  if (n == nullptr) return;
  scope const step{*this, key};
  if (n->is != node::kind::map)
    return report_type(*n, "a map with one of time, calls and consecutive", "such as {time: 10s}");
  window_spelling w;
  section_from(*n, w);
  bool const time = is_set(path_ + ".time");
  bool const calls = is_set(path_ + ".calls");
  bool const consecutive_failures = is_set(path_ + ".consecutive");
  if (int{time} + int{calls} + int{consecutive_failures} != 1)
    return report(n->at, "config.window", in_quotes(list_of(keys_of(*n))),
                  "exactly one of time, calls and consecutive");
  if (w.buckets && !time)
    return report(place(path_ + ".buckets"), "config.window", in_quotes("buckets"),
                  "buckets beside time only");
  if (w.time) member = time_window{.length = *w.time, .buckets = w.buckets.value_or(time_window{}.buckets)};
  if (w.calls) member = call_window{.size = *w.calls};
  if (w.consecutive) member = consecutive{*w.consecutive};
}

void reader::outcomes(char const* key, classification& member, char const*) {
  member = default_classification();
  node const* const n = look_up(key, false);
  if (n == nullptr) return;
  scope const step{*this, key};
  with_map(*n, "a map of lists of outcomes", [&] { outcomes_from(*n, member); });
}

void reader::outcomes_from(node const&, classification& out) {
  struct claim {
    outcome what;
    result_class as;
    std::string list;
    std::size_t order;
  };
  std::vector<claim> claims;
  for (auto const& list : outcome_lists) {
    std::vector<outcome> words;
    values(list.key, words, {});
    for (std::size_t i = 0; i < words.size(); ++i) {
      auto const at = place(path_ + "." + list.key + "[" + std::to_string(i) + "]");
      auto const same = std::ranges::find(claims, words[i], &claim::what);
      if (same == claims.end())
        claims.push_back({words[i], list.gives, list.key, claims.size()});
      else
        report(at, "config.outcome-twice", codec<outcome>::print(words[i]), "each outcome once",
               "it also stands in " + same->list);
    }
  }
  // From wide to narrow, so that the narrower one has the last word; else in the order of the lists.
  std::ranges::sort(claims, {},
                    [](claim const& c) { return std::pair{c.what.first - c.what.last, c.order}; });
  for (auto const& c : claims) classify(out, c.what, c.as);
}

void reader::named_from(node const& n, policy_config& out) {
  if (n.is != node::kind::list) return report_type(n, "a list of layers, the outermost first");
  if (n.items.empty()) return report(n.at, "config.missing", "an empty list", "at least one layer");
  if (n.items.size() > layers_max)
    report(n.items[layers_max]->at, "config.too-many-layers", std::to_string(n.items.size()) + " layers",
           "at most " + std::to_string(layers_max));
  for (std::size_t i = 0; i < n.items.size(); ++i) {
    scope const item{*this, "[" + std::to_string(out.layers.size()) + "]"};
    places_[path_] = n.items[i]->at;
    layer_from(*n.items[i], out.layers);
  }
}

void reader::layer_from(node const& n, std::vector<layer_spec>& out) {
  node nothing;
  nothing.at = n.at;
  if (n.is == node::kind::scalar) return layer_named(n.scalar, n.at, nothing, out);
  if (n.is != node::kind::map || n.entries.size() != 1)
    return report_type(n, "one layer, such as `timeout: 2s`",
                       n.entries.size() > 1 ? "each layer is an item of its own" : "");
  layer_named(n.entries.front().key, n.entries.front().at, *n.entries.front().value, out);
}

void reader::layer_named(std::string const& kind, source_position at, node const& n,
                         std::vector<layer_spec>& out) {
  auto const known = std::ranges::find(layer_kinds, kind, &layer_kind::name);
  if (known == layer_kinds.end()) {
    auto const near = nearest(kind, all_layers());
    return report(at, "config.unknown-layer", in_quotes(kind), "one of: " + list_of(built_layers()),
                  near.empty() ? "" : "did you mean " + near + "?");
  }
  if (!known->built)
    return report(at, "config.not-built", in_quotes(kind), "one of: " + list_of(built_layers()),
                  "this layer is not built yet");
  scope const step{*this, kind};
  places_[path_] = at;
  if (kind == layer_name<timeout_spec>) {
    timeout_spec t;
    if (scalar<duration>(n, t.length, {.least = 1ms, .most = 24h})) out.emplace_back(t);
  } else {
    circuit_breaker_spec b;
    section_from(n, b);
    out.emplace_back(b);
  }
}

template void reader::section_from(node const&, gateway_config&);

}  // namespace halfopen::config
