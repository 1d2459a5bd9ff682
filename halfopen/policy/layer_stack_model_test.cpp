// Any order of start, done, wake and abandon that a driver may produce, over layers that do whatever the
// contract lets them. What must hold is written once, in contract_checked and in `driver` below.

#include <cstddef>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <halfopen/base/random.hpp>
#include <halfopen/policy/layer_contract.hpp>
#include <halfopen/policy/layer_stack.hpp>
#include <halfopen/policy/timeout.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

// Takes something at its start and owes it until its end. Does anything that the contract allows.
template <bool Forks>
class whimsical {
 public:
  static constexpr bool can_fork = Forks;

  whimsical(random_stream& chance, int& owed) : chance_{&chance}, owed_{&owed} {}

  step start(instant now, attempt& a, ended& e) {
    set_alarm(now);
    if (one_in(3)) a.deadline = a.deadline - 1ms;
    if (one_in(6)) a.probe = true, a.lease = now + 20ms;
    ++*owed_;
    if (Forks && !one_in(4)) return step::descend;
    if (one_in(4)) return wait();
    return one_in(5) ? refuse(e) : step::descend;
  }

  step done(instant now, ended& e) {
    if (std::exchange(beside_, false)) return one_in(2) ? complete() : step::stay;
    forked_ = false;
    if (!one_in(3)) return complete();
    if (e.result == result_class::cancelled && !aborted_) return complete();
    aborted_ = false;
    set_alarm(now);
    if (one_in(3)) return divert(e);
    return one_in(2) ? wait() : step::descend;
  }

  step wake(instant now, ended& e) {
    alarm_ = instant::max();
    if (!waiting_) {
      if (beside_) return step::stay;
      if (one_in(Forks ? 8 : 2)) return set_alarm(now), step::stay;
      if (Forks && !forked_) return forked_ = beside_ = true, step::fork;
      return aborted_ = true, step::abort_below;
    }
    waiting_ = false;
    switch (below((*chance_)(), 4)) {
      case 0: return set_alarm(now), wait();
      case 1: return refuse(e);
      case 2: return divert(e);
      default: return step::descend;
    }
  }

  [[nodiscard]] instant wake_at() const { return alarm_; }
  void abandon(instant) { complete(); }

 private:
  bool one_in(std::uint64_t n) { return below((*chance_)(), n) == 0; }

  void set_alarm(instant now) {
    if (Forks || one_in(2)) alarm_ = now + duration{below((*chance_)(), 8'000'000) + 1};
  }
  step wait() {
    waiting_ = true;
    return step::stay;
  }
  step divert(ended& e) {
    e.rung = static_cast<std::uint8_t>(1 + below((*chance_)(), 3));
    return step::divert;
  }
  step refuse(ended& e) {
    e = {.result = result_class::refused, .why = errc::open, .who = "whimsical"};
    return complete();
  }
  step complete() {
    waiting_ = aborted_ = forked_ = beside_ = false;
    alarm_ = instant::max();
    --*owed_;
    return step::complete;
  }

  random_stream* chance_;
  int* owed_;
  instant alarm_ = instant::max();
  bool waiting_ = false;
  bool aborted_ = false;
  bool forked_ = false;  // since it has last descended
  bool beside_ = false;  // and no branch has ended
};

// As many as there are, one of which forks, and behind them a second set of those inside it.
struct whimsical_layers {
  static constexpr std::size_t capacity = 9;
  static constexpr bool can_fork = true;
  using one = std::variant<contract_checked<whimsical<false>>, contract_checked<whimsical<true>>>;

  whimsical_layers(std::size_t size, std::size_t fork, random_stream& chance, int& owed)
      : chance_{&chance}, owed_{&owed}, size_{size} {
    for (std::size_t i = 0; i < size; ++i) all.push_back(fresh(i == fork));
    for (std::size_t i = fork + 1; i < size; ++i) all.push_back(fresh(false));
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  auto visit(std::size_t i, auto f) { return std::visit(f, all.at(i)); }
  auto visit(std::size_t i, auto f) const { return std::visit(f, all.at(i)); }
  whimsical_layers take_from(std::size_t first) {
    whimsical_layers taken = *this;
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto& stays = i < first || i >= size_ ? taken.all[i] : all[i];
      stays = fresh(stays.index() == 1);
    }
    return taken;
  }

