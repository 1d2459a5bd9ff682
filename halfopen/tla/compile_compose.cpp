#include <algorithm>
#include <memory>

#include <halfopen/tla/compiler.hpp>

namespace halfopen::tla {

/// A \cdot B: a step of A to a state between, and a step of B from there.
act const* compiler::composed(expr const& e, std::vector<expr const*> const& args, scope const& in,
                              act const* then) {
  if (args.size() != 2) throw compile_error{"\\cdot of more than two actions: use parentheses", &e, true};
  if (in.primed)
    throw compile_error{
        "\\cdot makes a step of two, so it cannot stand under a prime or in an initial predicate", &e, true};
  struct between {
    value const* now = nullptr;  // outside of it
    value* next = nullptr;
    std::uint64_t number = 0;
  };
  auto const state = std::make_shared<between>();
  auto const spine = std::exchange(on_spine_, false);
  auto const* leave = make_act([state, then](machine& m) {
    auto const* const mid = std::exchange(m.now, state->now);
    auto const number = std::exchange(m.state_number, state->number);
    auto const kept = *state;
    bool const stop = then->run(m);
    *state = kept;
    m.now = mid;
    m.state_number = number;
    return stop;
  });
  auto second = in;
  second.world = ++worlds_;
  auto const* b = action(*args[1], second, leave);
  auto const* cross = make_act([state, b, n = variables_, &e](machine& m) {
    std::vector<value> const mid(m.next, m.next + n);
    if (!std::ranges::all_of(mid, &value::is_set_yet))
      fail(m, e, "the first action of \\cdot gives no value to some variable");
    auto const* const outer_now = std::exchange(m.now, mid.data());
    auto* const own = std::exchange(m.next, state->next);
    auto const number = m.state_number;
    m.state_number = ++m.states_between;
    bool const stop = b->run(m);
    m.now = outer_now;
    m.next = own;
    m.state_number = number;
    return stop;
  });
  auto const* a = action(*args[0], in, cross);
  on_spine_ = spine;
  return make_act([state, a](machine& m) {
    std::vector<value> row(m.variables);
    auto const outer = std::exchange(*state, between{m.now, m.next, m.state_number});
    m.next = row.data();
    bool const stop = a->run(m);
    m.next = state->next;
    *state = outer;
    return stop;
  });
}

}  // namespace halfopen::tla
