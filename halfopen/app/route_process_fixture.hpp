#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include <halfopen/base/becomes_true_fixture.hpp>
#include <halfopen/base/temporary_folder_fixture.hpp>

/// What the route tests are made of. They start the real gateway, talk to it over sockets, and never look
/// inside. Nothing here waits without a limit, and a limit is reached only when something hangs.
namespace halfopen::route {

using namespace std::chrono_literals;

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
