#include <cstring>
#include <string>

#include <halfopen/check/explore.hpp>
#include <halfopen/tla/value_legend.hpp>

namespace halfopen::tla {

namespace {

using check::word;

constexpr std::uint32_t tag_bits = 3;
constexpr std::uint64_t tag_mask = (1U << tag_bits) - 1;
constexpr std::uint64_t model_name_max = 0xFFFFFF;

[[noreturn]] void damaged() {
  throw check::checkpoint_refused{"the checkpoint is damaged: a value in it is none"};
}

/// Reads the lists of a legend one after the other.
class legend_input {
 public:
  explicit legend_input(std::span<word const> all) : all_{all} {}

  word get() {
    if (all_.empty()) damaged();
    auto const w = all_.front();
    all_ = all_.subspan(1);
    return w;
  }
  std::span<word const> get(std::size_t count) {
    if (count > all_.size()) damaged();
    auto const some = all_.first(count);
    all_ = all_.subspan(count);
    return some;
  }

 private:
  std::span<word const> all_;
};

std::size_t words_for(std::size_t bytes) { return (bytes + sizeof(word) - 1) / sizeof(word); }

std::vector<std::string> read_names(legend_input& in) {
  std::vector<std::string> names;
  for (auto left = in.get(); left > 0; --left) {
    auto const bytes = in.get();
    if (bytes > UINT32_MAX) damaged();
    auto const words = in.get(words_for(bytes));
    names.emplace_back(bytes, '\0');
    if (bytes > 0) std::memcpy(names.back().data(), words.data(), bytes);
  }
  return names;
}

/// A word whose tag and names are those of a legend, as a value of this process.
value read_value(value_pool& pool, std::vector<value> const& nodes, std::vector<std::string> const& names,
                 word w) {
  auto const name = [&](std::uint64_t i) -> std::string const& {
    if (i >= names.size()) damaged();
    return names[i];
  };
  switch (static_cast<value::tag>(w & tag_mask)) {
    case value::tag::node:
      if (w >> tag_bits >= nodes.size()) damaged();
      return nodes[w >> tag_bits];
    case value::tag::integer:
    case value::tag::boolean: return value::from_word(w);
    case value::tag::string: return pool.string(name(w >> 32));
    case value::tag::model: return pool.model_value(name(w >> 32 & model_name_max));
    case value::tag::thunk:
    case value::tag::none: break;
  }
  damaged();
}

std::vector<value> read_nodes(value_pool& pool, legend_input& in, std::vector<std::string> const& names) {
  std::vector<value> nodes, parts;
  value_pool::arena from;
  for (auto left = in.get(); left > 0; --left) {
    auto const head = in.get();
    if (head >> 32 > static_cast<word>(node_kind::anything)) damaged();
    parts.clear();
    for (auto w : in.get(head & UINT32_MAX)) parts.push_back(read_value(pool, nodes, names, w));
    nodes.push_back(pool.make(from, static_cast<node_kind>(head >> 32), parts));
  }
  return nodes;
}

}  // namespace

std::uint32_t value_writer::name(std::uint32_t id, value of) {
  auto const [known, fresh] = names_.try_emplace(id, static_cast<std::uint32_t>(names_.size()));
  if (!fresh) return known->second;
  auto const text = pool_.text(of);
  of_names_.push_back(text.size());
  auto const at = of_names_.size();
  of_names_.resize(at + words_for(text.size()));
  if (!text.empty()) std::memcpy(of_names_.data() + at, text.data(), text.size());
  return known->second;
}

word value_writer::written(word w) {
  auto const v = value::from_word(w);
  if (v.is_string()) return value::string(name(v.name(), v)).word();
  if (v.is_model()) return value::model(name(v.name(), v), v.model_type()).word();
  if (!v.is_node()) return w;
  if (auto const known = nodes_.find(w); known != nodes_.end()) return word{known->second} << tag_bits;
  std::vector<word> parts;
  for (auto i : items(v)) parts.push_back(written(i.word()));
  of_nodes_.push_back(static_cast<word>(v.as_node()->kind) << 32 | parts.size());
  of_nodes_.insert(of_nodes_.end(), parts.begin(), parts.end());
  auto const number = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace(w, number);
  return word{number} << tag_bits;
}

std::vector<word> value_writer::legend() {
  std::vector<word> all{names_.size()};
  all.insert(all.end(), of_names_.begin(), of_names_.end());
  all.push_back(nodes_.size());
  all.insert(all.end(), of_nodes_.begin(), of_nodes_.end());
  return all;
}

check::word_reader value_reader(value_pool& pool, std::span<word const> legend) {
  legend_input in{legend};
  auto const names = read_names(in);
  return [&pool, names, nodes = read_nodes(pool, in, names)](word w) {
    return read_value(pool, nodes, names, w).word();
  };
}

}  // namespace halfopen::tla
