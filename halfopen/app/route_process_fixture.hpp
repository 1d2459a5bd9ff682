#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

/// What the route tests are made of. They start the real gateway, talk to it over sockets, and never look
/// inside. Nothing here waits without a limit, and a limit is reached only when something hangs.
namespace halfopen::route {

using namespace std::chrono_literals;

/// 20 s, or the milliseconds that HALFOPEN_TEST_LIMIT says: for runs that are meant to fail.
[[nodiscard]] std::chrono::milliseconds limit_of_tests();
inline std::chrono::milliseconds const long_enough = limit_of_tests();

/// Polls until `true_now` holds. For what nothing announces.
[[nodiscard]] bool becomes_true(std::function<bool()> const& true_now,
                                std::chrono::milliseconds limit = long_enough);

/// A folder of its own that goes away with the test: in memory where there is such a place.
class folder {
 public:
  folder();
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;
  ~folder();
  [[nodiscard]] std::filesystem::path operator/(std::string const& name) const { return path_ / name; }
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string contents(std::filesystem::path const& file);
void write(std::filesystem::path const& file, std::string const& text);

/// A program that runs. Killed with the object, and by the kernel if the test dies first.
class process {
 public:
  /// Both outputs go to files, so that the program never waits for a reader.
  process(std::vector<std::string> const& command, std::filesystem::path const& out,
          std::filesystem::path const& err);
  process(process&& other) noexcept : pid_{std::exchange(other.pid_, -1)}, status_{other.status_} {}
  process& operator=(process&& other) noexcept;
  ~process();

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  [[nodiscard]] bool runs();
  /// The exit code, 128 + signal if a signal ended it, or nothing if it still runs after `limit`.
  [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds limit = long_enough);
  void kill();

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
};

/// Where the gateway under test is: of this build, or what HALFOPEN_COMMAND says (the mutants' tests say so).
[[nodiscard]] std::string halfopen_command();

/// Runs the command to its end.
struct finished {
  int code = -1;  // -1: it did not end
  std::string out;
  std::string err;
};
[[nodiscard]] finished run_halfopen(std::vector<std::string> arguments);

}  // namespace halfopen::route
