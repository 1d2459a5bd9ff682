#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <halfopen/config/yaml.hpp>

namespace halfopen::config {
namespace {

constexpr std::size_t problems_of_text_max = 20;

source_position position(YAML::Mark const& m) {
  if (m.is_null()) return {};
  return {static_cast<std::uint32_t>(m.line) + 1, static_cast<std::uint32_t>(m.column) + 1};
}

// The length of the UTF-8 sequence at the front, or 0 where there is none: neither overlong forms nor
// surrogates (RFC 3629).
std::size_t sequence_length(std::string_view s) {
  auto const byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0U; };
  auto const follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  unsigned const lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    bool const in_range = (lead != 0xE0 || byte(1) >= 0xA0) && (lead != 0xED || byte(1) <= 0x9F);
    return in_range && follows(1) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    bool const in_range = (lead != 0xF0 || byte(1) >= 0x90) && (lead != 0xF4 || byte(1) <= 0x8F);
    return in_range && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

// What the YAML reader would misread or pass over in silence (it takes 0x04 for the end of the text).
class text_check {
 public:
  text_check(std::string const& file, std::vector<diagnostic>& problems) : file_{file}, problems_{problems} {}

  bool holds(std::string_view text) {
    std::size_t const before = problems_.size();
    while (!text.empty() && problems_.size() - before < problems_of_text_max) {
      std::size_t const length = sequence_length(text);
      look_at(text, length);
      advance(text.front(), std::max<std::size_t>(length, 1));
      text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return problems_.size() == before;
  }

 private:
  void look_at(std::string_view text, std::size_t length) {
    auto const byte = static_cast<unsigned char>(text.front());
    if (length == 0)
      report("config.encoding", "a byte that is not UTF-8", "UTF-8 text");
    else if (byte == '\t' && in_margin_ && !blank(text))
      report("config.tab", "a tab in the indentation", "spaces");
    else if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F)
      report("config.encoding", "a control character", "UTF-8 text");
  }
  static bool blank(std::string_view rest) {
    auto const at = rest.find_first_not_of(" \t\r");
    return at == std::string_view::npos || rest[at] == '\n' || rest[at] == '#';
  }
  void advance(char c, std::size_t bytes) {
    if (c == '\n') {
      at_ = {at_.line + 1, 1};
      in_margin_ = true;
      return;
    }
    at_.column += static_cast<std::uint32_t>(bytes);
    in_margin_ = in_margin_ && (c == ' ' || c == '\t');
  }
  void report(char const* code, char const* found, char const* expected) {
    problems_.push_back({file_, at_, severity::error, code, found, expected, ""});
  }

  std::string const& file_;
  std::vector<diagnostic>& problems_;
  source_position at_{1, 1};
  bool in_margin_ = true;
};

// Whether a scalar without quotes is a number or a truth value in JSON too.
bool stands_for_itself(std::string_view s) {
  if (s == "true" || s == "false") return true;
  auto const dot = std::min(s.find('.'), s.size());
  auto const digits = [](std::string_view d) {
    return !d.empty() && d.find_first_not_of("0123456789") == std::string_view::npos;
  };
  bool const whole = digits(s.substr(0, dot)) && (s[0] != '0' || dot == 1);
  return whole && (dot == s.size() || digits(s.substr(dot + 1)));
}

// Builds the tree from the parser's events. Throws `stop` where going on would cost more than it tells.
class tree_builder final : public YAML::EventHandler {
 public:
  struct stop {};

  tree_builder(std::string const& file, std::vector<diagnostic>& problems)
      : file_{file}, problems_{problems} {}

  node_ptr root() const { return root_; }

  void OnDocumentStart(YAML::Mark const&) override {}
  void OnDocumentEnd() override {}
  void OnNull(YAML::Mark const& m, YAML::anchor_t anchor) override {
    leaf(m, anchor, node::kind::nothing, "", false);
  }
  void OnScalar(YAML::Mark const& m, std::string const& tag, YAML::anchor_t anchor,
                std::string const& value) override {
    refuse_tag(m, tag);
    leaf(m, anchor, node::kind::scalar, value, tag == "?" && stands_for_itself(value));
  }
  void OnSequenceStart(YAML::Mark const& m, std::string const& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_tag(m, tag);
    open(m, anchor, node::kind::list);
  }
  void OnMapStart(YAML::Mark const& m, std::string const& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_tag(m, tag);
    open(m, anchor, node::kind::map);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }
  void OnAlias(YAML::Mark const& m, YAML::anchor_t anchor) override {
    auto const known = anchors_.find(anchor);
    if (known == anchors_.end()) {
      report(position(m), "config.alias", "an alias inside what it stands for",
             "an alias of something complete");
      throw stop{};
    }
    spend(position(m), known->second.weight);
    add(known->second, position(m));
  }

