#include <halfopen/tla/compiler.hpp>

namespace halfopen::tla {

piece compiler::let(expr const& e, scope const& in) {
  std::vector<std::uint32_t> resets;
  auto const inner = with_lets(e, in, resets, false);
  auto body = expression(*e.args[0], inner);
  for (auto s : resets) body.on.drop_slot(s);
  if (resets.empty()) return body;
  return {make([resets, run = body.run](machine& m) {
            for (auto s : resets) m.frame[s] = value{};
            return run->run(m);
          }),
          body.on};
}

scope compiler::with_lets(expr const& let, scope in, std::vector<std::uint32_t>& resets, bool action) {
  std::vector<environment*> open;  // what is recursive sees all definitions of its LET
  auto const push = [&](environment entry) {
    in.names = bind(std::move(entry), in.names);
    for (auto* o : open) o->in.names = in.names, o->mark = in.slots->used;
  };
  auto const push_unexpanded = [&](definition const& d) {
    push({.what = environment::sort::let, .def = &d, .in = in, .mark = in.slots->used});
    auto* const entry = &environments_.back();
    entry->in.names = entry;
    return entry;
  };
  for (auto const* d : let.lets) {
    if (d->recursive) open.push_back(push_unexpanded(*d));
  }
  for (auto* o : open) o->in.names = in.names;
  for (auto const* d : let.lets) {
    if (d->recursive) continue;
    if (!d->params.empty() || d->is_function) {
      push_unexpanded(*d);
      continue;
    }
    auto inside = in;
    inside.owner = d->owner;
    piece p;
    try {
      p = expression(*d->body, inside);
    } catch (compile_error const&) {  // told when it is used
      push_unexpanded(*d);
      continue;
    }
    if (action && p.on.next) {
      push_unexpanded(*d);
      continue;
    }
    environment entry{.what = environment::sort::ready, .def = d, .e = d->body, .in = inside, .run = p};
    if (!is_cheap(p)) {
      entry.what = environment::sort::lazy;
      entry.slot = in.slots->take();
      resets.push_back(entry.slot);
    }
    push(entry);
  }
  return in;
}

scope compiler::with_open_lets(expr const& let, scope in) {
  auto const* outer = in.names;
  for (auto const* d : let.lets) in.names = bind({.what = environment::sort::let, .def = d}, in.names);
  for (auto* n = const_cast<environment*>(in.names); n != outer; n = const_cast<environment*>(n->rest))
    n->in = in;
  return in;
}

}  // namespace halfopen::tla
