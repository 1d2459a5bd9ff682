// The breaker against a second one, written from docs/breaker.md as plainly as can be: lists instead of
// counts, and nothing that is fast. Random settings, calls, outcomes, times and operators; the seed is in
// every failure's text.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <halfopen/base/random.hpp>
#include <halfopen/policy/backoff_delay.hpp>
#include <halfopen/policy/breaker_subject_fixture.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

struct plain_permit {
  std::uint32_t epoch;
  bool is_probe;
  instant granted;
};

class plain_model {
 public:
  explicit plain_model(breaker_config const& config) : c{config}, lease_length{config.probe_timeout} {}

  struct result {
    bool failed, slow;
    instant at;
  };

  breaker_config c;
  breaker_state state = breaker_state::closed;
  std::uint32_t epoch = 0;
  std::uint32_t openings = 0;
  instant since{};
  instant until = instant::max();
  duration lease_length;
  std::map<int, std::pair<instant, instant>> leases;  // of permit: granted, end
  std::uint32_t successes = 0;
  std::uint32_t neutrals = 0;
  std::vector<result> results;  // of this epoch
  std::map<int, plain_permit> out;
  std::uint32_t transitions = 0;

  std::string ask(int id, instant now) {
    if (state == breaker_state::half_open) {
      auto const end = earliest();
      if (end < now) {
        expire(end, 0s);
      } else if (leases.size() < c.probes && neutrals < c.neutral_max &&
                 successes + leases.size() < std::max(c.probes, c.required_successes)) {
        return probe(id, now);
      } else if (!leases.empty()) {
        return "probe_in_flight " + std::to_string((end - now).count());
      } else if (c.after_neutral == neutral_exit::closed) {
        close(now);
      } else {
        open(now, 0s);
      }
    }
    if (state == breaker_state::open) {
      if (now < until) return "open " + std::to_string((until - now).count());
      enter(breaker_state::half_open, now);
      return probe(id, now);
    }
    if (state == breaker_state::forced_open)
      return "forced_open " + std::to_string(c.forced_retry_after.count());
    out[id] = {epoch, false, now};
    return "ordinary";
  }

  void settle(int id, outcome how, instant now, duration retry_after) {
    auto const p = out.at(id);
    out.erase(id);
    if (p.epoch != epoch) {
      bool const recovering = state == breaker_state::open || state == breaker_state::half_open;
      if (p.is_probe && how == outcome::success && recovering && c.lease_learns) {
        lease_length =
            std::max(lease_length, std::min(now - p.granted + c.clock_resolution, c.max_probe_timeout));
      }
      return;
    }
    bool const neutral = how == outcome::ignored || how == outcome::abandoned;
    bool const slow = now - p.granted > c.slow_after;
    if (state == breaker_state::half_open) {
      instant const end = leases.at(id).second;
      leases.erase(id);
      if (neutral) {
        ++neutrals;
      } else if (how == outcome::failure && now >= end) {
        expire(end, retry_after);  // cut off by a driver that took the lease as the attempt's timeout
      } else if (how == outcome::failure || (slow && c.slow_probe_fails))
        open(now, how == outcome::failure ? retry_after : 0s);
      else if (++successes == c.required_successes)
        close(now);
      return;
    }
    if (neutral || state == breaker_state::disabled) return;
    results.push_back({how == outcome::failure, slow, now});
    if (state == breaker_state::closed && trips(now)) open(now, how == outcome::failure ? retry_after : 0s);
  }

  void force(breaker_state to, instant now) {
    if (state != to) enter(to, now);
  }
  void restart(instant now) {
    openings = 0;
    lease_length = c.probe_timeout;
    enter(breaker_state::closed, now);
  }

