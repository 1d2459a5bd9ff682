#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <halfopen/policy/call.hpp>
#include <halfopen/policy/pipeline.hpp>
#include <halfopen/policy/timeout.hpp>
#include <halfopen/policy/virtual_runtime.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

// Notes how each attempt was counted, and can be told to try again.
struct witness_layer {
  std::vector<ended>* seen;
  int* again;
  duration wait;
  instant alarm = instant::max();

  step start(instant, attempt&, ended&) { return step::descend; }
  step done(instant now, ended& e) {
    seen->push_back(e);
    if (--*again < 0) return step::complete;
    if (wait == duration::zero()) return step::descend;
    alarm = now + wait;
    return step::stay;
  }
  step wake(instant now, ended&) {
    if (now < alarm) return step::stay;
    alarm = instant::max();
    return step::descend;
  }
  [[nodiscard]] instant wake_at() const { return alarm; }
  void abandon(instant) { alarm = instant::max(); }
};

struct witness {
  std::vector<ended> seen;
  int again = 0;
  duration wait{};
  witness_layer make_layer() { return {&seen, &again, wait}; }
};

class blocking_call : public testing::Test {
 protected:
  instant now{1s};
  virtual_runtime time{now};
  witness counted;
  pipeline<witness&, timeout> pipe{counted, timeout{250ms}};
};

TEST_F(blocking_call, returns_what_the_operation_returns) {
  auto const r = call<int>(pipe, [](attempt) { return 42; }, classify_by_kind{}, time);
  ASSERT_TRUE(r.has_value());
  EXPECT_EQ(*r, 42);
  ASSERT_EQ(counted.seen.size(), 1U);
  EXPECT_EQ(counted.seen[0].result, result_class::success);
}

TEST_F(blocking_call, hands_the_operation_its_deadline_and_number) {
  counted.again = 1;
  std::vector<std::uint32_t> numbers;
  (void)call<void>(
      pipe,
      [&](attempt a) {
        EXPECT_EQ(a.deadline, now + 250ms);
        numbers.push_back(a.number);
      },
      classify_by_kind{}, time);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(blocking_call, counts_an_exception_once_as_a_failure_and_carries_it) {
  auto const r =
      call<int>(pipe, [](attempt) -> int { throw std::runtime_error{"no route"}; }, classify_by_kind{}, time);
  ASSERT_FALSE(r.has_value());
  EXPECT_EQ(r.error().why, errc::threw);
  EXPECT_THROW(std::rethrow_exception(r.error().cause), std::runtime_error);
  ASSERT_EQ(counted.seen.size(), 1U);
  EXPECT_EQ(counted.seen[0].result, result_class::failure);
}

TEST_F(blocking_call, keeps_the_operations_own_error) {
  auto const op = [](attempt) -> expected<int, std::string> { return unexpected<std::string>{"503"}; };
  auto const r = call<int>(pipe, op, classify_by_kind{}, time);
  ASSERT_FALSE(r.has_value());
  EXPECT_EQ(r.error().why, errc::failed);
  EXPECT_EQ(r.error().said, "503");
  EXPECT_EQ(counted.seen[0].result, result_class::failure);
}

TEST_F(blocking_call, passes_an_error_of_ours_through) {
  auto const op = [](attempt) -> expected<void, error> {
    return unexpected<error>{error{.why = errc::open, .who = "below"}};
  };
  auto const r = call<void>(pipe, op, classify_by_kind{}, time);
  ASSERT_FALSE(r.has_value());
  EXPECT_EQ(r.error().why, errc::open);
  EXPECT_EQ(r.error().who, "below");
}

TEST_F(blocking_call, asks_the_users_classification_and_returns_the_value_all_the_same) {
  auto const by_status = [](int const& status) -> verdict {
    return status == 429 ? verdict{result_class::throttled, 3s} : result_class::failure;
  };
  auto const r = call<int>(pipe, [](attempt) { return 429; }, by_status, time);
  ASSERT_TRUE(r.has_value());
  EXPECT_EQ(counted.seen[0].result, result_class::throttled);
  EXPECT_EQ(counted.seen[0].retry_after, 3s);
}

TEST_F(blocking_call, counts_a_throwing_classification_as_a_failure_of_the_call) {
  auto const throws = [](int const&) -> verdict { throw std::logic_error{"oops"}; };
  auto const r = call<int>(pipe, [](attempt) { return 1; }, throws, time);
  ASSERT_FALSE(r.has_value());
  EXPECT_EQ(r.error().why, errc::threw);
  EXPECT_EQ(counted.seen[0].result, result_class::failure);
}

TEST_F(blocking_call, classifies_an_exception_when_asked) {
  auto const ignores = [](std::exception_ptr const&) -> verdict { return result_class::ignored; };
  (void)call<int>(pipe, [](attempt) -> int { throw 1; }, ignores, time);
  EXPECT_EQ(counted.seen[0].result, result_class::ignored);
}

TEST_F(blocking_call, has_timed_out_when_the_operation_comes_back_too_late) {
  auto const r =
      call<int>(pipe, [&](attempt a) { return now = a.deadline + 1ns, 1; }, classify_by_kind{}, time);
  ASSERT_FALSE(r.has_value());
  EXPECT_EQ(r.error().why, errc::timed_out);
  EXPECT_EQ(r.error().who, "timeout");
  EXPECT_EQ(counted.seen[0].result, result_class::failure);
}

TEST_F(blocking_call, sleeps_no_longer_than_the_whole_call_may_take) {
  counted.again = 1;
  counted.wait = 10s;
  pipeline whole{timeout{800ms, "call"}, counted, timeout{250ms}};
  auto const r = call<int>(whole, [](attempt) -> int { throw 1; }, classify_by_kind{}, time);
  EXPECT_EQ(now, instant{1s} + 800ms);
  EXPECT_EQ(r.error().who, "call");
}

TEST_F(blocking_call, moves_a_result_that_cannot_be_copied) {
  auto r = call<std::unique_ptr<int>>(
      pipe, [](attempt) { return std::make_unique<int>(7); }, classify_by_kind{}, time);
  EXPECT_EQ(**r, 7);
}

TEST(pipeline, shares_what_has_a_name_and_owns_what_has_none) {
  witness named;
  pipeline p{named, timeout{1s}};
  static_assert(std::is_same_v<decltype(p), pipeline<witness&, timeout>>);
  (void)call<void>(p, [](attempt) {});
  EXPECT_EQ(named.seen.size(), 1U);
}

}  // namespace
}  // namespace halfopen
