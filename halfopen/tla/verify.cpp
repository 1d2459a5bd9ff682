#include <exception>
#include <stdexcept>

#include <pthread.h>

#include <halfopen/tla/config.hpp>
#include <halfopen/tla/liveness.hpp>
#include <halfopen/tla/model.hpp>
#include <halfopen/tla/spec.hpp>
#include <halfopen/tla/verify.hpp>

namespace halfopen::tla {

namespace {

std::string listed(std::vector<diagnostic> const& problems) {
  std::string text;
  for (auto const& d : problems) text += to_string(d) + "\n";
  return text;
}

std::string config_beside(std::string const& spec) {
  auto const dot = spec.ends_with(".tla") ? spec.size() - 4 : spec.size();
  return spec.substr(0, dot) + ".cfg";
}

report refused(refusal const& r) {
  switch (r.what) {
    case refusal::kind::config: return {.how = ending::bad_config, .text = r.message + "\n"};
    case refusal::kind::semantic: return {.how = ending::bad_spec, .text = r.message + "\n"};
    case refusal::kind::evaluation: return {.how = ending::cannot_evaluate, .text = r.message + "\n"};
    case refusal::kind::assumption: return {.how = ending::assumption_false, .text = r.message + "\n"};
  }
  return {};
}

/// A lasso as a trace: the stem, the loop, and where it goes back to.
std::string to_text(lasso const& l, check::graph const& g, model& m) {
  std::vector<check::trace_step> trace;
  for (auto s : l.states) {
    auto const r = g.state(s);
    trace.push_back({{r.begin(), r.end()}, check::no_action});
  }
  auto const by = [&](check::state_id from, check::state_id to) {
    for (auto const& step : g.steps(from)) {
      if (step.to == to) return step.by;
    }
    return check::no_action;
  };
  for (std::size_t i = 1; i < trace.size(); ++i) trace[i].by = by(l.states[i - 1], l.states[i]);
  auto text = check::to_text(trace, m);
  auto const number = std::to_string(trace.size() + 1);
  if (l.stutters()) {
    auto const back = by(l.states.back(), l.states.back());
    return text + "State " + number + ": Stuttering" +
           (back == check::no_action ? "" : " or " + m.action_name(back)) + "\n";
  }
  auto const last = g.state(l.states.back()), first = g.state(l.states[l.back]);
  return text + "Back to state " + std::to_string(l.back + 1) + ": <" +
         m.step_name(last, first, by(l.states.back(), l.states[l.back])) + ">\n";
}

report explored(model& m, binding const& b, verification const& what) {
  report r;
  bool const temporal = !m.temporal_properties().empty();
  if (temporal && m.has_key()) {
    return {.how = ending::bad_config,
            .text =
                "error: a temporal property cannot be checked with SYMMETRY or VIEW: states that they make "
                "one may differ in it\n"};
  }
  check::options how{.check_deadlock = what.check_deadlock && b.check_deadlock.value_or(true),
                     .keep_graph = temporal,
                     .stop_at = what.stop_at,
                     .progress = what.progress};
  auto found = check::explore(m, how);
  r.counts = found.counts;
  auto const trace = [&] { return check::to_text(found.trace, m); };
  switch (found.found) {
    case check::verdict::holds: break;
    case check::verdict::invariant_broken:
      r.property = m.invariant_name(found.property);
      r.how = m.is_initial_property(found.property) ? ending::property_broken : ending::invariant_broken;
      r.text = (r.how == ending::invariant_broken ? "The invariant " : "The property ") + r.property +
               " is broken.\n" + trace();
      return r;
    case check::verdict::step_broken:
      r.property = m.step_property_name(found.property);
      r.how = ending::property_broken;
      r.text = "The last step breaks the property " + r.property + ".\n" + trace();
      return r;
    case check::verdict::deadlock:
      r.how = ending::deadlock;
      r.text = "Deadlock: no step is possible from the last state.\n" + trace();
      return r;
    case check::verdict::cannot_evaluate:
      r.how = ending::cannot_evaluate;
      r.text = found.message + "\n" + (found.trace.empty() ? "" : "The states on the way there:\n" + trace());
      return r;
    case check::verdict::not_finished:
      r.how = ending::not_finished;
      r.text = "Not finished: the limit on " + found.message +
               " was reached. Nothing wrong was found until then.\n";
      return r;
  }
  if (temporal) {
    if (auto const l = broken_temporal_property(m, *found.states)) {
      r.how = ending::property_broken;
      r.property = l->property;
      r.text =
          "The property " + r.property + " is broken by this behaviour.\n" + to_text(*l, *found.states, m);
      return r;
    }
  }
  m.set_statistics({r.counts.distinct, r.counts.generated, 0, r.counts.depth});
  if (auto const name = m.broken_postcondition(); !name.empty()) {
    r.how = ending::assumption_false;
    r.property = name;
    r.text = "The postcondition " + name + " is false.\n";
    return r;
  }
  if (r.counts.distinct == 0) r.text = "warning: the initial predicate has no state\n";
  return r;
}

}  // namespace

report verify(verification const& what) {
  auto const s = load(what.spec, {.search_path = what.search_path});
  if (!s) return {.how = ending::bad_spec, .text = listed(s.error())};
  auto const c = read_config(what.config.empty() ? config_beside(what.spec) : what.config);
  if (!c) return {.how = ending::bad_config, .text = listed(c.error())};
  auto const b = bind(*c, *s);
  if (!b) return {.how = ending::bad_config, .text = listed(b.error())};
  std::unique_ptr<model> m;
  try {
    m = std::make_unique<model>(*s, *b, what.stack_bytes);
    m->check_assumptions();
    auto r = m->has_behaviours() ? explored(*m, *b, what) : report{};
    r.output = m->take_output();
    r.text += listed(b->warnings);
    return r;
  } catch (refusal const& r) {
    auto ended = refused(r);
    if (m != nullptr) ended.output = m->take_output();
    return ended;
  } catch (check::cannot_evaluate const& e) {
    return {.how = ending::cannot_evaluate, .text = e.why + "\n"};
  }
}

namespace {

struct job {
  std::function<void()> run;
  std::exception_ptr failed;
};

void* run_job(void* given) {
  auto& j = *static_cast<job*>(given);
  try {
    j.run();
  } catch (...) {
    j.failed = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void with_stack(std::size_t bytes, std::function<void()> f) {
  job j{std::move(f), nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  bool const started = pthread_attr_setstacksize(&attributes, bytes) == 0 &&
                       pthread_create(&thread, &attributes, run_job, &j) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) throw std::runtime_error("no memory for a stack of " + std::to_string(bytes) + " bytes");
  pthread_join(thread, nullptr);
  if (j.failed) std::rethrow_exception(j.failed);
}

}  // namespace halfopen::tla
