#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>

#include <netdb.h>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/resolver.hpp>

namespace halfopen::net {
namespace {

using answer = resolver::answer;

io_error from_resolver(int code, int system) noexcept {
  switch (code) {
    case EAI_NONAME:
#ifdef EAI_NODATA
    case EAI_NODATA:
#endif
      return {io_errc::name_unknown, 0};
    case EAI_SYSTEM: return {io_errc::name_failed, system};
    case EAI_MEMORY: return {io_errc::no_descriptors, ENOMEM};
    default: return {io_errc::name_failed, 0};
  }
}

answer ask_system(std::string const& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  int const code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (code != 0) return unexpected{from_resolver(code, errno)};
  std::vector<endpoint> all;
  for (auto const* each = found; each != nullptr; each = each->ai_next)
    if (each->ai_family == AF_INET || each->ai_family == AF_INET6)
      all.emplace_back(each->ai_addr, static_cast<socklen_t>(each->ai_addrlen));
  ::freeaddrinfo(found);
  if (all.empty()) return unexpected{io_error{io_errc::name_unknown, 0}};
  return all;
}

}  // namespace

/// What the loops and the thread share. Lives until both have let go of it.
class resolver::shared : public std::enable_shared_from_this<shared> {
 public:
  /// One who waits. `owner` belongs to the loop's thread, all else to the mutex.
  struct waiter {
    event_loop& loop;
    lookup* owner;
  };

  explicit shared(resolver_options o) : options{std::move(o)} {
    if (!options.look_up) options.look_up = ask_system;
  }

  /// The answer if it is known, else nothing: `w` will be told.
  std::optional<answer> ask(std::string const& host, instant now, std::shared_ptr<waiter> const& w) {
    std::lock_guard const lock{mutex};
    auto const found = entries_.find(host);
    if (found != entries_.end() && found->second.known && now < found->second.expires)
      return found->second.known;
    if (found == entries_.end() && entries_.size() >= options.cache_max && !make_room(now))
      return unexpected{io_error{io_errc::busy, 0}};
    auto& entry = entries_[host];
    if (!entry.asked) {
      if (queue_.size() >= options.queue_max) return unexpected{io_error{io_errc::busy, 0}};
      queue_.push_back(host);
      entry.asked = true;
      wake.notify_one();
    }
    entry.waiting.push_back(w);
    return std::nullopt;
  }

  /// After this the loop is not touched for `w` any more.
  void forget(std::string const& host, std::shared_ptr<waiter> const& w) {
    std::lock_guard const lock{mutex};
    auto const found = entries_.find(host);
    if (found != entries_.end()) std::erase(found->second.waiting, w);
  }

  void work() {
    std::unique_lock lock{mutex};
    for (;;) {
      idle = true;
      wake.wait(lock, [this] { return stopping || !queue_.empty(); });
      idle = false;
      if (stopping) return;
      std::string const host = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      answer fresh = options.look_up(host);
      lock.lock();
      tell(host, std::move(fresh));
    }
  }

  resolver_options options;
  std::mutex mutex;
  std::condition_variable wake;
  bool stopping = false;
  bool idle = false;

 private:
  struct entry {
    std::optional<answer> known;
    instant expires = instant::min();
    instant stale = instant::min();
    bool asked = false;  // in the queue_, or with the thread
    std::vector<std::shared_ptr<waiter>> waiting;
  };

  bool make_room(instant now) {
    auto const spent = std::find_if(entries_.begin(), entries_.end(), [&](auto const& e) {
      return !e.second.asked && e.second.expires <= now;
    });
    auto const victim = spent != entries_.end() ? spent
                                                : std::find_if(entries_.begin(), entries_.end(),
                                                               [](auto const& e) { return !e.second.asked; });
    if (victim == entries_.end()) return false;
    entries_.erase(victim);
    return true;
  }

  void tell(std::string const& host, answer fresh);

  std::unordered_map<std::string, entry> entries_;
  std::deque<std::string> queue_;
};

/// One wait for an answer, in the frame of resolve().
class resolver::lookup : private timer, private ready_step {
 public:
  lookup(std::shared_ptr<shared> s, event_loop& loop, std::string const& host, instant deadline)
      : timer{[](timer& self, instant) {
          static_cast<lookup&>(self).end(unexpected{io_error{io_errc::timed_out, 0}});
        }},
        ready_step{[](ready_step& self) { static_cast<lookup&>(self).waiting_.resume(); }},
        shared_{std::move(s)},
        loop_{loop},
        host_{host},
        deadline_{std::min(deadline, loop.now() + shared_->options.wait_max)},
        waiter_{std::make_shared<shared::waiter>(shared::waiter{loop, this})} {}
  lookup(lookup const&) = delete;
  lookup& operator=(lookup const&) = delete;
  ~lookup() {
    waiter_->owner = nullptr;
    shared_->forget(host_, waiter_);
  }

  [[nodiscard]] bool await_ready() {
    result_ = shared_->ask(host_, loop_.now(), waiter_);
    return result_.has_value();
  }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    waiting_ = waiting;
    loop_.timers().arm(*this, deadline_);
  }
  answer await_resume() { return std::move(*result_); }

  void end(answer result) {
    if (result_) return;
    timer::cancel();
    result_ = std::move(result);
    loop_.run_next(*this);
  }

 private:
  std::shared_ptr<shared> shared_;
  event_loop& loop_;
  std::string const& host_;
  instant deadline_;
  std::shared_ptr<shared::waiter> waiter_;
  std::optional<answer> result_;
  std::coroutine_handle<> waiting_;
};

void resolver::shared::tell(std::string const& host, answer fresh) {
  auto& e = entries_[host];
  instant const now = steady_now();
  e.asked = false;
  if (fresh) {
    e.expires = now + options.ttl;
    e.stale = now + options.stale_max;
    e.known = std::move(fresh);
  } else {
    // An outage of the name service is no reason to forget where a service was; a name that is gone is.
    bool const keep = fresh.error().why != io_errc::name_unknown && e.known && *e.known && now < e.stale;
    if (!keep) e.known = std::move(fresh);
    e.expires = now + options.failure_ttl;
  }
  for (auto& w : std::exchange(e.waiting, {})) {
    auto deliver = [w, result = *e.known]() mutable {
      if (w->owner != nullptr) w->owner->end(std::move(result));
    };
    (void)w->loop.post(std::move(deliver));  // a loop with no room for it lets the wait run into its deadline
  }
}

resolver::resolver(resolver_options options)
    : shared_{std::make_shared<shared>(std::move(options))}, worker_{[s = shared_] { s->work(); }} {}

resolver::~resolver() {
  bool idle = false;
  {
    std::lock_guard const lock{shared_->mutex};
    shared_->stopping = true;
    idle = shared_->idle;
  }
  shared_->wake.notify_one();
  if (idle)
    worker_.join();
  else
    worker_.detach();  // in a lookup that may last half a minute; it ends by itself and holds what it needs
}

task<answer> resolver::resolve(event_loop& loop, std::string host, std::uint16_t port, instant deadline) {
  if (auto const numeric = endpoint::parse(host, port)) co_return std::vector{*numeric};
  if (host.empty() || host.size() > NI_MAXHOST) co_return unexpected{io_error{io_errc::bad_address, 0}};
  answer found = co_await lookup{shared_, loop, host, deadline};
  if (found)
    for (auto& each : *found) each.set_port(port);
  co_return found;
}

}  // namespace halfopen::net
