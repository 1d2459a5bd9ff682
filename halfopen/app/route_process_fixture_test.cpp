#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <halfopen/app/route_process_fixture.hpp>

namespace halfopen::route {

process::process(std::vector<std::string> const& command, std::filesystem::path const& out,
                 std::filesystem::path const& err) {
  std::vector<char*> arguments;
  for (auto const& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int const out_fd = ::open(out.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  int const err_fd = ::open(err.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  auto const parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {  // only what is safe between fork and exec in a program with threads
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(126);
    ::dup2(out_fd, STDOUT_FILENO);
    ::dup2(err_fd, STDERR_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(out_fd);
  ::close(err_fd);
  if (pid_ < 0) throw std::runtime_error{"fork"};
}

process& process::operator=(process&& other) noexcept {
  kill();
  pid_ = std::exchange(other.pid_, -1);
  status_ = other.status_;
  return *this;
}

process::~process() { kill(); }

void process::kill() {
  if (pid_ < 0 || status_) return;
  signal(SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  status_ = 128 + SIGKILL;
}

void process::signal(int number) const {
  if (pid_ > 0 && !status_) ::kill(pid_, number);
}

bool process::runs() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_)
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return !status_;
}

std::optional<int> process::wait(std::chrono::milliseconds limit) {
  if (!becomes_true([this] { return !runs(); }, limit)) return {};
  return status_;
}

std::string halfopen_command() {
  char const* const chosen = std::getenv("HALFOPEN_COMMAND");
  return chosen != nullptr ? chosen : HALFOPEN_COMMAND;
}

finished run_halfopen(std::vector<std::string> arguments) {
  temporary_folder f;
  arguments.insert(arguments.begin(), halfopen_command());
  process p{arguments, f / "out", f / "err"};
  auto const code = p.wait();
  return {code.value_or(-1), contents(f / "out"), contents(f / "err")};
}

}  // namespace halfopen::route