  std::vector<one> all;

 private:
  [[nodiscard]] one fresh(bool forks) const {
    if (forks) return contract_checked{whimsical<true>{*chance_, *owed_}};
    return contract_checked{whimsical<false>{*chance_, *owed_}};
  }

  random_stream* chance_;
  int* owed_;
  std::size_t size_;
};

// Does to a call what any driver might do, and checks what every driver relies on.
class driver {
 public:
  explicit driver(std::uint64_t seed) : chance_{seed} {
    std::size_t const size = below(chance_(), 6);
    calls_.push_back(layer_stack{whimsical_layers{size, below(chance_(), size + 1), chance_, owed_}});
  }

  void run() {
    attempt a{.deadline = now_ + 1s};
    ended e;
    act(0, calls_[0].start(now_, a, e), e);
    for (int steps = 0; steps < 200 && running(); ++steps) one_act();
    for (auto& c : calls_) c.abandon(now_);
    EXPECT_EQ(owed_, 0) << "everything that was taken has been given back, once";
    for (auto const& c : calls_)
      for (auto const& l : c.layers().all)
        EXPECT_FALSE(std::visit([](auto const& w) { return w.in_call(); }, l));
  }

  int forks = 0;
  int second_answers = 0;

 private:
  void one_act() {
    now_ += duration{below(chance_(), 3'000'000)};
    std::size_t const i = below(chance_(), calls_.size());
    auto& c = calls_[i];
    if (c.over()) return;
    ended e;
    switch (below(chance_(), 12)) {
      case 0: return c.abandon(now_);
      case 1:
      case 2:
        if (c.probe_can_outlive(now_)) calls_.push_back(c.part_probe());
        return;
      case 3:
      case 4:
      case 5: {
        auto const branch = static_cast<std::uint8_t>(below(chance_(), 2));
        if (!calls_[i].in_flight(branch)) return;
        e.result = static_cast<result_class>(below(chance_(), 7));
        return act(i, calls_[i].done(now_, e, branch), e);
      }
      default: return act(i, calls_[i].wake(now_, e), e);
    }
  }

  void act(std::size_t i, step s, ended& e) {
    auto const& c = calls_[i];
    switch (s) {
      case step::descend:
        EXPECT_TRUE(c.in_flight(c.branch()));
        forks += c.branch();
        EXPECT_LT(c.below().rung, 4);
        EXPECT_FALSE(c.below().rung > 0 && c.probe_can_outlive(now_)) << "a rung is no probe";
        break;
      case step::stay: EXPECT_FALSE(c.over() && e.attempts > 99); break;
      case step::abort_below: EXPECT_TRUE(c.in_flight(c.branch())); break;
      case step::divert:
      case step::fork: ADD_FAILURE() << "a driver is never told so"; break;
      case step::complete:
        EXPECT_TRUE(c.over());
        EXPECT_FALSE(c.in_flight()) << "nothing is in flight when the call ends";
        EXPECT_TRUE(c.wake_at().is_never());
        second_answers += e.branch;
    }
  }

  [[nodiscard]] bool running() const {
    for (auto const& c : calls_)
      if (!c.over()) return true;
    return false;
  }

  random_stream chance_;
  int owed_ = 0;
  instant now_{1s};
  std::vector<layer_stack<whimsical_layers>> calls_;
};

TEST(layer_stack_model, gives_back_everything_under_any_order_of_events) {
  int forks = 0;
  int second_answers = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    SCOPED_TRACE("seed=" + std::to_string(seed));
    driver d{seed};
    d.run();
    if (testing::Test::HasFailure()) return;
    forks += d.forks;
    second_answers += d.second_answers;
  }
  EXPECT_GT(forks, 1'000) << "the test reaches what it is about";
  EXPECT_GT(second_answers, 100);
}

}  // namespace
}  // namespace halfopen
