#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <halfopen/gateway/exchange.hpp>
#include <halfopen/gateway/generation.hpp>
#include <halfopen/gateway/outcome.hpp>
#include <halfopen/gateway/problem.hpp>
#include <halfopen/net/timer_wheel.hpp>
#include <halfopen/policy/any_pipeline.hpp>

namespace halfopen::gateway {

class worker;

/// Is told how a call goes. With the last word (complete, on_problem, on_cut) the call is over, and the owner
/// gives it back.
class call_owner {
 public:
  virtual void on_reply(net::response_head const& head, net::body_framing framing, std::string_view body,
                        bool complete) = 0;
  virtual void on_reply_body(std::string_view body, bool complete) = 0;
  virtual void on_problem(problem const& p) = 0;  // nothing has been told before
  virtual void on_cut(reason why) = 0;            // a reply that had begun will not be whole
  /// Takes back a reply that has begun. True: nobody has seen any of it, and nothing has been told.
  [[nodiscard]] virtual bool on_taken_back() = 0;
  virtual void on_request_drained() = 0;

 protected:
  ~call_owner() = default;
};

/// What is to be called.
struct call_request {
  std::string bytes;              // the head with its empty line, and the body as far as it is there
  std::size_t host_at = no_host;  // where the tool's own Host belongs in `bytes`
  bool body_follows = false;      // the rest comes by send_body
  bool repeatable = false;        // may be sent twice
  bool plain_body = false;        // the client knows no chunks
  net::http_method method = net::http_method::get;

  static constexpr std::size_t no_host = ~std::size_t{0};
};

/// One call of a tool: the orchestrator. It steps the tool's pipeline, makes the attempts that the pipeline
/// lets through, and reports each one's end back to it. Nothing else reaches a tool.
///
///     begin ─▶ descend: choose a host, enter its pool with a passage ─▶ the attempt ends ─▶ done ─▶ ...
///              complete: the owner gets the reply, or a problem
///              abort_below: the attempt is called off, or lives on as an orphan (a probe)
/// Threads: its loop's. Cost: no allocation in the steady state.
class call final : private exchange_sink, private breaker_choice, private net::timer {
 public:
  static constexpr std::size_t notes_max = 8;

  explicit call(worker& w) noexcept;

  /// What to fill in before begin. Room that it has grown is kept.
  [[nodiscard]] call_request& request() noexcept { return request_; }

  /// Takes a tool for this call, and keeps its configuration alive until close().
  void open(generation& g, std::size_t tool, call_owner& owner) noexcept;
  /// While the body is still to come: answers if the call would be refused. True: it is over.
  [[nodiscard]] bool refuse_early();
  void begin();
  void send_body(std::string_view bytes, bool complete);
  [[nodiscard]] std::size_t unsent() const noexcept { return exchange_ == nullptr ? 0 : exchange_->unsent(); }
  void pause() noexcept;
  void resume();

  /// The caller has gone: neutral, and a probe's slot is free at once. The owner is told nothing more.
  void abandon();
  /// The call is over and has been told about.
  void close() noexcept;

  [[nodiscard]] tool_plan const& tool() const noexcept { return *plan_; }
  [[nodiscard]] std::span<attempt_note const> attempts() const noexcept { return {notes_.data(), noted_}; }
  [[nodiscard]] std::uint32_t attempt_count() const noexcept { return begun_; }
  [[nodiscard]] reason why() const noexcept { return why_; }
  [[nodiscard]] instant started() const noexcept { return started_; }
  [[nodiscard]] std::string_view last_host() const noexcept {
    return noted_ == 0 ? "" : notes_[noted_ - 1].host;
  }
  [[nodiscard]] bool probed() const noexcept { return probed_; }

 private:
  void act(step s, ended& e);
  void complete(ended const& e);
  void answer_problem(reason why, duration retry_after);
  [[nodiscard]] reason reason_of(ended const& e) const noexcept;

  void begin_attempt();
  [[nodiscard]] exchange_order order_for(host_plan const& host);
  void end_attempt(ended& e, reason why, int status);
  void abort_attempt();
  void blame_client(reason why);
  [[nodiscard]] bool part_probe();
  void take_attempt_away(reason why) noexcept;

  void on_reply(net::response_head const& head, net::body_framing framing, std::string_view body,
                bool complete) override;
  void on_body(std::string_view body, bool complete) override;
  void on_failed(reason why, bool stale) override;
  void on_request_drained() override { owner_->on_request_drained(); }

  chosen choose(instant now, attempt const& a, ended& why_not) override;
  void pass_to(std::size_t host) noexcept;

  void on_time(instant now);
  [[nodiscard]] attempt_note& note() noexcept { return notes_[noted_ - 1]; }
  [[nodiscard]] instant now() const noexcept;

  worker& worker_;
  generation* generation_ = nullptr;
  tool_plan const* plan_ = nullptr;
  std::size_t tool_index_ = 0;
  call_owner* owner_ = nullptr;
  call_request request_;
  std::string with_host_;  // request_.bytes with the Host of the attempt's host

  std::optional<any_call> stack_;
  exchange* exchange_ = nullptr;
  std::size_t host_ = 0;     // of the attempt
  std::uint64_t tried_ = 0;  // hosts of this call, a bit each
  attempt_epochs epochs_;
  instant attempt_started_;
  instant started_;

  std::array<attempt_note, notes_max> notes_;
  std::size_t noted_ = 0;
  std::uint32_t begun_ = 0;
  reason why_ = reason::none;
  reason last_ = reason::none;  // how the last attempt ended
  result_class good_{};         // what a reply that is being sent on will count as
  bool probed_ = false;
  bool settled_ = false;    // the pipeline has decided: the rest of the reply is only sent on
  bool committed_ = false;  // the client has seen the reply's head
  bool deciding_ = false;   // inside on_reply: `complete` means that this reply is the answer
  bool accepted_ = false;
};

}  // namespace halfopen::gateway
