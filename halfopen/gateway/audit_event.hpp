#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <halfopen/base/time.hpp>
#include <halfopen/gateway/audit_digest.hpp>
#include <halfopen/gateway/storage_time.hpp>

namespace halfopen::gateway {

enum class audit_kind : std::uint8_t {
  call,     // a call that was let through (successes are sampled, failures always written)
  refusal,  // a policy said no
  admin,    // an operator's act
  config,   // a reload, good or bad
  gateway,  // the gateway about itself: started, drained, lost rows, removed old rows
};

[[nodiscard]] std::string_view name(audit_kind k) noexcept;
[[nodiscard]] std::optional<audit_kind> audit_kind_of(std::string_view name) noexcept;

/// One thing that happened, as a loop hands it over. Texts may be of any length and need not be UTF-8: they
/// are cut and repaired on the way in (see cut_field).
struct audit_event {
  audit_kind kind = audit_kind::call;
  wall_time at = wall_now();
  std::string who{};         // "127.0.0.1:40112", "operator", "gateway"
  std::string what{};        // "POST /v1/tools/payments/invoke", "force_open", "reload"
  std::string tool{};        // empty where no tool was meant
  std::string host{};        // the host that answered last; empty where none was reached
  std::string outcome{};     // a reason code: "success", "failed", "open", "timed_out", ...
  std::uint32_t status = 0;  // of the HTTP answer; 0 = none was sent
  std::uint32_t attempts = 0;
  duration took{};
  std::optional<std::string> arguments{};  // opt-in; made by audit_arguments, which redacts
  std::string detail{};                    // an operator's reason, an error's text
};

/// A text that did not fit, or was not UTF-8, and what it was before.
struct audit_cut {
  std::string field{};
  std::uint64_t bytes = 0;
  std::string sha256;  // of the original bytes, in hex

  friend bool operator==(audit_cut const&, audit_cut const&) = default;
};

/// One line of the audit log, as stored.
struct audit_row {
  std::int64_t id = 0;
  audit_event event;
  std::vector<audit_cut> cuts;
  digest previous{};  // the hash of the row before
  digest hash{};      // over `previous` and everything above
};

}  // namespace halfopen::gateway
