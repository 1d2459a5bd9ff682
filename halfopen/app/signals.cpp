#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <thread>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <halfopen/app/signals.hpp>
#include <halfopen/base/assert.hpp>

namespace halfopen::app {

struct signal_watch::body {
  sigset_t before{};
  int signals = -1;
  int end = -1;
  std::thread thread{};

  void watch(std::function<void(int)> const& told) const {
    std::array<pollfd, 2> both{{{signals, POLLIN, 0}, {end, POLLIN, 0}}};
    for (;;) {
      if (::poll(both.data(), both.size(), -1) < 0 && errno != EINTR) return;
      if (both[1].revents != 0) return;
      signalfd_siginfo info{};
      if (both[0].revents != 0 && ::read(signals, &info, sizeof info) == sizeof info)
        told(static_cast<int>(info.ssi_signo));
    }
  }
};

signal_watch::signal_watch(std::initializer_list<int> signals) : body_{std::make_unique<body>()} {
  sigset_t set;
  sigemptyset(&set);
  for (int const s : signals) sigaddset(&set, s);
  ::pthread_sigmask(SIG_BLOCK, &set, &body_->before);
  body_->signals = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  body_->end = ::eventfd(0, EFD_CLOEXEC);
  invariant(body_->signals >= 0 && body_->end >= 0,
            "a process has room for two more descriptors at its start");
}

void signal_watch::start(std::function<void(int)> told) {
  body_->thread = std::thread{[b = body_.get(), told = std::move(told)] { b->watch(told); }};
}

void signal_watch::stop() {
  std::uint64_t const one = 1;
  if (body_->thread.joinable() && ::write(body_->end, &one, sizeof one) == sizeof one) body_->thread.join();
}

signal_watch::~signal_watch() {
  stop();
  ::close(body_->signals);
  ::close(body_->end);
  ::pthread_sigmask(SIG_SETMASK, &body_->before, nullptr);
}

}  // namespace halfopen::app
