#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halfopen::gateway {

/// Where an event stands: in which run of the gateway, and which it was in it. Its text goes to clients as
/// the id of a server-sent event and comes back as Last-Event-ID.
struct event_place {
  std::uint64_t run = 0;
  std::uint64_t number = 0;  // counts from 1

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<event_place> parse(std::string_view text) noexcept;
  friend bool operator==(event_place, event_place) = default;
};

struct hub_event {
  event_place at;
  std::string kind;  // "transition", "admin", "config", "storage", ...
  std::string data;  // JSON, one line
};

/// The gateway's events of late, for whoever watches. Bounded: who reads too slowly is told that there is a
/// gap.
///
/// Threads: any. Cost: a lock and a copy an event; nothing is told under the lock.
class event_hub {
 public:
  static constexpr std::size_t events_max = 4096;
  using notice = std::function<void()>;  // something has been published; must not wait

  explicit event_hub(std::uint64_t run) : run_{run} {}

  void publish(std::string kind, std::string data);

  struct batch {
    std::vector<hub_event> events;
    event_place last;  // ask for what comes after it
    bool gap = false;  // events between `after` and the first of these are gone
  };
  /// What came after `after`; after an event of another run, everything that is kept.
  [[nodiscard]] batch read(event_place after, std::size_t at_most) const;
  /// The place of the newest event.
  [[nodiscard]] event_place newest() const;

  /// Whom to tell. Replaces the one before; empty = nobody.
  void tell(notice n);

 private:
  std::uint64_t run_;
  mutable std::mutex mutex_;
  std::deque<hub_event> events_;
  std::uint64_t published_ = 0;
  std::shared_ptr<notice const> notice_;
};

/// Appends `e` in the form of a server-sent event.
void append_sse(std::string& out, hub_event const& e);

}  // namespace halfopen::gateway
