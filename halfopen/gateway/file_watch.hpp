#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <halfopen/base/time.hpp>
#include <halfopen/net/unique_fd.hpp>

namespace halfopen::gateway {

/// Tells when a file says something else than before: written in place, replaced by another of its name,
/// gone, or reached over a link that leads elsewhere now (the way in which Kubernetes updates a ConfigMap).
///
/// What is compared is the text: a file that was touched, or written as it was, is no news. Changes that
/// follow each other closely are told once. Where the system refuses to tell of changes (its limit of inotify
/// instances, a folder that is gone), the file is looked at every second.
class file_watch {
 public:
  static constexpr duration quiet = std::chrono::milliseconds{200};  // before one looks
  static constexpr duration quiet_most = std::chrono::seconds{2};    // while it never gets quiet
  static constexpr duration without_notice = std::chrono::seconds{1};
  static constexpr std::size_t text_max = std::size_t{2} << 20;  // compared

  /// Remembers what the file says now: make it before you read the file yourself, and nothing is missed.
  explicit file_watch(std::filesystem::path file);
  ~file_watch() { stop(); }
  file_watch(file_watch const&) = delete;
  file_watch& operator=(file_watch const&) = delete;

  /// From now on `changed` is told, on a thread of its own, one call at a time.
  void start(std::function<void()> changed);
  /// After this nothing is told any more. Waits for a call that is under way.
  void stop();

 private:
  void watch();
  [[nodiscard]] bool wait();
  [[nodiscard]] bool wait_for_quiet();
  [[nodiscard]] bool wait_for(net::unique_fd const& notices, duration limit) const;
  void look(std::function<void()> const& changed);

  std::filesystem::path file_;
  net::unique_fd end_;
  net::unique_fd notices_;           // empty: the system does not tell
  bool sees_all_ = false;            // every folder on the way to the file is watched
  std::optional<std::string> text_;  // what it said last; nothing = it could not be read
  std::thread thread_;
};

}  // namespace halfopen::gateway
