#include <algorithm>
#include <exception>
#include <thread>

#include <halfopen/check/crew.hpp>
#include <halfopen/tla/counterexample.hpp>
#include <halfopen/tla/graph_dump.hpp>
#include <halfopen/tla/liveness.hpp>
#include <halfopen/tla/prepare.hpp>
#include <halfopen/tla/resume.hpp>
#include <halfopen/tla/vacuity.hpp>
#include <halfopen/tla/verify.hpp>

namespace halfopen::tla {

namespace {

using expressions = std::vector<given_expression>;

std::string listed(std::vector<diagnostic> const& problems) {
  std::string text;
  for (auto const& d : problems) text += to_string(d) + "\n";
  return text;
}

/// A search or a walk that ended at something wrong.
struct wrong {
  check::verdict found;
  int property;
  std::vector<check::trace_step> const& trace;
  std::string const& message;
};

report told(wrong const& w, model& m, expressions const& also) {
  report r;
  switch (w.found) {
    case check::verdict::holds:
    case check::verdict::not_finished: return r;
    case check::verdict::invariant_broken:
      r.property = m.invariant_name(w.property);
      r.how = m.is_initial_property(w.property) ? ending::property_broken : ending::invariant_broken;
      r.message = (r.how == ending::invariant_broken ? "The invariant " : "The property ") + r.property +
                  " is broken.";
      break;
    case check::verdict::step_broken:
      r.property = m.step_property_name(w.property);
      r.how = ending::property_broken;
      r.message = "The last step breaks the property " + r.property + ".";
      break;
    case check::verdict::deadlock:
      r.how = ending::deadlock;
      r.message =
          "Deadlock: no step is possible from the last state. If the spec may end there, say CHECK_DEADLOCK "
          "FALSE "
          "in the configuration, or --no-deadlock.";
      break;
    case check::verdict::cannot_evaluate:
      r.how = ending::cannot_evaluate;
      r.message = w.message;
      break;
  }
  if (!w.trace.empty()) r.way = counterexample(w.trace, m, also);
  if (r.way) r.way->property = r.property;
  return r;
}

report simulated(prepared& p, verification const& what, expressions const& also) {
  auto const& how = *what.simulate;
  auto& m = *p.model;
  auto const w =
      check::simulate(m, {.first = how.first,
                          .count = how.count,
                          .depth = how.depth,
                          .seed = how.seed,
                          .check_deadlock = what.check_deadlock && p.binding.check_deadlock.value_or(true),
                          .stop = what.stop_at.stop,
                          .progress = what.walk_progress});
  auto r = told({w.found, w.property, w.trace, w.message}, m, also);
  r.walks = walked{w.counts, how, w.found == check::verdict::not_finished ? 0 : w.walk};
  r.counts.generated = w.counts.generated;
  r.counts.depth = w.counts.longest;
  if (w.stopped) {
    r.how = ending::not_finished;
    r.message = "Not finished: the limit on time was reached. Nothing wrong was found until then.";
  }
  if (what.coverage) r.covered = coverage_of(m, nullptr);
  if (r.how == ending::holds && w.counts.generated == 0)
    r.message = "warning: the initial predicate has no state";
  return r;
}

report refused_with_symmetry() {
  return {.how = ending::bad_config,
          .message =
              "error: a temporal property cannot be checked with SYMMETRY or VIEW: states that they make one "
              "may differ in it, so a broken property may look whole, and a whole one broken. Leave out "
              "SYMMETRY or VIEW here, or add --force-liveness to take that risk"};
}

check::workers team(verification const& what) {
  constexpr check::state_id large = 4096;                 // states from which more threads pay
  constexpr std::size_t reserve = std::size_t{16} << 20;  // of stack, for what is not evaluation
  auto all = what.workers;
  all.stack_bytes = what.stack_bytes + reserve;
  if (all.count != 0) return all;
  all.count = std::thread::hardware_concurrency();
  all.from_states = large;
  return all;
}

report explored(prepared& p, verification const& what, expressions const& also) {
  auto& m = *p.model;
  bool const temporal = !m.temporal_properties().empty();
  bool const forced = temporal && m.has_key();
  if (forced && !what.force_liveness) return refused_with_symmetry();
  auto const checkpoint = checkpoint_for(p, what);
  auto const found =
      check::explore(m, {.check_deadlock = what.check_deadlock && p.binding.check_deadlock.value_or(true),
                         .keep_graph = temporal || what.coverage,
                         .stop_at = what.stop_at,
                         .workers = team(what),
                         .checkpoint = checkpoint,
                         .progress = what.progress});
  auto const* graph = found.states ? &*found.states : nullptr;
  auto const covered = what.coverage ? std::optional{coverage_of(m, graph)} : std::nullopt;
  auto r = told({found.found, found.property, found.trace, found.message}, m, also);
  r.counts = found.counts;
  r.covered = covered;
  if (found.found == check::verdict::not_finished) {
    r.how = ending::not_finished;
    bool const interrupted = what.interrupted && what.interrupted();
    r.message = (interrupted ? "Interrupted after " + std::to_string(r.counts.distinct) +
                                   " distinct states, depth " + std::to_string(r.counts.depth)
                             : "Not finished: the limit on " + found.message + " was reached") +
                ". Nothing wrong was found until then.";
  }
  tell_of_checkpoint(checkpoint, found, r);
  if (r.how != ending::holds) return r;
  if (auto const l = temporal ? broken_temporal_property(m, *found.states) : std::nullopt) {
    r.how = ending::property_broken;
    r.property = l->property;
    r.message = "The property " + r.property + " is broken by this behaviour.";
    if (l->stutters())
      r.message +=
          " Nothing forces a step from the last state: a fairness condition may be missing (WF, SF).";
    if (forced)
      r.message += " With SYMMETRY or VIEW that may be wrong: look whether it is one of the spec's.";
    r.way = counterexample(*l, *found.states, m, also);
    return r;
  }
  m.set_statistics({r.counts.distinct, r.counts.generated, 0, r.counts.depth});
  if (auto const name = m.broken_postcondition(); !name.empty()) {
    r.how = ending::assumption_false;
    r.property = name;
    r.message = "The postcondition " + name + " is false.";
    return r;
  }
  if (r.counts.distinct == 0) r.message = "warning: the initial predicate has no state";
  bool const all_seen = found.checkpoint.resumed_at == 0;  // else only what came after
  if (what.warnings && r.counts.distinct != 0 && all_seen) r.diagnostics = vacuous_parts(p, what, graph);
  return r;
}

graph_written dumped(prepared& p, graph_wanted const& how) {
  auto const g = reachable_graph(*p.model, how.states_max);
  (how.as_json ? write_json : write_dot)(*how.to, g, *p.model, p.spec.root().name);
  return {g.states.size(), g.steps.size(), g.complete};
}

/// What the verdict does not cover.
void add_warnings(prepared const& p, verification const& what, report& r) {
  auto const doubtful = doubtful_settings(p, what);
  r.diagnostics.insert(r.diagnostics.begin(), doubtful.begin(), doubtful.end());
  auto const& m = *p.model;
  auto const warn = [&](goal const& g, std::string code, std::string found, std::string wanted,
                        std::string hint) {
    r.diagnostics.push_back({what.config.empty() ? config_beside(what.spec) : what.config, g.at,
                             severity::warning, std::move(code), std::move(found), std::move(wanted),
                             std::move(hint)});
  };
  auto const temporal = [&](goal const& g) {
    return std::ranges::any_of(m.temporal_properties(), [&](located const& l) { return l.name == g.name; });
  };
  for (auto const& g : p.binding.properties) {
    if (!temporal(g)) continue;
    if (what.simulate)
      warn(g, "check.simulation", g.name + ", which is about behaviours that never end",
           "a search of every state", "random walks say nothing of it: leave out --simulate");
    if (what.force_liveness && m.has_key())
      warn(g, "check.forced", g.name + " with SYMMETRY or VIEW", "neither of them",
           "states that they make one may differ in it: the answer may be wrong either way");
  }
}

expected<expressions, std::vector<diagnostic>> compiled_expressions(prepared& p,
                                                                    std::vector<std::string> const& given) {
  expressions all;
  for (auto const& text : given) {
    auto e = given_expression::make(p.spec, *p.model, text);
    if (!e) return unexpected<std::vector<diagnostic>>{e.error()};
    all.push_back(std::move(*e));
  }
  return all;
}

}  // namespace

std::string to_text(report const& r, trace_form form) {
  auto text = r.message.empty() ? "" : r.message + "\n";
  if (r.way && r.how == ending::cannot_evaluate) text += "The states on the way there:\n";
  return text + (r.way ? to_string(*r.way, form) : "") + listed(r.diagnostics);
}

report verify(verification const& what) {
  auto const opened = prepare(what);
  if (!opened) return opened.error();
  auto& p = **opened;
  auto const also = compiled_expressions(p, what.trace_expressions);
  if (!also) return {.how = ending::bad_spec, .diagnostics = also.error()};
  report r;
  try {
    p.model->check_assumptions();
    if (p.model->has_behaviours()) r = what.simulate ? simulated(p, what, *also) : explored(p, what, *also);
    if (what.dump_graph && p.model->has_behaviours()) r.graph = dumped(p, *what.dump_graph);
    if (r.way) r.way->spec = p.spec.root().name;
    if (what.warnings && r.how != ending::bad_config) add_warnings(p, what, r);
    r.diagnostics.insert(r.diagnostics.begin(), p.binding.warnings.begin(), p.binding.warnings.end());
  } catch (refusal const& refusal) {
    r = refused(refusal);
  } catch (check::checkpoint_refused const& e) {
    return {.how = ending::bad_config,
            .message = "error: " + e.why + ": remove it, or name another folder for --checkpoint"};
  } catch (check::cannot_evaluate const& e) {
    return {.how = ending::cannot_evaluate, .message = e.why};
  }
  r.output = p.model->take_output();
  return r;
}

void with_stack(std::size_t bytes, std::function<void()> f) {
  std::exception_ptr failed;
  {
    check::deep_thread const runs{bytes, [&] {
                                    try {
                                      f();
                                    } catch (...) {
                                      failed = std::current_exception();
                                    }
                                  }};
  }
  if (failed) std::rethrow_exception(failed);
}

}  // namespace halfopen::tla
