#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/tla/naive_evaluator.hpp>
#include <halfopen/tla/random_expression.hpp>

namespace halfopen::tla {
namespace {

/// Where the naive evaluator has no value the compiled one may have one: it looks at less.
TEST(naive, agrees_with_the_compiled_evaluator_on_random_expressions) {
  std::size_t with_value = 0;
  for (std::uint64_t round = 0; round < 40; ++round) {
    naive_evaluator::pair_of_evaluators both;
    for (std::uint64_t i = 0; i < 100; ++i) {
      auto const seed = round * 1000 + i;
      auto const text = random_expression{seed}.any(static_cast<int>(1 + seed % 5));
      auto const r = both.evaluate(text);
      if (!r.naive) continue;
      ++with_value;
      ASSERT_TRUE(r.compiled) << "seed=" << seed << " " << text << "\n" << r.problem;
      ASSERT_TRUE(*r.compiled == *r.naive) << "seed=" << seed << " " << text;
    }
  }
  EXPECT_GT(with_value, 1000U);
}

}  // namespace
}  // namespace halfopen::tla
