#include <halfopen/tla/values.hpp>

namespace halfopen::tla {

namespace {

class writer {
 public:
  explicit writer(values const& v) : values_{v} {}

  void write(value v) {
    switch (v.what()) {
      case value::tag::thunk:
      case value::tag::none: out += "(no value)"; return;
      case value::tag::integer: out += std::to_string(v.integer()); return;
      case value::tag::boolean: out += v.truth() ? "TRUE" : "FALSE"; return;
      case value::tag::model: out += values_.name(v); return;
      case value::tag::string: quoted(values_.name(v)); return;
      case value::tag::node: write_node(v); return;
    }
  }

  std::string out;

 private:
  void write_node(value v) {
    auto const all = items(v);
    switch (v.as_node()->kind) {
      case node_kind::tuple: return list("<<", all, ", ", ">>");
      case node_kind::set: return list("{", all, ", ", "}");
      case node_kind::function: return function(all[0], all.subspan(1));
      case node_kind::interval: return list("", all, "..", "");
      case node_kind::power_set: return list("SUBSET ", all, "", "");
      case node_kind::function_set: return list("[", all, " -> ", "]");
      case node_kind::record_set: return record(items(all[0]), all.subspan(1), ": ");
      case node_kind::product: return list("(", all, " \\X ", ")");
      case node_kind::sequences: return list("Seq(", all, "", ")");
      case node_kind::cup: return list("(", all, " \\cup ", ")");
      case node_kind::cap: return list("(", all, " \\cap ", ")");
      case node_kind::minus: return list("(", all, " \\ ", ")");
      case node_kind::naturals: out += "Nat"; return;
      case node_kind::integers: out += "Int"; return;
      case node_kind::reals: out += "Real"; return;
      case node_kind::strings: out += "STRING"; return;
      case node_kind::anything: out += "Any"; return;
    }
  }

  void list(char const* open, std::span<value const> all, char const* between, char const* close) {
    out += open;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0) out += between;
      write(all[i]);
    }
    out += close;
  }

  void function(value domain, std::span<value const> results) {
    auto const keys = items(domain);
    if (keys.front().is_string() && keys.back().is_string()) return record(keys, results, " |-> ");
    out += "(";
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0) out += " @@ ";
      write(keys[i]);
      out += " :> ";
      write(results[i]);
    }
    out += ")";
  }

  void record(std::span<value const> names, std::span<value const> all, char const* between) {
    out += "[";
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) out += ", ";
      out += values_.name(names[i]);
      out += between;
      write(all[i]);
    }
    out += "]";
  }

  void quoted(std::string_view text) {
    out += '"';
    for (char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      if (c == '\n')
        out += "\\n";
      else if (c == '\t')
        out += "\\t";
      else
        out += c;
    }
    out += '"';
  }

  values const& values_;
};

}  // namespace

std::string values::text(value v) const {
  writer w{*this};
  w.write(v);
  return std::move(w.out);
}

}  // namespace halfopen::tla