  [[nodiscard]] window_counts counts(instant now) const {
    std::vector<result> in;
    if (c.window.kind == window_kind::consecutive) {
      for (auto const& r : results) {
        if (!r.failed)
          in.clear();
        else
          in.push_back({true, false, r.at});
      }
    } else if (c.window.kind == window_kind::calls) {
      in.assign(results.end() - static_cast<long>(std::min<std::size_t>(results.size(), c.window.count)),
                results.end());
    } else {
      auto const bucket = [&](instant i) {
        return i.since_start().count() / (c.window.length.count() / c.window.count);
      };
      for (auto const& r : results) {
        if (bucket(r.at) > bucket(now) - std::int64_t{c.window.count}) in.push_back(r);
      }
    }
    window_counts sum;
    for (auto const& r : in) {
      ++sum.calls;
      sum.failures += r.failed;
      sum.slow += r.slow;
    }
    return sum;
  }

 private:
  [[nodiscard]] bool trips(instant now) const {
    auto const w = counts(now);
    if (c.window.kind == window_kind::consecutive) return w.failures >= c.window.count;
    return w.calls >= c.minimum_calls &&
           (w.failures * 100 >= c.failure_rate.value * w.calls ||
            (c.slow_rate.value != 0 && w.slow * 100 >= c.slow_rate.value * w.calls));
  }
  [[nodiscard]] instant earliest() const {
    instant end = instant::max();
    for (auto const& [id, l] : leases) end = std::min(end, l.second);
    return end;
  }
  std::string probe(int id, instant now) {
    leases[id] = {now, now + lease_length};
    out[id] = {epoch, true, now};
    return "probe " + std::to_string(lease_length.count());
  }
  void enter(breaker_state to, instant now) {
    state = to;
    ++epoch;
    ++transitions;
    since = now;
    until = instant::max();
    leases.clear();
    results.clear();
    successes = neutrals = 0;
  }
  void open(instant at, duration retry_after) {
    if (state == breaker_state::closed && at - since >= c.reset_after) openings = 0;
    ++openings;
    enter(breaker_state::open, at);
    auto const drawn = jittered_delay(c.open_for, openings, c.seed, epoch);
    until = at + std::max({drawn, duration{1 << 20}, std::min(retry_after, c.retry_after_max)});
  }
  void expire(instant at, duration retry_after) {
    if (c.lease_doubles) lease_length = std::min(lease_length * 2, c.max_probe_timeout);
    open(at, retry_after);
  }
  void close(instant at) {
    lease_length = c.probe_timeout;
    enter(breaker_state::closed, at);
  }
};

breaker_config random_settings(random_stream& chance) {
  auto const upto = [&](std::uint64_t n) { return static_cast<std::uint32_t>(1 + below(chance(), n)); };
  breaker_config c;
  switch (chance() % 3) {
    case 0: c.window = consecutive{upto(4)}; break;
    case 1: c.window = call_window{.size = 5 + upto(70)}; break;
    default: c.window = time_window{.length = 1s * 4 * upto(5), .buckets = 4}; break;
  }
  c.failure_rate = percent{static_cast<std::uint8_t>(upto(100))};
  c.slow_rate = percent{static_cast<std::uint8_t>(chance() % 2 == 0 ? 0 : upto(100))};
  c.slow_after = 3s;
  c.minimum_calls = upto(5);
  c.open_for = {
      .initial = 1s * upto(5), .multiplier = 2, .maximum = 60s, .jitter = static_cast<jitter>(chance() % 4)};
  c.reset_after = 1s * upto(30);
  c.retry_after_max = 1s * below(chance(), 20);
  c.probes = upto(3);
  c.required_successes = upto(3);
  c.neutral_max = upto(3);
  c.after_neutral = static_cast<neutral_exit>(chance() % 2);
  c.slow_probe_fails = chance() % 2 == 0;
  c.probe_timeout = 1s * upto(4);
  c.max_probe_timeout = c.probe_timeout * upto(8);
  c.lease_doubles = chance() % 2 == 0;
  c.lease_learns = chance() % 2 == 0;
  c.seed = chance();
  return c;
}

