#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include <halfopen/tla/naive_evaluator.hpp>
#include <halfopen/tla/random_expression.hpp>

/// Each input is the choices of an expression: where the naive evaluator has a value, the compiled one has
/// the same; elsewhere it has a value or an error, and never crashes.
///
/// The work has a bound: what takes the naive one too many steps is left out, and so is a large expression on
/// which it gives up, since the compiled one may look at what follows.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace halfopen::tla;
  constexpr std::uint64_t steps_max = 20000;
  constexpr int rounds = 500;  // with one pair: it keeps every text and value
  static std::optional<naive_evaluator::pair_of_evaluators> both;
  static int round = 0;
  if (size == 0) return 0;
  if (round++ % rounds == 0) both.emplace();
  auto const text = random_expression{std::span{data, size}.subspan(1)}.any(1 + data[0] % 4);
  auto const r = both->evaluate(text, steps_max);
  if (r.naive && (!r.compiled || *r.compiled != *r.naive)) {
    std::fprintf(stderr, "%s\n%s\n", text.c_str(), r.problem.c_str());
    std::abort();
  }
  return 0;
}
