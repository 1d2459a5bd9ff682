#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include <arpa/inet.h>

#include <halfopen/base/saturating.hpp>
#include <halfopen/config/scalars.hpp>

namespace halfopen::config {
namespace {

struct unit {
  std::string_view name;
  std::uint64_t size;
};

constexpr std::array<unit, 7> time_units{{{"d", 86'400'000'000'000},
                                          {"h", 3'600'000'000'000},
                                          {"m", 60'000'000'000},
                                          {"s", 1'000'000'000},
                                          {"ms", 1'000'000},
                                          {"us", 1'000},
                                          {"ns", 1}}};
constexpr std::array<unit, 7> byte_units{{{"GiB", 1ULL << 30},
                                          {"GB", 1'000'000'000},
                                          {"MiB", 1ULL << 20},
                                          {"MB", 1'000'000},
                                          {"KiB", 1ULL << 10},
                                          {"kB", 1'000},
                                          {"B", 1}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class T>
std::optional<T> whole_number(std::string_view s) {
  T n{};
  auto const [end, fault] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (s.empty() || !is_digit(s.front()) || fault != std::errc{} || end != s.data() + s.size())
    return std::nullopt;
  return n;
}

bool all_digits(std::string_view s) { return !s.empty() && std::ranges::all_of(s, is_digit); }

template <std::size_t N>
unit const* find_unit(std::array<unit, N> const& units, std::string_view name) {
  auto const at = std::ranges::find(units, name, &unit::name);
  return at == units.end() ? nullptr : at;
}

template <class T>
parsed<T> fault(char const* code, std::string expected = "", std::string hint = "") {
  return unexpected<misfit>{misfit{code, std::move(expected), std::move(hint)}};
}

// The largest unit in which the count is a whole number.
template <std::size_t N>
std::string in_largest_unit(std::uint64_t count, std::array<unit, N> const& units,
                            std::string_view unit_of_zero) {
  if (count == 0) return "0" + std::string{unit_of_zero};
  auto const fits = std::ranges::find_if(units, [&](unit const& u) { return count % u.size == 0; });
  return std::to_string(count / fits->size) + std::string{fits->name};
}

// "1.25" in units of `size`, exact: nullopt where it does not fit or is finer than one nanosecond.
std::optional<std::uint64_t> scaled_decimal(std::string_view number, std::uint64_t size) {
  auto const dot = number.find('.');
  auto const whole = whole_number<std::uint64_t>(number.substr(0, dot));
  std::uint64_t total = 0;
  if (!whole || __builtin_mul_overflow(*whole, size, &total)) return std::nullopt;
  for (std::size_t i = dot == std::string_view::npos ? number.size() : dot + 1; i < number.size(); ++i) {
    auto const digit = static_cast<std::uint64_t>(number[i] - '0');
    if (size % 10 != 0 && digit != 0) return std::nullopt;
    size /= 10;
    if (__builtin_add_overflow(total, digit * size, &total)) return std::nullopt;
  }
  return total;
}

// Digits with at most one dot inside.
bool is_decimal(std::string_view s) {
  auto const dot = s.find('.');
  if (dot == std::string_view::npos) return all_digits(s);
  return all_digits(s.substr(0, dot)) && all_digits(s.substr(dot + 1));
}

std::optional<std::uint16_t> port_number(std::string_view s) {
  return s.size() <= 5 ? whole_number<std::uint16_t>(s) : std::nullopt;
}

bool is_address(int family, std::string const& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(family, text.c_str(), bytes.data()) == 1;
}

bool is_host_name(std::string_view s) {
  auto const allowed = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
           c == '_';
  };
  bool const looks_like_ipv4 = s.find_first_not_of("0123456789.") == std::string_view::npos;
  if (looks_like_ipv4) return is_address(AF_INET, std::string{s});
  return !s.empty() && s.size() <= 253 && s.front() != '.' && s.front() != '-' &&
         std::ranges::all_of(s, allowed) && s.find("..") == std::string_view::npos;
}

struct host_and_port {
  std::string host;
  std::optional<std::string> port;
  bool bracketed = false;
};

std::optional<host_and_port> split_authority(std::string_view s) {
  if (s.starts_with('[')) {
    auto const end = s.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    host_and_port out{std::string{s.substr(1, end - 1)}, std::nullopt, true};
    auto const rest = s.substr(end + 1);
    if (rest.empty()) return out;
    if (rest.front() != ':') return std::nullopt;
    out.port = std::string{rest.substr(1)};
    return out;
  }
  auto const colon = s.find(':');
  if (colon == std::string_view::npos) return host_and_port{std::string{s}, std::nullopt, false};
  return host_and_port{std::string{s.substr(0, colon)}, std::string{s.substr(colon + 1)}, false};
}

std::string with_brackets(std::string const& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace

parsed<duration> codec<duration>::parse(std::string_view text) {
  if (text == "never") return duration::max();
  auto const end_of_number = std::min(text.find_first_not_of("0123456789."), text.size());
  auto const number = text.substr(0, end_of_number);
  auto const name = text.substr(end_of_number);
  if (!is_decimal(number)) return fault<duration>("config.value");
  if (name.empty()) return fault<duration>("config.unit", "", "did you mean " + std::string{number} + "s?");
  auto const* const u = find_unit(time_units, name);
  if (u == nullptr) return fault<duration>("config.unit", "", "units are ns, us, ms, s, m, h and d");
  auto const total = scaled_decimal(number, u->size);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!total || *total > most)
    return fault<duration>("config.range", "a duration of whole nanoseconds below 292 years");
  return duration{static_cast<std::int64_t>(*total)};
}

std::string codec<duration>::print(duration d) {
  if (d == duration::max()) return "never";
  return in_largest_unit(static_cast<std::uint64_t>(std::max<std::int64_t>(d.count(), 0)), time_units, "s");
}

parsed<byte_count> codec<byte_count>::parse(std::string_view text) {
  auto const end_of_number = std::min(text.find_first_not_of("0123456789"), text.size());
  auto const name = text.substr(end_of_number);
  if (end_of_number == 0) return fault<byte_count>("config.value");
  auto const* const u = find_unit(byte_units, name);
  if (u == nullptr) return fault<byte_count>("config.unit", "", "units are B, kB, MB, GB, KiB, MiB and GiB");
  auto const n = whole_number<std::uint64_t>(text.substr(0, end_of_number));
  std::uint64_t total = 0;
  if (!n || __builtin_mul_overflow(*n, u->size, &total))
    return fault<byte_count>("config.range", "less than 16 EiB");
  return byte_count{total};
}

std::string codec<byte_count>::print(byte_count b) { return in_largest_unit(b.value, byte_units, "B"); }

parsed<percent> codec<percent>::parse(std::string_view text) {
  bool const has_sign = text.ends_with('%');
  auto const number = has_sign ? text.substr(0, text.size() - 1) : text;
  if (!all_digits(number)) return fault<percent>("config.value");
  if (!has_sign) return fault<percent>("config.unit", "", "did you mean " + std::string{number} + "%?");
  auto const n = whole_number<std::uint8_t>(number);
  if (!n || *n > 100) return fault<percent>("config.range", "0% to 100%");
  return percent{*n};
}

std::string codec<percent>::print(percent p) { return std::to_string(p.value) + "%"; }

parsed<rate> codec<rate>::parse(std::string_view text) {
  auto const slash = text.find('/');
  auto const number = text.substr(0, slash);
  if (!all_digits(number)) return fault<rate>("config.value");
  if (slash == std::string_view::npos)
    return fault<rate>("config.unit", "", "did you mean " + std::string{number} + "/s?");
  auto const* const u = find_unit(time_units, text.substr(slash + 1));
  if (u == nullptr || u->size < 1'000'000)
    return fault<rate>("config.unit", "", "rates are per ms, s, m, h or d");
  auto const n = whole_number<std::uint64_t>(number);
  if (!n || *n == 0)
    return fault<rate>("config.range", "a rate of at least 1, with a longer unit if need be");
  return rate{*n, duration{static_cast<std::int64_t>(u->size)}};
}

std::string codec<rate>::print(rate r) {
  auto const per = std::ranges::find(time_units, static_cast<std::uint64_t>(r.per.count()), &unit::size);
  return std::to_string(r.count) + "/" + std::string{per == time_units.end() ? "s" : per->name};
}

parsed<std::uint32_t> codec<std::uint32_t>::parse(std::string_view text) {
  if (!all_digits(text)) return fault<std::uint32_t>("config.value");
  auto const n = whole_number<std::uint32_t>(text);
  return n ? parsed<std::uint32_t>{*n} : fault<std::uint32_t>("config.range", "at most 4294967295");
}

std::string codec<std::uint32_t>::print(std::uint32_t n) { return std::to_string(n); }

parsed<std::uint64_t> codec<std::uint64_t>::parse(std::string_view text) {
  if (!all_digits(text)) return fault<std::uint64_t>("config.value");
  auto const n = whole_number<std::uint64_t>(text);
  return n ? parsed<std::uint64_t>{*n} : fault<std::uint64_t>("config.range", "at most 18446744073709551615");
}

std::string codec<std::uint64_t>::print(std::uint64_t n) { return std::to_string(n); }

parsed<double> codec<double>::parse(std::string_view text) {
  if (!is_decimal(text)) return fault<double>("config.value");
  double x = 0;
  auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (wrong != std::errc{} || end != text.data() + text.size()) return fault<double>("config.range");
  return x;
}

// The shortest digits that are read back to the same number, without an exponent.
std::string codec<double>::print(double x) {
  std::array<char, 512> digits{};
  auto const [end, wrong] =
      std::to_chars(digits.data(), digits.data() + digits.size(), x, std::chars_format::fixed);
  return wrong == std::errc{} ? std::string(digits.data(), end) : "0";
}

parsed<bool> codec<bool>::parse(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return fault<bool>("config.value");
}

std::string codec<bool>::print(bool b) { return b ? "true" : "false"; }

parsed<std::string> codec<std::string>::parse(std::string_view text) {
  return text.empty() ? fault<std::string>("config.value", "a text that is not empty") : std::string{text};
}

std::string codec<std::string>::print(std::string const& s) { return s; }

parsed<std::filesystem::path> codec<std::filesystem::path>::parse(std::string_view text) {
  if (text.empty()) return fault<std::filesystem::path>("config.value");
  return std::filesystem::path{text};
}

std::string codec<std::filesystem::path>::print(std::filesystem::path const& p) { return p.string(); }

parsed<listen_address> codec<listen_address>::parse(std::string_view text) {
  auto const parts = split_authority(text);
  if (!parts || !parts->port) return fault<listen_address>("config.value");
  if (!is_address(parts->bracketed ? AF_INET6 : AF_INET, parts->host))
    return fault<listen_address>("config.value", "",
                                 "a name is not resolved here; 0.0.0.0 listens on every interface");
  auto const port = port_number(*parts->port);
  if (!port) return fault<listen_address>("config.range", "a port from 0 (any that is free) to 65535");
  return listen_address{parts->host, *port};
}

std::string codec<listen_address>::print(listen_address const& a) {
  return with_brackets(a.host) + ":" + std::to_string(a.port);
}

parsed<upstream_host> codec<upstream_host>::parse(std::string_view text) {
  constexpr std::string_view scheme = "http://";
  if (text.starts_with("https://"))
    return fault<upstream_host>("config.url", "an http:// URL", "TLS to upstreams is not built yet");
  if (!text.starts_with(scheme)) return fault<upstream_host>("config.url", "", "it must begin with http://");
  text.remove_prefix(scheme.size());
  if (text.ends_with('/')) text.remove_suffix(1);
  if (text.find_first_of("/?#") != std::string_view::npos)
    return fault<upstream_host>("config.url", "a URL without a path", "a request's own path is sent on");
  if (text.find('@') != std::string_view::npos)
    return fault<upstream_host>("config.url", "a URL without a user");
  auto const parts = split_authority(text);
  bool const named =
      parts && (parts->bracketed ? is_address(AF_INET6, parts->host) : is_host_name(parts->host));
  if (!named) return fault<upstream_host>("config.url");
  auto const port = parts->port ? port_number(*parts->port) : std::uint16_t{80};
  if (!port || *port == 0) return fault<upstream_host>("config.url", "a port from 1 to 65535");
  upstream_host h{"", parts->host, *port};
  std::ranges::transform(h.host, h.host.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  h.url = std::string{scheme} + with_brackets(h.host) + ":" + std::to_string(h.port);
  return h;
}

std::string codec<upstream_host>::print(upstream_host const& h) { return h.url; }

}  // namespace halfopen::config