class both {
 public:
  explicit both(std::uint64_t seed)
      : chance{seed}, config{random_settings(chance)}, model{config}, subject{config} {}

  void step() {
    std::uint64_t const bits = chance();
    if (bits % 3 == 0)
      subject.after(std::chrono::milliseconds{below(chance(), bits % 30 == 0 ? 40'000 : 1'500)});
    if (bits % 97 == 0) operate(static_cast<unsigned>(chance() % 6));
    if ((bits >> 8) % 5 < 3)
      ask();
    else if (!permits.empty())
      settle(below(chance(), permits.size()), chance());
  }

  // A look at the window takes the lock and so shuts the lane beside it: it is taken only now and then.
  void agree() {
    ASSERT_EQ(subject.state(), model.state);
    if (chance() % 4 != 0) return;
    auto const s = subject.look();
    ASSERT_EQ(s.state, model.state);
    ASSERT_EQ(s.epoch, model.epoch);
    ASSERT_EQ(s.openings, model.openings);
    ASSERT_EQ(s.next_lease, model.lease_length);
    ASSERT_EQ(s.probes_out, model.leases.size());
    ASSERT_EQ(s.probe_successes, model.successes);
    ASSERT_EQ(s.neutral_results, model.neutrals);
    ASSERT_EQ(s.window, model.counts(subject.now()));
    ASSERT_EQ(subject.events.size(), model.transitions + would_trips());
    ASSERT_EQ(subject.totals().in_flight(), permits.size());  // S4
    if (s.state == breaker_state::open) {
      ASSERT_EQ(s.until, model.until);
    }
  }

  void ask() {
    int const id = next_id++;
    bool const expected_answer = subject.breaker.would_admit(subject.now());
    auto p = subject.ask();
    ASSERT_EQ(p.has_value(), expected_answer) << "would_admit";
    std::string said =
        !p ? std::string{name(p.error().why)} + " " + std::to_string(p.error().retry_after.count())
        : p->is_probe() ? "probe " + std::to_string((p->deadline() - subject.now()).count())
                        : "ordinary";
    ASSERT_EQ(said, model.ask(id, subject.now()));
    if (p) permits.emplace(id, *std::move(p));
  }

  random_stream chance;
  breaker_config config;
  plain_model model;
  breaker_subject subject;
  std::map<int, permit> permits;
  int next_id = 0;

 private:
  std::size_t would_trips() const { return subject.events.size() - subject.transitions().size(); }

  void settle(std::uint64_t which, std::uint64_t bits) {
    auto const it = std::next(permits.begin(), static_cast<long>(which));
    auto const how = bits % 8 < 4   ? outcome::success
                     : bits % 8 < 6 ? outcome::failure
                     : bits % 8 < 7 ? outcome::ignored
                                    : outcome::abandoned;
    auto const retry_after = 1s * ((bits >> 8) % 30);
    model.settle(it->first, how, subject.now(), retry_after);
    std::move(it->second).settle(how, subject.now(), retry_after);
    permits.erase(it);
  }

  void operate(unsigned what) {
    auto& b = subject.breaker;
    instant const now = subject.now();
    switch (what) {
      case 0: return b.force_open(now), model.force(breaker_state::forced_open, now);
      case 1: return b.disable(now), model.force(breaker_state::disabled, now);
      case 2: return b.metrics_only(now), model.force(breaker_state::metrics_only, now);
      case 3: return b.reset(now), model.restart(now);
      default: return b.automatic(now), model.restart(now);
    }
  }
};

TEST(circuit_breaker_model, agrees_with_the_plain_one_after_every_step) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    both b{seed};
    for (int i = 0; i < 400; ++i) {
      ASSERT_NO_FATAL_FAILURE(b.step()) << "seed=" << seed << " step=" << i;
      ASSERT_NO_FATAL_FAILURE(b.agree()) << "seed=" << seed << " step=" << i;
    }
    b.subject.expect_one_event_an_epoch();
  }
}

}  // namespace
}  // namespace halfopen
