#include <algorithm>
#include <bit>
#include <utility>

#include <halfopen/proof/breaker_machine_model.hpp>

namespace halfopen::proof {

namespace {

using model = breaker_machine_model;
using value = breaker_value<6, 2>;

constexpr instant base{duration{1000}};  // "now", whenever a state is unpacked
constexpr std::uint32_t this_epoch = 16, older_epoch = 8;

std::int8_t relative(instant at, instant now, std::int64_t oldest) {
  if (at.is_never()) return model::never;
  return static_cast<std::int8_t>(std::max((at - now).count(), -oldest));
}
instant absolute(std::int8_t at) {
  return at == model::never ? instant::max() : base + duration{std::int64_t{at}};
}

/// One step of the machine in a world that is unpacked around it.
class world {
 public:
  world(model const& m, model::state& s) : m_{m}, s_{s} {
    v_.control.state = s.now;
    v_.control.epoch = this_epoch;
    v_.control.deadline = absolute(s.deadline);
    v_.control.since = absolute(s.since);
    v_.control.latest = base;
    v_.control.lease = duration{std::int64_t{s.lease}};
    v_.control.openings = s.openings;
    v_.control.neutrals = s.neutrals;
    v_.control.successes = s.successes;
    v_.control.would_trip = s.would_trip != 0;
    v_.failures_in_a_row = s.in_a_row;
    for (std::size_t i = 0; i < s.words.size(); ++i) v_.words[i] = s.words[i];
    for (std::size_t i = 0; i < 2; ++i) {
      if (s.lease_end[i] != model::never) v_.leases[i] = {base, absolute(s.lease_end[i])};
    }
    before_ = v_;
  }

  void tick() { now_ = base + duration{1}; }

  void acquire(std::uint8_t by, bool lost) {
    auto config = m_.config;
    if (m_.mutant == breaker_mutant::admits_one_probe_more) config.probes = config.required_successes = 2;
    if (m_.mutant == breaker_mutant::timer_leaves_forced_open && s_.now == breaker_state::forced_open) {
      v_.control.state = breaker_state::open;
      v_.control.deadline = base;
    }
    auto machine = v_.machine(config);
    auto const a = machine.admit(now_);
    hear(machine.story());
    if (s_.now == breaker_state::open && a.admitted && s_.not_before > 0) broken(3);
    if (!a.admitted) return;
    if (a.grant.is_probe() && m_.mutant == breaker_mutant::has_no_lease) {
      v_.leases[a.grant.slot].end = instant::max() - duration{1};
      v_.control.deadline = v_.leases[a.grant.slot].end;
    }
    forget_epoch();
    if (lost) {
      if (a.grant.is_probe()) s_.lost_slots = static_cast<std::uint8_t>(s_.lost_slots | 1U << a.grant.slot);
      return;
    }
    s_.callers[by] = {a.grant.is_probe() ? model::holds::probe : model::holds::call,
                      a.grant.is_probe() ? a.grant.slot : std::uint8_t{0}, 0};
  }

  void settle(std::uint8_t by, outcome how) {
    auto const held = std::exchange(s_.callers[by], {});
    bool const late = held.what == model::holds::late_call || held.what == model::holds::late_probe;
    bool const probe = held.what == model::holds::probe || held.what == model::holds::late_probe;
    breaker_grant g{late ? older_epoch : this_epoch, probe ? held.slot : breaker_grant::ordinary,
                    base - duration{std::int64_t{held.age}}};
    bool const neutral = how == outcome::ignored;
    if (m_.mutant == breaker_mutant::forgets_epochs) g.epoch = this_epoch, g.slot = free_of_mistake(g.slot);
    if (m_.mutant == breaker_mutant::keeps_abandoned_slots && probe && neutral) return;
    auto machine = v_.machine(m_.config);
    machine.settle(
        g, {.how = m_.mutant == breaker_mutant::counts_neutral_results && neutral ? outcome::success : how},
        now_);
    hear(machine.story());
    if (m_.mutant == breaker_mutant::success_in_open_closes && s_.now == breaker_state::open &&
        how == outcome::success) {
      v_.machine(m_.config).reset(now_);
    }
    if (m_.mutant == breaker_mutant::failure_in_open_extends && s_.now == breaker_state::open &&
        how == outcome::failure) {
      v_.control.deadline += duration{1};
    }
    if (late) {
      auto same = v_;
      same.control.lease = before_.control.lease;
      bool const may_lengthen = how == outcome::success && probe;
      if (s_.now == breaker_state::open &&
          (v_.control.state != s_.now || v_.control.deadline != before_.control.deadline))
        broken(5);
      if (same != before_ || v_.control.lease < before_.control.lease ||
          (v_.control.lease != before_.control.lease && !may_lengthen))
        broken(2);
    } else if (!neutral && !probe && counts(s_.now)) {
      count(how == outcome::failure);
    }
  }

