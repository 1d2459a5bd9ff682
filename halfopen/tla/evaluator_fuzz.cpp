#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

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
  if (size == 0) return 0;
  auto s = load_text("---- MODULE M ----\nEXTENDS Integers, Sequences, FiniteSets\n====\n", "M.tla");
  if (!s) std::abort();
  auto const text = random_expression{std::span{data, size}.subspan(1)}.any(1 + data[0] % 4);
  auto const r = naive_evaluator::evaluated(*s, text, steps_max);
  if (r.naive && (!r.compiled || *r.compiled != *r.naive)) {
    std::fprintf(stderr, "%s\n%s\n", text.c_str(), r.problem.c_str());
    std::abort();
  }
  return 0;
}
