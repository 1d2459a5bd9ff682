#include <halfopen/tla/trace.hpp>
#include <halfopen/tla/value_itf.hpp>

namespace halfopen::tla {
namespace {

class itf_writer {
 public:
  explicit itf_writer(values const& v) : values_{v} {}

  void write(value x) {
    switch (x.what()) {
      case value::tag::integer: out += std::to_string(x.integer()); return;
      case value::tag::boolean: out += x.truth() ? "true" : "false"; return;
      case value::tag::model:
      case value::tag::string: out += json_quoted(values_.name(x)); return;
      case value::tag::node: return write_node(x);
      case value::tag::thunk:
      case value::tag::none: out += "null"; return;
    }
  }

  std::string out;

 private:
  void write_node(value x) {
    auto const all = items(x);
    switch (x.as_node()->kind) {
      case node_kind::tuple: return list("{\"#tup\": [", all, "]}");
      case node_kind::set: return list("{\"#set\": [", all, "]}");
      case node_kind::function: return function(items(all[0]), all.subspan(1));
      default: out += "{\"#unserializable\": " + json_quoted(values_.text(x)) + "}"; return;
    }
  }

  void list(char const* open, std::span<value const> all, char const* close) {
    out += open;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0) out += ", ";
      write(all[i]);
    }
    out += close;
  }

  void function(std::span<value const> keys, std::span<value const> results) {
    bool const record = !keys.empty() && keys.front().is_string() && keys.back().is_string();
    out += record ? "{" : "{\"#map\": [";
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0) out += ", ";
      if (!record) out += "[";
      write(keys[i]);
      out += record ? ": " : ", ";
      write(results[i]);
      if (!record) out += "]";
    }
    out += record ? "}" : "]}";
  }

  values const& values_;
};

}  // namespace

std::string to_itf(values const& v, value x) {
  itf_writer w{v};
  w.write(x);
  return std::move(w.out);
}

}  // namespace halfopen::tla
