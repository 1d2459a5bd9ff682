#include <halfopen/tla/builtin.hpp>
#include <halfopen/tla/compiler.hpp>

/// SelectSeq and SortSeq: operators of sequences that are given an operator.
namespace halfopen::tla {

/// An operator given as an argument, applied to values in the frame.
piece compiler::applied_to_slots(expr const& op, scope const& in, std::vector<std::uint32_t> const& slots) {
  auto inside = in;
  std::vector<expr const*> args;
  for (auto s : slots) {
    auto const& b = binders_.emplace_back(binder{.name = "(element)", .range = op.range});
    inside = with_slot(inside, b, s);
    auto& read = made_.emplace_back();
    read.kind = expr_kind::bound_name;
    read.bind = &b;
    read.range = op.range;
    args.push_back(&read);
  }
  return call(resolve_operator(op, in), args, inside, op);
}

piece compiler::select_seq(expr const& e, std::vector<expr const*> const& args, scope const& in) {
  auto const s = expression(*args[0], in);
  auto const slot = in.slots->take();
  auto const* body = args[1];
  auto const test = applied_to_slots(*body, in, {slot});
  auto on = test.on;
  on.drop_slot(slot);
  on.add(s.on);
  return {make([s = s.run, slot, test = test.run, body, &e](machine& m) {
            auto const all = s->run(m);
            value_list kept{m};
            for (auto v : sequence(m, e, all, "SelectSeq")) {
              m.frame[slot] = v;
              if (truth(m, *test, *body)) kept.push_back(v);
            }
            return m.v.tuple(kept.get());
          }),
          on};
}

piece compiler::sort_seq(expr const& e, std::vector<expr const*> const& args, scope const& in) {
  auto const s = expression(*args[0], in);
  auto const left = in.slots->take(), right = in.slots->take();
  auto const* body = args[1];
  auto const before = applied_to_slots(*body, in, {left, right});
  auto on = before.on;
  on.drop_slot(left);
  on.drop_slot(right);
  on.add(s.on);
  return {make([s = s.run, left, right, before = before.run, body, &e](machine& m) {
            auto const given = s->run(m);
            std::vector<value> sorted;
            for (auto v : sequence(m, e, given, "SortSeq")) {  // insertion: an order that is none still ends
              auto at = sorted.end();
              for (; at != sorted.begin(); --at) {
                m.frame[left] = v;
                m.frame[right] = *(at - 1);
                if (!truth(m, *before, *body)) break;
              }
              sorted.insert(at, v);
            }
            return m.v.tuple(sorted);
          }),
          on};
}

}  // namespace halfopen::tla
