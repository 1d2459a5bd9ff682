#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <halfopen/base/percent.hpp>
#include <halfopen/gateway/audit_event.hpp>

namespace halfopen::gateway {

/// The longest prefix of `raw` that is at most `bytes_max` long and ends between two characters. Bytes that
/// are not UTF-8, and NULs, become U+FFFD. The result is always valid UTF-8.
[[nodiscard]] std::string cut_utf8(std::string_view raw, std::size_t bytes_max);

/// Cuts every text of `e` to `bytes_max` and says what was changed.
[[nodiscard]] std::vector<audit_cut> cut_fields(audit_event& e, std::size_t bytes_max);

/// What must not be written down: the values of these keys, wherever they stand, in any case of letters.
struct audit_redaction {
  std::vector<std::string> keys = {"password",      "passwd",        "secret",        "token",
                                   "access_token",  "refresh_token", "api_key",       "apikey",
                                   "authorization", "cookie",        "client_secret", "private_key"};
  std::size_t depth_max = 32;
};

/// A call's arguments as the audit log may keep them. What cannot be written as JSON is replaced; never
/// throws.
[[nodiscard]] std::string audit_arguments(nlohmann::json const& value, audit_redaction const& r);
/// The same from a body that may be anything: what is no JSON gives a note that says so.
[[nodiscard]] std::string audit_arguments_of_body(std::string_view body, audit_redaction const& r);

/// Chooses which successes are written down: an even share, from a seed.
class audit_sampler {
 public:
  constexpr explicit audit_sampler(std::uint64_t seed) noexcept : seed_{seed} {}
  [[nodiscard]] bool next(percent share) noexcept;

 private:
  std::uint64_t seed_;
  std::uint64_t n_ = 0;
};

}  // namespace halfopen::gateway
