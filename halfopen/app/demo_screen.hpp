#pragma once

#include <optional>
#include <string>

#include <halfopen/app/demo_inbox.hpp>
#include <halfopen/app/demo_story.hpp>
#include <halfopen/app/terminal.hpp>

namespace halfopen::app {

struct demo_addresses {
  std::string gateway;
  std::string admin;
  std::string upstream;
  std::string token_file;
};

/// Where the demo is shown: on a terminal, events above a line that changes in place; elsewhere, the events
/// alone, or a line of JSON each.
class demo_screen {
 public:
  demo_screen(bool json, terminal& t, instant start) : json_{json}, terminal_{t}, story_{t}, start_{start} {}

  void open();
  void show(demo_event const& e);
  /// Redraws the line that changes, when it is due.
  void refresh(instant now);
  [[nodiscard]] instant wake_at() const noexcept { return in_place() ? due_ : instant::max(); }
  void summarise();
  /// How to go on by hand.
  void invite(demo_addresses const& a);
  void close();

 private:
  [[nodiscard]] bool in_place() const noexcept { return terminal_.out_is_terminal && !json_; }
  void line(std::string const& text);
  void clear();
  void count(call_outcome o);
  void show_json(demo_event const& e);

  static constexpr duration between_frames = std::chrono::milliseconds{100};

  bool json_;
  terminal& terminal_;
  demo_story story_;
  instant start_;
  demo_counts counts_;
  instant probe_at_;
  instant due_;
};

}  // namespace halfopen::app
