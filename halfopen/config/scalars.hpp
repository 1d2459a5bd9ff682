#pragma once

#include <string>
#include <string_view>

#include <halfopen/base/expected.hpp>
#include <halfopen/config/gateway_config.hpp>

/// How single values are spelled: one codec a type, which reads, writes and describes it.
namespace halfopen::config {

/// Why a piece of text is not a value of the type that was asked for.
struct misfit {
  std::string code;      // "config.unit", "config.range", "config.value" or "config.url"
  std::string expected;  // empty = what the codec says in general
  std::string hint{};
};

template <class T>
using parsed = expected<T, misfit>;

/// codec<T>::parse(text) -> parsed<T>; print(T) -> text that parse() takes back to the same value;
/// what: the type in words, for "expected ..."; pattern: a JSON schema's regular expression, or nullptr;
/// json_type: "string", "integer", "number" or "boolean".
template <class T>
struct codec;

template <>
struct codec<duration> {
  static constexpr char const* what = "a duration with its unit, such as 5s or 200ms";
  static constexpr char const* pattern = "^([0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h|d)|never)$";
  static constexpr char const* json_type = "string";
  static parsed<duration> parse(std::string_view text);
  static std::string print(duration d);
};

template <>
struct codec<byte_count> {
  static constexpr char const* what = "a size with its unit, such as 4kB or 8MiB";
  static constexpr char const* pattern = "^[0-9]+(B|kB|MB|GB|KiB|MiB|GiB)$";
  static constexpr char const* json_type = "string";
  static parsed<byte_count> parse(std::string_view text);
  static std::string print(byte_count b);
};

template <>
struct codec<percent> {
  static constexpr char const* what = "a share in whole percent, such as 50%";
  static constexpr char const* pattern = "^[0-9]{1,3}%$";
  static constexpr char const* json_type = "string";
  static parsed<percent> parse(std::string_view text);
  static std::string print(percent p);
};

template <>
struct codec<rate> {
  static constexpr char const* what = "a rate, such as 200/s";
  static constexpr char const* pattern = "^[0-9]+/(ms|s|m|h|d)$";
  static constexpr char const* json_type = "string";
  static parsed<rate> parse(std::string_view text);
  static std::string print(rate r);
};

template <>
struct codec<std::uint32_t> {
  static constexpr char const* what = "a whole number";
  static constexpr char const* pattern = nullptr;
  static constexpr char const* json_type = "integer";
  static parsed<std::uint32_t> parse(std::string_view text);
  static std::string print(std::uint32_t n);
};

template <>
struct codec<std::uint64_t> {
  static constexpr char const* what = "a whole number";
  static constexpr char const* pattern = nullptr;
  static constexpr char const* json_type = "integer";
  static parsed<std::uint64_t> parse(std::string_view text);
  static std::string print(std::uint64_t n);
};

template <>
struct codec<double> {
  static constexpr char const* what = "a number, such as 2 or 1.5";
  static constexpr char const* pattern = nullptr;
  static constexpr char const* json_type = "number";
  static parsed<double> parse(std::string_view text);
  static std::string print(double x);
};

template <>
struct codec<bool> {
  static constexpr char const* what = "true or false";
  static constexpr char const* pattern = nullptr;
  static constexpr char const* json_type = "boolean";
  static parsed<bool> parse(std::string_view text);
  static std::string print(bool b);
};

template <>
struct codec<std::string> {
  static constexpr char const* what = "a text";
  static constexpr char const* pattern = nullptr;
  static constexpr char const* json_type = "string";
  static parsed<std::string> parse(std::string_view text);
  static std::string print(std::string const& s);
};

template <>
struct codec<std::filesystem::path> {
  static constexpr char const* what = "the path of a file";
  static constexpr char const* pattern = nullptr;
  static constexpr char const* json_type = "string";
  static parsed<std::filesystem::path> parse(std::string_view text);
  static std::string print(std::filesystem::path const& p);
};

template <>
struct codec<listen_address> {
  static constexpr char const* what = "an address and a port, such as 127.0.0.1:8080 or [::1]:8080";
  static constexpr char const* pattern = "^(\\[[0-9a-fA-F:.]+\\]|[0-9.]+):[0-9]{1,5}$";
  static constexpr char const* json_type = "string";
  static parsed<listen_address> parse(std::string_view text);
  static std::string print(listen_address const& a);
};

template <>
struct codec<upstream_host> {
  static constexpr char const* what = "a URL, such as http://127.0.0.1:9001";
  static constexpr char const* pattern = "^http://[^/]+/?$";
  static constexpr char const* json_type = "string";
  static parsed<upstream_host> parse(std::string_view text);
  static std::string print(upstream_host const& h);
};

}  // namespace halfopen::config
