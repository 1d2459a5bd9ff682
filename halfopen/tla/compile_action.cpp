#include <algorithm>

#include <halfopen/tla/compiler.hpp>

/// Actions and initial predicates. Each is compiled together with what follows it: running one makes it true
/// in every way it can be made true, and goes on after each.
namespace halfopen::tla {

act const* compiler::action(expr const& e, scope const& in, act const* then) {
  if (++depth_ > 3000) throw compile_error{"operators are expanded too deeply here", &e, true};
  auto const* a = counting_ == nullptr || in.enabled ? action_raw(e, in, then) : counted(e, in, then);
  --depth_;
  return a;
}

/// The same, with a count of how often it was asked, and of the ways in which it was true.
act const* compiler::counted(expr const& e, scope const& in, act const* then) {
  bool const joins = e.kind == expr_kind::apply && (e.def->primitive == primitive::conjunction ||
                                                    e.def->primitive == primitive::disjunction);
  if (joins) return action_raw(e, in, then);  // what it joins is counted
  auto& count = counting_->of(e);
  auto const* passed = make_act([&count, then](machine& m) {
    ++count.passed;
    return then->run(m);
  });
  auto const* a = action_raw(e, in, passed);
  return make_act([&count, a](machine& m) {
    ++count.entered;
    return a->run(m);
  });
}

act const* compiler::action_raw(expr const& e, scope const& in, act const* then) {
  switch (e.kind) {
    case expr_kind::apply:
      if (known_let(e, in) != nullptr) return test(e, in, then);
      return action_call(resolve(*e.def, e.through, in), e.args, in, e, then);
    case expr_kind::bound_name: {
      auto const* n = lookup(*e.bind, in, e);
      if (n->what == environment::sort::op) return action_call(resolve_operator(e, in), e.args, in, e, then);
      if (n->what != environment::sort::alias) return test(e, in, then);
      return action(*n->e, n->in.argument_at(in), then);
    }
    case expr_kind::declared:
      if (e.decl->arity == 0) {
        if (auto const [body, inside] = seen_through(e, in); body != &e) return action(*body, inside, then);
        return test(e, in, then);
      }
      return action_call(resolve_constant(*e.decl, in, e), e.args, in, e, then);
    case expr_kind::exists: return exists_action(e, in, then);
    case expr_kind::forall: return forall_action(e, in, then);
    case expr_kind::case_of: return case_action(e, in, then);
    case expr_kind::if_then_else: {
      note_step_without_name();
      auto const spine = std::exchange(on_spine_, false);
      auto const cond = expression(*e.args[0], in);
      auto const *yes = action(*e.args[1], in, then), *no = action(*e.args[2], in, then);
      on_spine_ = spine;
      return make_act([t = cond.run, yes, no, at = e.args[0]](machine& m) {
        return truth(m, *t, *at) ? yes->run(m) : no->run(m);
      });
    }
    case expr_kind::let: {
      std::vector<std::uint32_t> resets;
      auto const inner = with_lets(e, in, resets, true);
      return resetting(resets, action(*e.args[0], inner, then));
    }
    case expr_kind::square: {
      note_step_without_name();
      auto const spine = on_spine_;
      auto const* a = action(*e.args[0], in, then);
      on_spine_ = spine;
      auto const* same = unchanged(e, *e.args[1], in, then);
      return make_act([a, same](machine& m) { return a->run(m) || same->run(m); });
    }
    case expr_kind::angle: {
      auto next = in;
      next.primed = true;
      auto const before = expression(*e.args[1], in), after = expression(*e.args[1], next);
      auto const* changed = make_act([b = before.run, a = after.run, &e, then](machine& m) {
        auto const old = b->run(m), fresh = a->run(m);
        m.at = &e;
        return !m.v.equal(old, fresh) && then->run(m);
      });
      return action(*e.args[0], in, changed);
    }
    default: return test(e, in, then);
  }
}

act const* compiler::test(expr const& e, scope const& in, act const* then) {
  note_step_without_name();
  auto const p = expression(e, in);
  return make_act([run = p.run, &e, then](machine& m) { return truth(m, *run, e) && then->run(m); });
}

act const* compiler::resetting(std::vector<std::uint32_t> slots, act const* body) {
  if (slots.empty()) return body;
  return make_act([slots = std::move(slots), body](machine& m) {
    for (auto s : slots) m.frame[s] = value{};
    return body->run(m);
  });
}

act const* compiler::labelled_action(expr const& e, scope const& in, std::string name, act const* then) {
  auto const id = static_cast<std::uint32_t>(labels_.size());
  labels_.push_back({.name = std::move(name), .at = &e});
  on_spine_ = true;
  auto const* a = action(e, in, then);
  on_spine_ = false;
  labels_[id].has_steps = std::exchange(step_without_name_, false);
  return make_act([id, a](machine& m) {
    m.action = id;
    return a->run(m);
  });
}

act const* compiler::labelled(definition const& d, scope const& body, act const* then) {
  action_label label{.name = std::string{d.name}, .at = d.body};
  for (auto const* p : d.params) {
    if (p->arity > 0) continue;
    expr& read = reads_.emplace_back();
    read.kind = expr_kind::bound_name;
    read.bind = p;
    read.range = d.range;
    try {
      label.args.push_back(expression(read, body).run);
    } catch (compile_error const&) {
      label.args.clear();
      break;
    }
  }
  auto const id = static_cast<std::uint32_t>(labels_.size());
  labels_.push_back(std::move(label));
  return make_act([id, then](machine& m) {
    auto const outer = std::exchange(m.action, id);
    bool const stop = then->run(m);
    m.action = outer;
    return stop;
  });
}

act const* compiler::action_call(callee const& t, std::vector<expr const*> const& args, scope const& use,
                                 expr const& at, act const* then) {
  if (t.replaced != nullptr) return test(at, use, then);
  if (t.constant != nullptr) {
    auto const r = std::ranges::find(binding_.replacements, t.constant, &replacement::constant);
    if (r == binding_.replacements.end() || r->by.def == nullptr) return test(at, use, then);
    auto by = replacement_target(*r);
    by.in = by.in.used_at(use);
    return action_call(by, args, use, at, then);
  }
  std::vector<std::uint32_t> resets;
  if (t.lambda != nullptr) {
    auto in = t.in;
    in.slots = use.slots;
    in = with_arguments(t.lambda->bounds[0].names, args, in, use, resets, true);
    return resetting(resets, action(*t.lambda->args[0], in, then));
  }
  auto const& d = *t.def;
  if (d.primitive != primitive::none) return action_primitive(at, d.primitive, args, use, then);
  if (d.body == nullptr || d.is_function) return test(at, use, then);
  if (d.recursive) {
    bool const assigns = d.level >= level::action || (use.init && d.level >= level::state);
    return assigns ? recursive_action(t, args, use, at, then) : test(at, use, then);
  }
  auto in = t.in;
  in.slots = use.slots;
  in = with_arguments(d.params, args, in, use, resets, true);
  if (!on_spine_) return resetting(resets, action(*d.body, in, then));
  auto const outer = std::exchange(step_without_name_, false);
  auto const* body = action(*d.body, in, then);
  on_spine_ = true;
  auto const* named = labelled(d, in, body);
  labels_.back().has_steps = std::exchange(step_without_name_, outer);
  return resetting(resets, named);
}

act const* compiler::action_primitive(expr const& e, primitive p, std::vector<expr const*> const& args,
                                      scope const& in, act const* then) {
  auto const spine = on_spine_;
  if (p != primitive::disjunction && (p != primitive::conjunction || args.size() > 1))
    note_step_without_name();
  switch (p) {
    case primitive::conjunction:
      on_spine_ = spine && args.size() == 1;
      for (auto i = args.size(); i-- > 0;) then = action(*args[i], in, then);
      on_spine_ = spine;
      return then;
    case primitive::disjunction: {
      std::vector<act const*> ways;
      for (auto const* a : args) {
        ways.push_back(action(*a, in, then));
        on_spine_ = spine;
      }
      return make_act([ways](machine& m) {
        for (auto const* w : ways) {
          if (w->run(m)) return true;
        }
        return false;
      });
    }
    case primitive::implication: {
      on_spine_ = false;
      auto const cond = expression(*args[0], in);
      auto const* then_too = action(*args[1], in, then);
      on_spine_ = spine;
      return make_act([t = cond.run, then_too, then, at = args[0]](machine& m) {
        return truth(m, *t, *at) ? then_too->run(m) : then->run(m);
      });
    }
    case primitive::equal:
      if (auto const x = assigned_variable(*args[0], in); x >= 0) {
        return assign(e, static_cast<std::uint32_t>(x), *args[1], in, then);
      }
      return test(e, in, then);
    case primitive::in:
      if (auto const x = assigned_variable(*args[0], in); x >= 0) {
        return assign_from(e, static_cast<std::uint32_t>(x), *args[1], in, then);
      }
      return test(e, in, then);
    case primitive::unchanged: return in.init ? test(e, in, then) : unchanged(e, *args[0], in, then);
    case primitive::compose: return composed(e, args, in, then);
    case primitive::prime: {
      // (A \/ B)' and the like: nothing in it is assigned.
      return test(e, in, then);
    }
    default: return test(e, in, then);
  }
}

}  // namespace halfopen::tla
