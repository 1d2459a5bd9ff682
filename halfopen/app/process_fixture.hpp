#pragma once

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <halfopen/base/temporary_folder_fixture.hpp>

namespace halfopen::app {

/// The built `halfopen` as a process of its own, with its output read through pipes.
class command_process {
 public:
  static constexpr int limit_ms = 60'000;  // for anything to happen; far above what is ever needed

  command_process(char const* program, std::filesystem::path const& folder,
                  std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program);
    std::vector<char*> argv;
    for (auto& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    std::array<std::array<int, 2>, 2> pipes{};
    for (auto& p : pipes)
      if (::pipe2(p.data(), O_CLOEXEC) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) become(argv, folder, pipes[0][1], pipes[1][1]);
    for (int i = 0; i < 2; ++i) {
      ::close(pipes[static_cast<std::size_t>(i)][1]);
      read_from_[static_cast<std::size_t>(i)] = pipes[static_cast<std::size_t>(i)][0];
    }
  }
  ~command_process() {
    if (pid_ > 0 && !ended_) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    for (int const fd : read_from_) ::close(fd);
  }
  command_process(command_process const&) = delete;
  command_process& operator=(command_process const&) = delete;

  void signal(int s) const { ::kill(pid_, s); }

  /// Reads until `text` has appeared on stderr, or on stdout.
  bool wait_for(std::string_view text) { return wait_for(text, 1); }
  bool wait_for_out(std::string_view text) { return wait_for(text, 0); }

  /// Reads to the end, and the exit code; -1 if it was killed or did not end in time.
  int end() {
    while (read_some()) continue;
    int status = 0;
    if (::waitpid(pid_, &status, 0) != pid_) return -1;
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  [[nodiscard]] std::string const& out() const { return text_[0]; }
  [[nodiscard]] std::string const& err() const { return text_[1]; }

 private:
  [[noreturn]] static void become(std::vector<char*> const& argv, std::filesystem::path const& folder,
                                  int out, int err) {
    if (::chdir(folder.c_str()) != 0) ::_exit(127);
    int const nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  bool wait_for(std::string_view text, std::size_t where) {
    while (text_[where].find(text) == std::string::npos)
      if (!read_some()) return text_[where].find(text) != std::string::npos;
    return true;
  }
  // False at the end of both, or when nothing came for too long (then the process is killed).
  bool read_some() {
    std::array<pollfd, 2> both{
        {{open_[0] ? read_from_[0] : -1, POLLIN, 0}, {open_[1] ? read_from_[1] : -1, POLLIN, 0}}};
    if (!open_[0] && !open_[1]) return false;
    if (::poll(both.data(), both.size(), limit_ms) <= 0) {
      ADD_FAILURE() << "nothing came for " << limit_ms << " ms; so far: " << out() << err();
      ::kill(pid_, SIGKILL);
      return false;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (both[i].revents == 0) continue;
      std::array<char, 4096> piece{};
      auto const n = ::read(read_from_[i], piece.data(), piece.size());
      if (n > 0)
        text_[i].append(piece.data(), static_cast<std::size_t>(n));
      else
        open_[i] = false;
    }
    return true;
  }

  pid_t pid_ = -1;
  bool ended_ = false;
  std::array<int, 2> read_from_{-1, -1};
  std::array<bool, 2> open_{true, true};
  std::array<std::string, 2> text_;
};

}  // namespace halfopen::app
