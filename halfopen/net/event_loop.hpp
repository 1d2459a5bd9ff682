#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <halfopen/base/expected.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/net/io_error.hpp>
#include <halfopen/net/list_link.hpp>
#include <halfopen/net/poller.hpp>
#include <halfopen/net/scratch_area.hpp>
#include <halfopen/net/send_queue.hpp>
#include <halfopen/net/timer_wheel.hpp>

namespace halfopen::net {

/// A step to be run by the loop soon. Belongs to its owner; destroying it takes it back.
class ready_step : private list_link {
 public:
  using callback = void (*)(ready_step&);

  explicit ready_step(callback run) noexcept : run_{run} {}
  ~ready_step() { unlink(); }
  [[nodiscard]] bool queued() const noexcept { return !alone(); }

 private:
  friend class event_loop;
  callback run_;
};

[[nodiscard]] instant steady_now() noexcept;

struct loop_options {
  std::size_t scratch_size = 64 * 1024;
  std::size_t posted_max = 4096;
  bool ring = true;  // make receives and sends together in one call, where the kernel allows it
  instant (*clock)() noexcept = steady_now;
};

/// One thread's loop: descriptors, timers, and work posted from other threads.
///
/// Everything that belongs to a loop is used by its thread alone, except post() and stop().
class event_loop {
 public:
  [[nodiscard]] static expected<std::unique_ptr<event_loop>, io_error> make(loop_options = {});
  event_loop(event_loop const&) = delete;
  event_loop& operator=(event_loop const&) = delete;
  ~event_loop();

  /// Runs until stop(). Can be run again after it.
  void run();

  /// Waits once, for at most `longest`, and does all that is due.
  void run_once(duration longest);

  /// Threads: any. Takes effect when the current step ends.
  void stop() noexcept;

  /// Runs `work` on the loop's thread, in order of posting. False, and `work` is dropped, if posted_max wait.
  /// Threads: any. Work still waiting when the loop is destroyed is dropped.
  [[nodiscard]] bool post(std::function<void()> work);

  /// The instant at which the loop last woke: one clock reading for all that happened at once.
  [[nodiscard]] instant now() const noexcept { return now_; }
  [[nodiscard]] instant read_clock() noexcept { return now_ = options_.clock(); }

  [[nodiscard]] timer_wheel& timers() noexcept { return timers_; }

  /// Small sends that leave together when this turn ends.
  [[nodiscard]] send_queue& sends() noexcept { return sends_; }

  /// Bytes to read into; any step of the loop may use them, so they are yours until you suspend.
  [[nodiscard]] std::span<char> scratch() noexcept { return scratch_.window(); }
  [[nodiscard]] scratch_area& scratch_memory() noexcept { return scratch_; }

  [[nodiscard]] expected<void, io_error> watch(int fd, io_source& source) { return poller_.add(fd, source); }
  void unwatch(int fd, io_source const& source) noexcept { poller_.remove(fd, source); }

  void run_next(ready_step& step) noexcept;   // before the loop looks at the next descriptor
  void run_later(ready_step& step) noexcept;  // after every descriptor had its turn

  /// Whether the running step may do one more operation without giving the others a turn.
  [[nodiscard]] bool may_go_on() noexcept { return turn_left_ != 0 && --turn_left_ != 0; }

 private:
  static constexpr unsigned turn = 64;  // operations a step may do in a row

  class waker;
  event_loop(poller p, unique_fd wake, loop_options o);
  void run_ready();
  void run_posted();
  void run_later_steps();
  [[nodiscard]] duration wait_for(duration longest) const noexcept;

  loop_options options_;
  poller poller_;
  instant now_;
  timer_wheel timers_;
  scratch_area scratch_;
  call_batch calls_;
  send_queue sends_;
  read_ahead ahead_;
  list_link next_;
  list_link later_;
  unsigned turn_left_ = turn;
  std::unique_ptr<waker> waker_;

  std::atomic<bool> stop_{false};
  std::mutex posted_mutex_;
  std::vector<std::function<void()>> posted_;  // under posted_mutex_
  std::vector<std::function<void()>> running_;
};

}  // namespace halfopen::net
