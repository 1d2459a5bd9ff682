#pragma once

#include <functional>
#include <initializer_list>
#include <memory>

namespace halfopen::app {

/// Turns signals into calls on a thread of its own.
///
/// Make it before any other thread, so that all of them inherit the blocked signals.
class signal_watch {
 public:
  explicit signal_watch(std::initializer_list<int> signals);
  ~signal_watch();
  signal_watch(signal_watch const&) = delete;
  signal_watch& operator=(signal_watch const&) = delete;

  /// From now on, each signal that arrives (those since construction too) is told to `told`, one after the
  /// other.
  void start(std::function<void(int)> told);

  /// After this nothing is told any more, and what `told` refers to may go.
  void stop();

 private:
  struct body;
  std::unique_ptr<body> body_;
};

}  // namespace halfopen::app
