#include <algorithm>
#include <memory>

#include <halfopen/tla/compiler.hpp>

/// Actions with several ways: quantifiers and CASE.
namespace halfopen::tla {

act const* compiler::exists_action(expr const& e, scope const& in, act const* then) {
  auto inner = in;
  needs on;
  auto all = loops(e.bounds, inner, on, e);
  auto const* body = action(*e.args[0], inner, then);
  if (all.size() == 1 && !all[0].tuple) {
    return make_act([set = all[0].set.run, slot = all[0].slots[0], at = all[0].at, body](machine& m) {
      auto const from = set->run(m);
      m.at = at;
      if (!is_set(from)) fail(m, *at, "a bound wants a set, not " + m.v.described(from));
      return m.v.each(from, [&](value v) {
        m.frame[slot] = v;
        return body->run(m);
      });
    });
  }
  return make_act([all, body](machine& m) { return each(m, all, [&] { return body->run(m); }); });
}

/// A conjunction whose length is known only when it runs.
act const* compiler::forall_action(expr const& e, scope const& in, act const* then) {
  struct progress {  // of the innermost run
    std::vector<std::vector<value>> const* rows = nullptr;
    std::size_t at = 0;
  };
  note_step_without_name();
  auto const spine = std::exchange(on_spine_, false);
  auto inner = in;
  needs on;
  auto all = loops(e.bounds, inner, on, e);
  auto const state = std::make_shared<progress>();
  struct holder {
    act const* body = nullptr;
  };
  auto const self = std::make_shared<holder>();
  std::vector<std::uint32_t> slots;
  for (auto const& l : all) slots.insert(slots.end(), l.slots.begin(), l.slots.end());
  auto const* step = make_act([state, self, slots, then](machine& m) {
    auto const mine = *state;
    auto const back = [&] {
      *state = mine;
      if (mine.at > 0) {
        for (std::size_t i = 0; i < slots.size(); ++i) m.frame[slots[i]] = (*mine.rows)[mine.at - 1][i];
      }
    };
    if (mine.at == mine.rows->size()) {
      bool const stop = then->run(m);
      back();
      return stop;
    }
    for (std::size_t i = 0; i < slots.size(); ++i) m.frame[slots[i]] = (*mine.rows)[mine.at][i];
    state->at = mine.at + 1;
    bool const stop = self->body->run(m);
    back();
    return stop;
  });
  self->body = action(*e.args[0], inner, step);
  on_spine_ = spine;
  return make_act([all, slots, state, step](machine& m) {
    std::vector<std::vector<value>> rows;
    each(m, all, [&] {
      std::vector<value> row;
      for (auto s : slots) row.push_back(m.frame[s]);
      rows.push_back(std::move(row));
      return false;
    });
    auto const outer = std::exchange(*state, progress{&rows, 0});
    bool const stop = step->run(m);
    *state = outer;
    return stop;
  });
}

act const* compiler::case_action(expr const& e, scope const& in, act const* then) {
  note_step_without_name();
  auto const spine = std::exchange(on_spine_, false);
  std::vector<code const*> tests;
  std::vector<act const*> arms;
  for (std::size_t i = 0; i + 1 < e.args.size(); i += 2) {
    tests.push_back(expression(*e.args[i], in).run);
    arms.push_back(action(*e.args[i + 1], in, then));
  }
  auto const* other = e.args.size() % 2 == 1 ? action(*e.args.back(), in, then) : nullptr;
  on_spine_ = spine;
  return make_act([tests, arms, other, &e](machine& m) {
    for (std::size_t i = 0; i < tests.size(); ++i) {
      if (truth(m, *tests[i], *e.args[2 * i])) return arms[i]->run(m);
    }
    if (other == nullptr) fail(m, e, "no arm of the CASE is true");
    return other->run(m);
  });
}

}  // namespace halfopen::tla
