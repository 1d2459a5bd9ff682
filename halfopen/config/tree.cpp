#include <algorithm>
#include <array>
#include <cctype>

#include <halfopen/base/json_text.hpp>
#include <halfopen/config/tree.hpp>

namespace halfopen::config {
namespace {

constexpr std::size_t shown_max = 40;

// Words that YAML readers of one kind or another take for something else than text.
bool reads_as_something_else(std::string_view s) {
  constexpr std::array<std::string_view, 9> words{"null", "true", "false", "yes", "no",
                                                  "on",   "off",  "y",     "n"};
  std::string lower{s};
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  bool const number = lower.find_first_not_of("0123456789.+-_e:") == std::string::npos;
  return number || std::ranges::find(words, lower) != words.end();
}

bool needs_quotes(std::string_view s) {
  if (s.empty() || reads_as_something_else(s)) return true;
  auto const safe = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == '%';
  };
  if (!std::ranges::all_of(s, safe)) return true;
  return s.front() == '-' || s.front() == '%' || s.front() == ':' || s.back() == ':';
}

std::string scalar_of(node const& n) {
  return n.written == node::style::plain || !needs_quotes(n.scalar) ? n.scalar : in_quotes(n.scalar);
}

bool fits_on_the_line(node const& n) {
  if (n.is != node::kind::list) return n.is != node::kind::map || n.entries.empty();
  return std::ranges::all_of(n.items, [](auto const& i) { return i->is == node::kind::scalar; });
}

std::string on_one_line(node const& n) {
  if (n.is == node::kind::scalar) return scalar_of(n);
  if (n.is == node::kind::map) return "{}";
  if (n.is == node::kind::nothing) return "~";
  std::string out = "[";
  for (auto const& item : n.items) out += (out.size() > 1 ? ", " : "") + on_one_line(*item);
  return out + "]";
}

void write_yaml(node const& n, std::size_t indent, bool first_on_line, std::string& out) {
  std::string const margin(indent, ' ');
  for (auto const& item : n.items) {
    if (!std::exchange(first_on_line, false)) out += margin;
    out += "- ";
    if (fits_on_the_line(*item))
      out += on_one_line(*item) + "\n";
    else
      write_yaml(*item, indent + 2, true, out);
  }
  for (auto const& e : n.entries) {
    if (!std::exchange(first_on_line, false)) out += margin;
    out += needs_quotes(e.key) ? in_quotes(e.key) : e.key;
    if (fits_on_the_line(*e.value)) {
      out += ": " + on_one_line(*e.value) + "\n";
    } else {
      out += ":\n";
      write_yaml(*e.value, indent + 2, false, out);
    }
  }
}

void write_json(node const& n, std::size_t indent, std::string& out) {
  if (n.is == node::kind::nothing) out += "null";
  if (n.is == node::kind::scalar) out += n.written == node::style::plain ? n.scalar : in_quotes(n.scalar);
  if (n.is != node::kind::list && n.is != node::kind::map) return;
  bool const is_map = n.is == node::kind::map;
  auto const size = is_map ? n.entries.size() : n.items.size();
  out += is_map ? '{' : '[';
  for (std::size_t i = 0; i < size; ++i) {
    out += (i == 0 ? "\n" : ",\n") + std::string(indent + 2, ' ');
    if (is_map) out += in_quotes(n.entries[i].key) + ": ";
    write_json(is_map ? *n.entries[i].value : *n.items[i], indent + 2, out);
  }
  if (size != 0) out += "\n" + std::string(indent, ' ');
  out += is_map ? '}' : ']';
}

node_ptr scalar(std::string value, node::style written) {
  node n;
  n.is = node::kind::scalar;
  n.written = written;
  n.scalar = std::move(value);
  return std::make_shared<node const>(std::move(n));
}

}  // namespace

node const* find(node const& map, std::string_view key) noexcept {
  auto const at = std::ranges::find(map.entries, key, &entry::key);
  return at == map.entries.end() ? nullptr : at->value.get();
}

// A JSON string is a double-quoted scalar of YAML, too.
std::string in_quotes(std::string_view s) {
  std::string out;
  append_json_string(out, s);
  return out;
}

std::string description(node const& n) {
  switch (n.is) {
    case node::kind::nothing: return "nothing";
    case node::kind::list: return "a list";
    case node::kind::map: return "a map";
    case node::kind::scalar: break;
  }
  if (n.scalar.size() <= shown_max) return in_quotes(n.scalar);
  std::size_t end = shown_max;
  while (end > 0 && (static_cast<unsigned char>(n.scalar[end]) & 0xC0) == 0x80) --end;
  return in_quotes(n.scalar.substr(0, end) + "...");
}

node_ptr text(std::string value) { return scalar(std::move(value), node::style::text); }
node_ptr plain(std::string value) { return scalar(std::move(value), node::style::plain); }

node_ptr list(std::vector<node_ptr> items) {
  node n;
  n.is = node::kind::list;
  n.items = std::move(items);
  return std::make_shared<node const>(std::move(n));
}

node_ptr map(std::vector<std::pair<std::string, node_ptr>> entries) {
  node n;
  n.is = node::kind::map;
  for (auto& [key, value] : entries) n.entries.push_back({std::move(key), {}, std::move(value)});
  return std::make_shared<node const>(std::move(n));
}

std::string to_yaml(node const& n) {
  if (fits_on_the_line(n)) return on_one_line(n) + "\n";
  std::string out;
  write_yaml(n, 0, false, out);
  return out;
}

std::string to_json(node const& n) {
  std::string out;
  write_json(n, 0, out);
  return out + "\n";
}

}  // namespace halfopen::config
