#pragma once

#include <cstddef>
#include <utility>

#include <halfopen/gateway/gateway_plan.hpp>
#include <halfopen/policy/layer.hpp>

namespace halfopen::gateway {

/// The right to make one attempt to one host, given out when every policy of the tool has let it through.
///
/// Only a call can make one, and the upstream pool takes nothing else: code that has not asked the policies
/// does not compile (passage_test.cpp). Move-only; used up by the attempt. The breakers' permits stay with
/// the call, which settles them when the attempt ends and abandons them when it is dropped.
class passage {
 public:
  passage(passage&&) noexcept = default;
  passage& operator=(passage&&) noexcept = default;
  passage(passage const&) = delete;
  passage& operator=(passage const&) = delete;

  [[nodiscard]] host_plan const& host() const noexcept { return *host_; }
  [[nodiscard]] host_meter& meter() const noexcept { return host_->state->meters[loop_]; }
  /// A probe dials anew: an old connection may sit in TCP's back-off long after the network has healed.
  [[nodiscard]] bool probe() const noexcept { return attempt_.probe; }
  [[nodiscard]] attempt const& of() const noexcept { return attempt_; }

 private:
  friend class call;
  passage(host_plan const& host, std::size_t loop, attempt const& a) noexcept
      : host_{&host}, loop_{loop}, attempt_{a} {}

  host_plan const* host_;
  std::size_t loop_;
  attempt attempt_;
};

}  // namespace halfopen::gateway