  void lose(std::uint8_t by) {
    auto const held = std::exchange(s_.callers[by], {});
    if (held.what == model::holds::probe)
      s_.lost_slots = static_cast<std::uint8_t>(s_.lost_slots | 1U << held.slot);
  }

  template <class Order>
  void order(Order give) {
    by_operator_ = true;
    auto machine = v_.machine(m_.config);
    give(machine);
    hear(machine.story());
  }

  /// Packs the world again, one tick later or not. Returns whether a new epoch has begun.
  bool done() {
    auto const& c = v_.control;
    bool const fresh = c.epoch != this_epoch;
    if (is_operators(s_.now) && c.state != s_.now && !by_operator_) broken(7);
    check_story(fresh);
    forget_epoch();
    pack();
    return fresh;
  }

 private:
  static bool counts(breaker_state s) {
    return s == breaker_state::closed || s == breaker_state::metrics_only;
  }
  std::uint8_t free_of_mistake(std::uint8_t slot) const {
    return s_.now == breaker_state::half_open && slot == breaker_grant::ordinary ? std::uint8_t{0} : slot;
  }
  void broken(std::uint8_t rule) {
    if (s_.broken == 0) s_.broken = rule;
  }

  void hear(breaker_story const& story) {
    for (auto const& e : story) {
      if (m_.mutant == breaker_mutant::tells_no_reopening && e.from == breaker_state::half_open &&
          e.to == breaker_state::open)
        continue;
      events_[heard_++] = e;
    }
  }

  /// S6, and what the reference learns from events: a new epoch empties its window, open has a deadline.
  void check_story(bool fresh) {
    auto from = s_.now;
    auto epoch = this_epoch;
    for (std::size_t i = 0; i < heard_; ++i) {
      auto const& e = events_[i];
      if (e.kind != breaker_event_kind::transition) continue;
      if (e.from != from || e.epoch != ++epoch) broken(6);
      from = e.to;
      s_.seen_calls = s_.seen_failures = 0;
      s_.not_before = e.to == breaker_state::open ? relative(e.until, now_, 0) : std::int8_t{0};
      if (e.to == breaker_state::open && e.until < e.at + m_.config.open_for.initial) broken(3);
    }
    if (from != v_.control.state || epoch != v_.control.epoch) broken(6);
    if (fresh && m_.mutant == breaker_mutant::opens_without_deadline &&
        v_.control.state == breaker_state::open) {
      v_.control.deadline = now_;
    }
    if (fresh && m_.mutant == breaker_mutant::keeps_window_over_epochs)
      v_.failures_in_a_row = before_.failures_in_a_row;
  }

  /// The sequential window, and whether it says that the breaker must have opened.
  void count(bool failed) {
    auto const size = m_.config.window.count;
    auto const bits = (s_.seen_failures << 1 | (failed ? 1 : 0)) & ((1 << size) - 1);
    auto const calls = std::min<std::uint32_t>(s_.seen_calls + 1U, size);
    bool const in_a_row = m_.config.window.kind == window_kind::consecutive;
    auto const failures = static_cast<std::uint32_t>(std::popcount(static_cast<unsigned>(bits)));
    bool const trips =
        in_a_row ? calls == size && failures == size
                 : calls >= m_.config.minimum_calls && m_.config.failure_rate.reached_by(failures, calls);
    if (s_.now == breaker_state::closed && trips != (v_.control.state == breaker_state::open)) broken(8);
    s_.seen_calls = static_cast<std::uint8_t>(calls);
    s_.seen_failures = static_cast<std::uint8_t>(bits);
  }

  /// Permits of an epoch that is over are late ones; its lost probes no longer hold a slot.
  void forget_epoch() {
    if (v_.control.epoch == this_epoch || forgotten_) return;
    forgotten_ = true;
    s_.lost_slots = 0;
    for (auto& c : s_.callers) {
      if (c.what == model::holds::call) c.what = model::holds::late_call;
      if (c.what == model::holds::probe) c.what = model::holds::late_probe;
    }
  }

