#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <halfopen/gateway/log_writer.hpp>

namespace halfopen::gateway {

expected<std::unique_ptr<log_writer>, std::string> log_writer::open(std::filesystem::path const& where) {
  if (where == "stdout") return std::make_unique<log_writer>(STDOUT_FILENO, false);
  if (where == "stderr") return std::make_unique<log_writer>(STDERR_FILENO, false);
  int const fd = ::open(where.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (fd < 0) return unexpected<std::string>{where.string() + ": " + std::strerror(errno)};
  return std::make_unique<log_writer>(fd, true);
}

namespace {

bool is_file(int fd) {
  struct stat about{};
  return ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

}  // namespace

log_writer::log_writer(int fd, bool owned, std::size_t chunks)
    : fd_{fd}, owned_{owned}, may_block_{!is_file(fd)}, chunks_{chunks}, thread_{[this] { run(); }} {}

log_writer::~log_writer() {
  {
    std::lock_guard const lock{mutex_};
    ending_ = true;
    end_by_ = std::chrono::steady_clock::now() + std::chrono::seconds{1};
  }
  more_.notify_one();
  thread_.join();
  if (owned_) ::close(fd_);
}

void log_writer::submit(std::string text, std::uint64_t lines) {
  {
    std::lock_guard const lock{mutex_};
    if (waiting_.size() >= chunks_) {
      dropped_.fetch_add(lines, std::memory_order_relaxed);
      return;
    }
    waiting_.push_back({std::move(text), lines});
  }
  more_.notify_one();
}

std::string log_writer::take() {
  std::lock_guard const lock{mutex_};
  if (spare_.empty()) return {};
  auto text = std::move(spare_.back());
  spare_.pop_back();
  return text;
}

void log_writer::run() {
  std::unique_lock lock{mutex_};
  while (true) {
    more_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    auto c = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    write(c);
    c.text.clear();
    lock.lock();
    if (spare_.size() < 8) spare_.push_back(std::move(c.text));
  }
}

void log_writer::write(chunk const& c) {
  std::string_view rest = c.text;
  while (!rest.empty()) {
    bool const ready = !may_block_ || takes_more();
    auto const n = ready ? ::write(fd_, rest.data(),
                                   may_block_ ? std::min<std::size_t>(rest.size(), PIPE_BUF) : rest.size())
                         : -1;
    if (n > 0) {
      rest.remove_prefix(static_cast<std::size_t>(n));
    } else if (!ready || (errno != EINTR && errno != EAGAIN)) {
      dropped_.fetch_add(c.lines, std::memory_order_relaxed);
      return;
    }
  }
}

// Waits until a write of PIPE_BUF bytes would not. False: the end has come, and nobody reads.
bool log_writer::takes_more() {
  for (;;) {
    bool over = false;
    {
      std::lock_guard const lock{mutex_};
      over = ending_ && std::chrono::steady_clock::now() >= end_by_;
    }
    pollfd wait{fd_, POLLOUT, 0};
    if (::poll(&wait, 1, over ? 0 : 100) > 0) return true;
    if (over) return false;
  }
}

}  // namespace halfopen::gateway
