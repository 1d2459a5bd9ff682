#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <set>
#include <utility>

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <halfopen/base/assert.hpp>
#include <halfopen/gateway/file_watch.hpp>

namespace halfopen::gateway {
namespace {

constexpr int links_max = 40;

/// The folders in which something must happen before the path says something else: the one of the file, and
/// those of every link on the way there.
std::set<std::filesystem::path> folders_on_the_way(std::filesystem::path const& file) {
  std::set<std::filesystem::path> found;
  std::error_code fault;
  auto rest = std::filesystem::absolute(file, fault);
  for (int links = 0; links <= links_max; ++links) {
    auto at = rest.root_path();
    bool turned = false;
    for (auto part = std::next(rest.begin()); part != rest.end() && !turned; ++part) {
      auto const next = at / *part;
      if (std::filesystem::is_symlink(next, fault)) {
        found.insert(at);
        auto onward = at / std::filesystem::read_symlink(next, fault);
        for (auto after = std::next(part); after != rest.end(); ++after) onward /= *after;
        rest = std::move(onward);
        turned = true;
      } else {
        at = next;
      }
    }
    if (turned) continue;
    found.insert(at.parent_path());
    return found;
  }
  return found;
}

std::optional<std::string> text_of(std::filesystem::path const& file) {
  std::ifstream in{file, std::ios::binary};
  std::string text(file_watch::text_max, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || in.gcount() == 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(in.gcount()));
  text.shrink_to_fit();
  return text;
}

void take_all(int notices) {
  std::array<char, 4096> bytes{};
  while (::read(notices, bytes.data(), bytes.size()) > 0) continue;
}

}  // namespace

file_watch::file_watch(std::filesystem::path file)
    : file_{std::move(file)}, end_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
  invariant(static_cast<bool>(end_), "a process has room for another descriptor at its start");
  watch();
  text_ = text_of(file_);
}

void file_watch::start(std::function<void()> changed) {
  thread_ = std::thread{[this, changed = std::move(changed)] {
    ::pthread_setname_np(::pthread_self(), "ho-watch");
    while (wait()) look(changed);
  }};
}

void file_watch::stop() {
  std::uint64_t const one = 1;
  if (thread_.joinable() && ::write(end_.get(), &one, sizeof one) == sizeof one) thread_.join();
}

// Anew each time, since links lead elsewhere; before the file is read, so that no change falls in between.
void file_watch::watch() {
  notices_ = net::unique_fd{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  sees_all_ = static_cast<bool>(notices_);
  if (!notices_) return;
  constexpr std::uint32_t news = IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                                 IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;
  for (auto const& folder : folders_on_the_way(file_))
    if (::inotify_add_watch(notices_.get(), folder.c_str(), news) < 0) sees_all_ = false;
}

// False: it is over.
bool file_watch::wait() {
  if (!sees_all_) return wait_for(notices_, without_notice);
  return wait_for(notices_, duration::max()) && wait_for_quiet();
}

bool file_watch::wait_for_quiet() {
  auto const give_up = std::chrono::steady_clock::now() + quiet_most;
  while (std::chrono::steady_clock::now() < give_up) {
    take_all(notices_.get());
    if (!wait_for(notices_, quiet)) return false;
    pollfd more{notices_.get(), POLLIN, 0};
    if (::poll(&more, 1, 0) != 1) return true;
  }
  return true;
}

bool file_watch::wait_for(net::unique_fd const& notices, duration limit) const {
  std::array<pollfd, 2> both{{{end_.get(), POLLIN, 0}, {notices ? notices.get() : -1, POLLIN, 0}}};
  int const ms = limit == duration::max()
                     ? -1
                     : static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(limit).count());
  while (::poll(both.data(), both.size(), ms) < 0 && errno == EINTR) continue;
  return both[0].revents == 0;
}

void file_watch::look(std::function<void()> const& changed) {
  watch();
  auto now = text_of(file_);
  if (now == text_) return;
  text_ = std::move(now);
  changed();
}

}  // namespace halfopen::gateway