  void pack() {
    auto const& c = v_.control;
    auto const longest = m_.config.max_probe_timeout.count() + 1;
    auto const elapsed = static_cast<std::int8_t>((now_ - base).count());
    s_.now = c.state;
    // Beyond the maximum delay more openings make no difference, nor do older ages.
    s_.openings = static_cast<std::uint8_t>(std::min<std::uint32_t>(c.openings, 2));
    s_.neutrals = static_cast<std::uint8_t>(c.neutrals);
    s_.successes = c.successes;
    s_.would_trip = c.would_trip ? 1 : 0;
    s_.in_a_row =
        static_cast<std::uint8_t>(std::min<std::uint32_t>(v_.failures_in_a_row, m_.config.window.count));
    s_.lease = static_cast<std::int8_t>(c.lease.count());
    bool const half_open = c.state == breaker_state::half_open;
    auto const past = m_.config.open_for.maximum.count() + 1;
    bool const endless = c.deadline > now_ + duration{100};
    s_.deadline = endless ? model::never : relative(c.deadline, now_, half_open ? past : 0);
    s_.since = c.state == breaker_state::closed ? relative(c.since, now_, m_.config.reset_after.count())
                                                : std::int8_t{0};
    for (std::size_t i = 0; i < 2; ++i) {
      auto const end = std::min(v_.leases[i].end, now_ + duration{100});
      s_.lease_end[i] = v_.leases[i].is_live() ? relative(end, now_, past) : model::never;
    }
    for (std::size_t i = 0; i < s_.words.size(); ++i) s_.words[i] = static_cast<std::uint8_t>(v_.words[i]);
    if (!counts(c.state)) s_.seen_calls = s_.seen_failures = 0;
    for (auto& p : s_.callers) {
      if (p.what == model::holds::call || p.what == model::holds::late_call) p.age = 0;  // nobody asks for it
      if (p.what == model::holds::probe || p.what == model::holds::late_probe) {
        p.age = static_cast<std::int8_t>(std::min<std::int64_t>(p.age + elapsed, longest));
      }
      if (p.what == model::holds::late_probe) p.slot = 0;
    }
    if (c.state != breaker_state::open)
      s_.not_before = 0;
    else if (s_.not_before > 0 && heard_ == 0)
      s_.not_before = static_cast<std::int8_t>(s_.not_before - elapsed);
  }

  model const& m_;
  model::state& s_;
  value v_{};
  value before_{};
  instant now_ = base;
  bool by_operator_ = false;
  bool forgotten_ = false;
  std::array<breaker_event, 4> events_{};
  std::size_t heard_ = 0;
};

}  // namespace

breaker_config model::small(std::uint32_t probes, std::uint32_t required) {
  return {
      .window = consecutive{2},
      .open_for = {.initial = duration{1}, .multiplier = 2, .maximum = duration{2}, .jitter = jitter::none},
      .reset_after = duration{2},
      .probes = probes,
      .required_successes = required,
      .neutral_max = 1,
      .probe_timeout = duration{1},
      .max_probe_timeout = duration{2},
      .clock_resolution = duration{1}};
}

model::state model::first() const {
  value v{config, base};
  state s{};
  s.now = v.control.state;
  s.lease = static_cast<std::int8_t>(v.control.lease.count());
  s.deadline = never;
  s.lease_end = {never, never};
  return s;
}

bool model::step(state& s, std::uint32_t i, check::action_id& by) const {
  s.broken = 0;
  auto const who = static_cast<std::uint8_t>(i % 2);
  auto const held = s.callers[who].what;
  world w{*this, s};
  auto const ordered = [&](action a, auto give) {
    by = a;
    w.order(give);
  };
  // 0 tick, 1 visit, 2-3 acquire, 4-11 settle and lose, 12-16 the operator
  if (i == 0) {
    by = tick;
    w.tick();
  } else if (i == 1) {
    by = visit;
    w.acquire(0, true);
  } else if (i < 4) {
    if (who >= callers || held != holds::nothing) return false;
    by = acquire + 16U * who;
    w.acquire(who, false);
  } else if (i < 12) {
    if (held == holds::nothing) return false;
    constexpr std::array actions{success, failure, ignored, lose};
    by = actions[i / 2 - 2] + 16U * who;
    if (i >= 10)
      w.lose(who);
    else
      w.settle(who, std::array{outcome::success, outcome::failure, outcome::ignored}[i / 2 - 2]);
  } else if (operators && i <= 16) {
    switch (i) {
      case 12: ordered(force_open, [](breaker_machine& m) { m.force_open(base); }); break;
      case 13: ordered(disable, [](breaker_machine& m) { m.disable(base); }); break;
      case 14: ordered(metrics_only, [](breaker_machine& m) { m.metrics_only(base); }); break;
      case 15: ordered(automatic, [](breaker_machine& m) { m.automatic(base); }); break;
      default: ordered(reset, [](breaker_machine& m) { m.reset(base); }); break;
    }
  } else {
    return false;
  }
  if (w.done()) by += changes_epoch;
  return true;
}

/// S1: at most `probes` leases, and every slot that is taken has a holder, who may never report.
bool model::slots_match(state const& s) const {
  unsigned taken = 0, held = s.lost_slots, count = 0;
  for (unsigned i = 0; i < 2; ++i) {
    if (s.lease_end[i] != never) taken |= 1U << i, ++count;
  }
  for (auto const& c : s.callers) {
    if (c.what == holds::probe) held |= 1U << c.slot;
  }
  return count <= config.probes && taken == held;
}

/// S8, where the window counts.
bool model::window_matches(state const& s) const {
  if (s.now != breaker_state::closed && s.now != breaker_state::metrics_only) return true;
  if (config.window.kind == window_kind::consecutive) {
    return s.in_a_row ==
           std::min(static_cast<unsigned>(std::countr_one(static_cast<unsigned>(s.seen_failures))),
                    config.window.count);
  }
  return s.words[1] == s.seen_calls && s.words[2] == std::popcount(s.seen_failures);
}

}  // namespace halfopen::proof
