#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <halfopen/gateway/exchange.hpp>
#include <halfopen/gateway/generation.hpp>
#include <halfopen/gateway/outcome.hpp>
#include <halfopen/net/timer_wheel.hpp>
#include <halfopen/policy/any_pipeline.hpp>

namespace halfopen::gateway {

class worker;

/// A probe whose caller has been answered already. It lives on until its lease ends, so that the reply still
/// decides over the breaker: a backend that answers late, but does answer, must not keep it going open and
/// half-open for ever.
///
/// Threads: its loop's.
class orphan final : private exchange_sink, private net::timer {
 public:
  explicit orphan(worker& w) noexcept;

  void adopt(any_call stack, exchange& e, generation& g, std::size_t tool, std::size_t host,
             attempt_epochs began);
  /// Takes the attempt away; its breaker gets the probe's slot back.
  void abandon();
  [[nodiscard]] bool alive() const noexcept { return stack_.has_value(); }

 private:
  void on_reply(net::response_head const& head, net::body_framing framing, std::string_view body,
                bool complete) override;
  void on_body(std::string_view body, bool complete) override;
  void on_failed(reason why, bool stale) override;
  void on_request_drained() override {}

  void on_time(instant now);
  void decide(ended e, reason why);
  void end() noexcept;

  worker& worker_;
  std::optional<any_call> stack_;
  exchange* exchange_ = nullptr;
  generation* generation_ = nullptr;
  std::size_t tool_ = 0;
  std::size_t host_ = 0;
  attempt_epochs began_;
  result_class good_{};
};

}  // namespace halfopen::gateway
