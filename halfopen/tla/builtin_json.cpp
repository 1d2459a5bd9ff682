#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <vector>

#include <halfopen/tla/builtin.hpp>

/// Json: tuples, sequences and sets are arrays, records and other functions are objects.
namespace halfopen::tla {

namespace {

constexpr int depth_max = 200;

void quote(std::string& out, std::string_view text) {
  constexpr char const* hex = "0123456789abcdef";
  out += '"';
  for (char c : text) {
    auto const byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        if (byte < 0x20) {
          out += "\\u00";
          out += hex[byte >> 4];
          out += hex[byte & 15];
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

enum class shape : std::uint8_t { by_value, array, object };

class json_writer {
 public:
  json_writer(machine& m, expr const& at) : m_{m}, at_{at} {}

  void write(value v, shape as = shape::by_value) {
    switch (v.what()) {
      case value::tag::integer: out += std::to_string(v.integer()); return;
      case value::tag::boolean: out += v.truth() ? "true" : "false"; return;
      case value::tag::string:
      case value::tag::model: quote(out, m_.v.name(v)); return;
      case value::tag::node: return write_node(m_.v.normal(v), as);
      case value::tag::thunk:
      case value::tag::none: break;
    }
    fail(m_, at_, "this value cannot be written as JSON");
  }

  std::string out;

 private:
  void write_node(value v, shape as) {
    if (is_explicit_set(v)) return array(items(v));
    if (!is_function(v)) fail(m_, at_, "ToJson of the infinite set " + m_.v.text(v));
    if (as == shape::array || (as == shape::by_value && is_tuple(v))) return array(m_.v.results(v));
    auto const keys = items(m_.v.explicit_set(m_.v.domain(v)));
    auto const results = m_.v.results(v);
    out += '{';
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0) out += ',';
      quote(out, keys[i].is_string() ? std::string{m_.v.name(keys[i])} : m_.v.text(keys[i]));
      out += ':';
      write(results[i]);
    }
    out += '}';
  }

  void array(std::span<value const> all) {
    out += '[';
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0) out += ',';
      write(all[i]);
    }
    out += ']';
  }

  machine& m_;
  expr const& at_;
};

/// Reads what TLA+ has values for: numbers without a fraction, strings, booleans, arrays, objects.
class json_reader {
 public:
  json_reader(machine& m, expr const& at, std::string_view text) : m_{m}, at_{at}, text_{text} {}

  value all() {
    auto const v = read(0);
    blanks();
    if (i_ != text_.size()) refuse("the end");
    return v;
  }

 private:
  [[noreturn]] void refuse(char const* expected) {
    auto const line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(i_), '\n');
    auto const found = i_ < text_.size() ? "'" + std::string(1, text_[i_]) + "'" : "the end";
    fail(m_, at_,
         "JSON, line " + std::to_string(line) + ": found " + found + ", expected " + std::string{expected});
  }
  void blanks() { i_ = std::min(text_.size(), text_.find_first_not_of(" \t\r\n", i_)); }
  bool take(std::string_view what) {
    blanks();
    if (!text_.substr(i_).starts_with(what)) return false;
    i_ += what.size();
    return true;
  }

  value read(int depth) {
    if (depth > depth_max) refuse("fewer than 200 nested values");
    if (take("{")) return object(depth);
    if (take("[")) return array(depth);
    if (take("\"")) return m_.v.string(string());
    if (take("true")) return true_value;
    if (take("false")) return false_value;
    if (text_.substr(i_).starts_with("null")) refuse("a value that TLA+ has: null is none");
    return number();
  }

  value number() {
    std::int32_t n = 0;
    auto const [end, problem] = std::from_chars(text_.data() + i_, text_.data() + text_.size(), n);
    if (problem != std::errc{}) refuse("a value: an integer of 32 bits, a string, true, false, [ or {");
    i_ = static_cast<std::size_t>(end - text_.data());
    if (i_ < text_.size() && std::string_view{".eE"}.find(text_[i_]) != std::string_view::npos)
      refuse("a number without a fraction");
    return value::of(n);
  }

  std::string string() {
    std::string out;
    while (i_ < text_.size() && text_[i_] != '"') {
      if (text_[i_] != '\\') {
        out += text_[i_++];
        continue;
      }
      if (++i_ == text_.size()) break;
      escaped(out, text_[i_++]);
    }
    if (!take("\"")) refuse("the closing \"");
    return out;
  }

