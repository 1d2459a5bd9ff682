#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <poll.h>
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

log_writer::log_writer(int fd, bool owned) : fd_{fd}, owned_{owned}, thread_{[this] { run(); }} {}

log_writer::~log_writer() {
  {
    std::lock_guard const lock{mutex_};
    ending_ = true;
  }
  more_.notify_one();
  thread_.join();
  if (owned_) ::close(fd_);
}

void log_writer::submit(std::string text, std::uint64_t lines) {
  {
    std::lock_guard const lock{mutex_};
    if (waiting_.size() >= chunks_max) {
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
    auto const n = ::write(fd_, rest.data(), rest.size());
    if (n > 0) {
      rest.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd wait{fd_, POLLOUT, 0};  // stdout may have been set non-blocking by whoever shares it
      ::poll(&wait, 1, 100);
    } else if (errno != EINTR) {
      dropped_.fetch_add(c.lines, std::memory_order_relaxed);
      return;
    }
  }
}

}  // namespace halfopen::gateway
