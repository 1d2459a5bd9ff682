#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include <unistd.h>

#include <halfopen/tla/builtin.hpp>

/// IOUtils and CSV: files are read and written where the spec says, relative to the current folder, as TLC
/// does.
namespace halfopen::tla {

namespace {

/// IOEnv: the environment as a record.
value environment_record(machine& m, expr const&, arguments) {
  std::vector<std::pair<value, value>> fields;
  for (char** e = environ; e != nullptr && *e != nullptr; ++e) {
    std::string_view const entry{*e};
    auto const eq = entry.find('=');
    if (eq == std::string_view::npos) continue;
    fields.emplace_back(m.v.string(entry.substr(0, eq)), m.v.string(entry.substr(eq + 1)));
  }
  return m.v.record(fields);
}

value atoi(machine& m, expr const& at, arguments a) {
  return value::of(
      static_cast<std::int32_t>(std::strtol(std::string{text_of(m, at, a[0], "atoi")}.c_str(), nullptr, 10)));
}

value zero_pad_n(machine& m, expr const& at, arguments a) {
  auto digits = std::to_string(natural(m, at, a[0], "zeroPadN"));
  auto const width = static_cast<std::size_t>(natural(m, at, a[1], "zeroPadN"));
  if (width > 1000) fail(m, at, "zeroPadN to more than 1000 digits");
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return m.v.string(digits);
}

value outcome(machine& m, std::int32_t code, std::string_view out, std::string_view err) {
  std::vector<std::pair<value, value>> fields{{m.v.string("exitValue"), value::of(code)},
                                              {m.v.string("stdout"), m.v.string(out)},
                                              {m.v.string("stderr"), m.v.string(err)}};
  return m.v.record(fields);
}

void want_text_format(machine& m, expr const& at, value options, char const* op) {
  auto const key = m.v.string("format");
  if (is_function(options) && m.v.in_domain(options, key) && m.v.apply(options, key) == m.v.string("TXT"))
    return;
  fail(m, at,
       std::string{op} + " is supported with [format |-> \"TXT\", ...] alone, found " + m.v.text(options));
}

/// Serialize(text, path, options).
value serialize(machine& m, expr const& at, arguments a) {
  want_text_format(m, at, a[2], "Serialize");
  auto const text = text_of(m, at, a[0], "Serialize");
  std::string const path{text_of(m, at, a[1], "Serialize")};
  auto const how = m.v.string("openOptions");
  bool const append =
      m.v.in_domain(a[2], how) && m.v.text(m.v.apply(a[2], how)).find("APPEND") != std::string::npos;
  std::ofstream out{path, append ? std::ios::app : std::ios::trunc};
  if (!(out << text << std::flush)) return outcome(m, 1, "", "cannot write " + path);
  return outcome(m, 0, "", "");
}

value deserialize(machine& m, expr const& at, arguments a) {
  want_text_format(m, at, a[1], "Deserialize");
  std::string const path{text_of(m, at, a[0], "Deserialize")};
  std::ifstream in{path};
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return outcome(m, 1, "", "cannot read " + path);
  return outcome(m, 0, text.str(), "");
}

std::string unquoted(machine& m, value v) {
  return v.is_string() ? std::string{m.v.name(v)} : m.v.text(m.v.normal(v));
}

/// A template of Java's String.format, with nothing but %s, %N$s and %%.
std::string filled(machine& m, expr const& at, std::string_view form, std::span<value const> with) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '%') {
      out += form[i];
      continue;
    }
    auto const rest = form.substr(i + 1);
    auto const digits = rest.find_first_not_of("0123456789");
    if (rest.starts_with('%')) {
      out += '%';
      ++i;
      continue;
    }
    bool const numbered =
        digits != 0 && digits != std::string_view::npos && rest.substr(digits).starts_with("$s");
    if (!numbered && !rest.starts_with('s'))
      fail(m, at, "CSVWrite: the template may have %s, %1$s and %%, found " + std::string{form});
    auto const n = numbered ? std::strtoul(std::string{rest.substr(0, digits)}.c_str(), nullptr, 10) : ++next;
    if (n == 0 || n > with.size())
      fail(m, at,
           "CSVWrite: the template names value " + std::to_string(n) + " of " + std::to_string(with.size()));
    out += unquoted(m, with[n - 1]);
    i += numbered ? digits + 2 : 1;
  }
  return out;
}

/// CSVWrite(template, values, path): appends a line.
value csv_write(machine& m, expr const& at, arguments a) {
  std::string const path{text_of(m, at, a[2], "CSVWrite")};
  auto const line = filled(m, at, text_of(m, at, a[0], "CSVWrite"), sequence(m, at, a[1], "CSVWrite"));
  std::ofstream out{path, std::ios::app};
  if (!(out << line << '\n' << std::flush)) fail(m, at, "CSVWrite: cannot write " + path);
  return true_value;
}

value csv_records(machine& m, expr const& at, arguments a) {
  std::ifstream in{std::string{text_of(m, at, a[0], "CSVRecords")}};
  std::int32_t n = 0;
  for (std::string line; std::getline(in, line);) ++n;
  return value::of(n);
}

}  // namespace

builtin file_builtin(primitive p) {
  switch (p) {
    case primitive::io_env: return environment_record;
    case primitive::atoi: return atoi;
    case primitive::zero_pad_n: return zero_pad_n;
    case primitive::serialize: return serialize;
    case primitive::deserialize: return deserialize;
    case primitive::csv_write: return csv_write;
    case primitive::csv_records: return csv_records;
    default: return nullptr;
  }
}

}  // namespace halfopen::tla