 private:
  struct weighed {
    node_ptr value;
    std::size_t weight = 1;  // nodes, with aliases followed
  };
  struct frame {
    std::shared_ptr<node> value;
    YAML::anchor_t anchor = 0;
    std::size_t weight = 1;
    std::optional<std::string> key{};
    source_position key_at{};
    bool key_is_bad = false;
    std::map<std::string, std::uint32_t> lines{};  // of each key
  };

  void report(source_position at, char const* code, std::string found, std::string expected,
              std::string hint = "") {
    problems_.push_back(
        {file_, at, severity::error, code, std::move(found), std::move(expected), std::move(hint)});
  }
  void refuse_tag(YAML::Mark const& m, std::string const& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    report(position(m), "config.tag", "the tag " + tag, "a plain value", "tags mean nothing here");
  }
  void spend(source_position at, std::size_t weight) {
    spent_ += weight;
    if (spent_ <= nodes_max) return;
    report(at, "config.too-large", "more than " + std::to_string(nodes_max) + " values, aliases followed",
           "fewer");
    throw stop{};
  }
  void leaf(YAML::Mark const& m, YAML::anchor_t anchor, node::kind kind, std::string const& value,
            bool plain) {
    spend(position(m), 1);
    auto n = std::make_shared<node>();
    n->is = kind;
    // The reader's mark of a value that is not there is that of what follows.
    bool const left_out = kind == node::kind::nothing && !open_.empty() && open_.back().key;
    n->at = left_out ? open_.back().key_at : position(m);
    n->scalar = value;
    if (plain) n->written = node::style::plain;
    finish({std::move(n), 1}, anchor);
  }
  void open(YAML::Mark const& m, YAML::anchor_t anchor, node::kind kind) {
    spend(position(m), 1);
    if (open_.size() == depth_max) {
      report(position(m), "config.too-deep", "more than " + std::to_string(depth_max) + " levels", "fewer");
      throw stop{};
    }
    auto n = std::make_shared<node>();
    n->is = kind;
    n->at = position(m);
    open_.push_back({std::move(n), anchor});
  }
  void close() {
    frame done = std::move(open_.back());
    open_.pop_back();
    finish({std::move(done.value), done.weight}, done.anchor);
  }
  void finish(weighed w, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = w;
    auto const at = w.value->at;
    add(w, at);
  }
  void add(weighed const& w, source_position at) {
    if (open_.empty()) {
      root_ = w.value;
      return;
    }
    frame& parent = open_.back();
    parent.weight += w.weight;
    if (parent.value->is == node::kind::list)
      parent.value->items.push_back(w.value);
    else if (!parent.key && !parent.key_is_bad)
      take_key(parent, *w.value, at);
    else
      take_value(parent, w.value);
  }
  void take_key(frame& parent, node const& key, source_position at) {
    parent.key_is_bad = key.is != node::kind::scalar;
    if (parent.key_is_bad) return report(at, "config.type", description(key), "a name, as the key of a map");
    auto const [first, is_new] = parent.lines.try_emplace(key.scalar, at.line);
    if (!is_new) {
      parent.key_is_bad = true;
      return report(at, "config.duplicate-key", description(key) + " a second time", "each key once",
                    "the first stands in line " + std::to_string(first->second));
    }
    parent.key = key.scalar;
    parent.key_at = at;
  }
  void take_value(frame& parent, node_ptr const& value) {
    if (!parent.key_is_bad) parent.value->entries.push_back({*parent.key, parent.key_at, value});
    parent.key.reset();
    parent.key_is_bad = false;
  }

  std::string const& file_;
  std::vector<diagnostic>& problems_;
  std::vector<frame> open_;
  std::map<YAML::anchor_t, weighed> anchors_;
  std::size_t spent_ = 0;
  node_ptr root_;
};

}  // namespace

node_ptr parse_yaml(std::string_view text, std::string const& file, std::vector<diagnostic>& problems) {
  auto const report = [&](source_position at, char const* code, std::string found, std::string expected) {
    problems.push_back({file, at, severity::error, code, std::move(found), std::move(expected), ""});
  };
  if (text.size() > text_bytes_max) {
    report({}, "config.too-large", std::to_string(text.size()) + " bytes", "at most 1 MiB");
    return nullptr;
  }
  if (!text_check{file, problems}.holds(text)) return nullptr;
  std::istringstream in{std::string{text}};
  tree_builder builder{file, problems};
  try {
    YAML::Parser parser{in};
    if (!parser.HandleNextDocument(builder)) return map({});
    auto const whole = builder.root();
    std::vector<diagnostic> ignored;
    tree_builder rest{file, ignored};
    if (parser.HandleNextDocument(rest))
      report(rest.root() ? rest.root()->at : source_position{}, "config.syntax", "a second document",
             "one document in a file");
    return whole;
  } catch (tree_builder::stop const&) {
  } catch (YAML::Exception const& e) {
    report(position(e.mark), "config.syntax", e.msg, "YAML");
  }
  return nullptr;
}

}  // namespace halfopen::config
