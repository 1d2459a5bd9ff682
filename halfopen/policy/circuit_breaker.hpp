#pragma once

#include <memory>

#include <halfopen/policy/breaker_core.hpp>

namespace halfopen {

/// The right to make one call: see basic_permit.
using permit = basic_permit<std_runtime>;

/// Keeps calls away from a thing that fails, and finds out when it works again.
///
///   if (auto permit = payments.try_acquire()) std::move(*permit).success();  // or .failure(), .ignored()
///   else respond_503(permit.error().retry_after);
///
/// A permit that is dropped abandons its call. There is no other way to report, and nothing else to call:
/// recovery is part of admission (S4, L1, L2).
///
/// Threads: any, all members but moves and destruction. Permits may outlive a move of the breaker, not its
/// destruction. Cost:    admit and a healthy success: a few loads, no allocation, no shared write. Source:
/// docs/breaker.md.
class circuit_breaker {
 public:
  /// Closed. Throws std::invalid_argument with every problem, a line each, if validate() finds an error.
  explicit circuit_breaker(breaker_config const& config, breaker_options const& options = {});

  /// The same without an exception. Warnings alone do not stop it: see validate().
  [[nodiscard]] static expected<circuit_breaker, std::vector<config_problem>> make(
      breaker_config const& config, breaker_options const& options = {});

  circuit_breaker(circuit_breaker&&) noexcept;
  circuit_breaker& operator=(circuit_breaker&&) noexcept;
  ~circuit_breaker();

  /// Asks to run one call now.
  ///
  /// Returns:  a permit of the current epoch, or a rejection with retry_after.
  /// Errors:   open, probe_in_flight, ramping, forced_open.
  /// Units:    now: of a steady clock. Where it is behind the latest one seen, that one is used instead.
  /// Rules:    S1: at most config().probes leases live. S3: nobody between opening and deadline.
  [[nodiscard]] expected<permit, rejection> try_acquire(instant now) noexcept {
    return core_->try_acquire(now);
  }

  /// The same, with the breaker's own clock, which is read only where something depends on it.
  [[nodiscard]] expected<permit, rejection> try_acquire() noexcept { return core_->try_acquire(); }

  /// The same, counted in the cell of this thread or loop.
  [[nodiscard]] expected<permit, rejection> try_acquire(instant now, totals_cell& cell) noexcept {
    return core_->try_acquire(now, &cell);
  }
  [[nodiscard]] expected<permit, rejection> try_acquire(totals_cell& cell) noexcept {
    return core_->try_acquire(&cell);
  }

  // Looking changes nothing: an expired `open` still reads open, with retry_after = 0.

  /// Cost: one load.
  [[nodiscard]] breaker_state state() const noexcept { return core_->state(); }
  /// The state with its epoch, and when to come back: of one moment. Cost: a few loads.
  [[nodiscard]] breaker_status status(instant now) const noexcept { return core_->status(now); }
  /// What try_acquire(now) would say, if nobody came in between. Takes no permit and no part of a ramp.
  [[nodiscard]] bool would_admit(instant now) const noexcept { return core_->would_admit(now); }
  /// would_admit(), for one who chooses among breakers and leaves out those that say no. A no is a refusal in
  /// all but the count: it ends a half-open that neutral results have used up, and takes its part in a ramp.
  [[nodiscard]] bool consult(instant now) noexcept { return core_->consult(now); }
  /// Everything there is to see, of one moment. Takes the lock: for dashboards, not for each call.
  [[nodiscard]] breaker_snapshot snapshot(instant now) const noexcept { return core_->snapshot(now); }
  [[nodiscard]] breaker_config config() const noexcept { return core_->config(); }
  [[nodiscard]] std::string_view name() const noexcept { return core_->name(); }
  [[nodiscard]] instant now() const noexcept { return core_->now(); }  // its own clock's

  // For operators, from any state. The first three stay until the operator says otherwise (S7); the last two,
  // which differ in the cause that is told, begin a new epoch, closed, and forget: window, openings, lease.
  // Permits that are out become late (S2).
  void force_open(instant now) noexcept { core_->force_open(now); }
  void disable(instant now) noexcept { core_->disable(now); }
  void metrics_only(instant now) noexcept { core_->metrics_only(now); }
  void automatic(instant now) noexcept { core_->automatic(now); }
  void reset(instant now) noexcept { core_->reset(now); }

  /// New settings for the living breaker: state, epoch, deadline and permits that are out survive. A window
  /// whose shape changed starts empty, and says so in an event. On an error nothing is changed.
  expected<void, std::vector<config_problem>> reconfigure(breaker_config const& config, instant now);

  /// Bytes of the state: block and window, without configuration, cells and observer.
  [[nodiscard]] std::size_t state_bytes() const noexcept;

  /// What layers are built on.
  [[nodiscard]] breaker_core<std_runtime>& core() noexcept { return *core_; }

 private:
  struct storage;
  explicit circuit_breaker(std::unique_ptr<storage> s) noexcept;

  std::unique_ptr<storage> storage_;
  breaker_core<std_runtime>* core_;
};

}  // namespace halfopen