  void escaped(std::string& out, char c) {
    constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
    if (auto const k = from.find(c); k != std::string_view::npos) {
      out += to[k];
      return;
    }
    if (c != 'u') refuse("an escape of JSON");
    auto code = hex4();
    if (code >= 0xD800 && code < 0xDC00) {  // the first half of a pair
      if (!text_.substr(i_).starts_with("\\u")) refuse("the second half of a pair of escapes");
      i_ += 2;
      auto const second = hex4();
      if (second < 0xDC00 || second > 0xDFFF) refuse("the second half of a pair of escapes");
      code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
    }
    add_utf8(out, code);
  }

  unsigned hex4() {
    unsigned code = 0;
    auto const digits = text_.substr(i_, 4);
    auto const [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (problem != std::errc{} || end != digits.data() + 4) refuse("four hexadecimal digits after \\u");
    i_ += 4;
    return code;
  }

  static void add_utf8(std::string& out, unsigned code) {
    auto const last = [&](unsigned shift) { out += static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0U | (code >> 6U));
      last(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0U | (code >> 12U));
      last(6);
      last(0);
    } else {
      out += static_cast<char>(0xF0U | (code >> 18U));
      last(12);
      last(6);
      last(0);
    }
  }

  value array(int depth) {
    std::vector<value> all;
    if (take("]")) return m_.v.tuple(all);
    do all.push_back(read(depth + 1));
    while (take(","));
    if (!take("]")) refuse(", or ]");
    return m_.v.tuple(all);
  }

  value object(int depth) {
    std::vector<std::pair<value, value>> fields;
    if (take("}")) return m_.v.tuple({});  // the function without arguments
    do {
      if (!take("\"")) refuse("a name in \"\"");
      auto const key = m_.v.string(string());
      if (!take(":")) refuse(":");
      auto const v = read(depth + 1);
      if (std::ranges::find(fields, key, &std::pair<value, value>::first) != fields.end())
        refuse("each name of an object once");
      fields.emplace_back(key, v);
    } while (take(","));
    if (!take("}")) refuse(", or }");
    return m_.v.record(fields);
  }

  machine& m_;
  expr const& at_;
  std::string_view text_;
  std::size_t i_ = 0;
};

std::string json(machine& m, expr const& at, value v, shape as = shape::by_value) {
  json_writer w{m, at};
  w.write(v, as);
  return std::move(w.out);
}

value to_json(machine& m, expr const& at, arguments a) { return m.v.string(json(m, at, a[0])); }
value to_json_array(machine& m, expr const& at, arguments a) {
  return m.v.string(json(m, at, a[0], shape::array));
}
value to_json_object(machine& m, expr const& at, arguments a) {
  return m.v.string(json(m, at, a[0], shape::object));
}

std::string contents(machine& m, expr const& at, value path, char const* op) {
  std::string const name{text_of(m, at, path, op)};
  std::ifstream in{name};
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) fail(m, at, std::string{op} + ": cannot read the file " + name);
  return text.str();
}

value written(machine& m, expr const& at, value path, std::string const& text, char const* op) {
  std::string const name{text_of(m, at, path, op)};
  std::ofstream out{name, std::ios::trunc};
  if (!(out << text << std::flush)) fail(m, at, std::string{op} + ": cannot write the file " + name);
  return true_value;
}

value json_serialize(machine& m, expr const& at, arguments a) {
  return written(m, at, a[0], json(m, at, a[1]), "JsonSerialize");
}
value json_deserialize(machine& m, expr const& at, arguments a) {
  auto const text = contents(m, at, a[0], "JsonDeserialize");
  return json_reader{m, at, text}.all();
}
value nd_json_serialize(machine& m, expr const& at, arguments a) {
  std::string text;
  for (auto v : sequence(m, at, a[1], "ndJsonSerialize")) text += json(m, at, v) + "\n";
  return written(m, at, a[0], text, "ndJsonSerialize");
}
value nd_json_deserialize(machine& m, expr const& at, arguments a) {
  std::istringstream lines{contents(m, at, a[0], "ndJsonDeserialize")};
  std::vector<value> all;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) all.push_back(json_reader{m, at, line}.all());
  }
  return m.v.tuple(all);
}

}  // namespace

builtin json_builtin(primitive p) {
  switch (p) {
    case primitive::to_json: return to_json;
    case primitive::to_json_array: return to_json_array;
    case primitive::to_json_object: return to_json_object;
    case primitive::json_serialize: return json_serialize;
    case primitive::json_deserialize: return json_deserialize;
    case primitive::nd_json_serialize: return nd_json_serialize;
    case primitive::nd_json_deserialize: return nd_json_deserialize;
    default: return nullptr;
  }
}

}  // namespace halfopen::tla
