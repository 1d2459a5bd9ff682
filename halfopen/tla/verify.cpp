#include <exception>
#include <stdexcept>

#include <pthread.h>

#include <halfopen/tla/config.hpp>
#include <halfopen/tla/counterexample.hpp>
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
    case refusal::kind::config: return {.how = ending::bad_config, .message = r.message};
    case refusal::kind::semantic: return {.how = ending::bad_spec, .message = r.message};
    case refusal::kind::evaluation: return {.how = ending::cannot_evaluate, .message = r.message};
    case refusal::kind::assumption: return {.how = ending::assumption_false, .message = r.message};
  }
  return {};
}

report explored(model& m, binding const& b, verification const& what) {
  report r;
  bool const temporal = !m.temporal_properties().empty();
  if (temporal && m.has_key()) {
    return {
        .how = ending::bad_config,
        .message =
            "error: a temporal property cannot be checked with SYMMETRY or VIEW: states that they make one "
            "may differ in it"};
  }
  check::options how{.check_deadlock = what.check_deadlock && b.check_deadlock.value_or(true),
                     .keep_graph = temporal,
                     .stop_at = what.stop_at,
                     .progress = what.progress};
  auto found = check::explore(m, how);
  r.counts = found.counts;
  auto const shown = [&] {
    if (!found.trace.empty()) r.way = counterexample(found.trace, m);
    if (r.way) r.way->property = r.property;
  };
  switch (found.found) {
    case check::verdict::holds: break;
    case check::verdict::invariant_broken:
      r.property = m.invariant_name(found.property);
      r.how = m.is_initial_property(found.property) ? ending::property_broken : ending::invariant_broken;
      r.message = (r.how == ending::invariant_broken ? "The invariant " : "The property ") + r.property +
                  " is broken.";
      shown();
      return r;
    case check::verdict::step_broken:
      r.property = m.step_property_name(found.property);
      r.how = ending::property_broken;
      r.message = "The last step breaks the property " + r.property + ".";
      shown();
      return r;
    case check::verdict::deadlock:
      r.how = ending::deadlock;
      r.message = "Deadlock: no step is possible from the last state.";
      shown();
      return r;
    case check::verdict::cannot_evaluate:
      r.how = ending::cannot_evaluate;
      r.message = found.message;
      shown();
      return r;
    case check::verdict::not_finished:
      r.how = ending::not_finished;
      r.message =
          "Not finished: the limit on " + found.message + " was reached. Nothing wrong was found until then.";
      return r;
  }
  if (temporal) {
    if (auto const l = broken_temporal_property(m, *found.states)) {
      r.how = ending::property_broken;
      r.property = l->property;
      r.message = "The property " + r.property + " is broken by this behaviour.";
      r.way = counterexample(*l, *found.states, m);
      return r;
    }
  }
  m.set_statistics({r.counts.distinct, r.counts.generated, 0, r.counts.depth});
  if (auto const name = m.broken_postcondition(); !name.empty()) {
    r.how = ending::assumption_false;
    r.property = name;
    r.message = "The postcondition " + name + " is false.";
    return r;
  }
  if (r.counts.distinct == 0) r.message = "warning: the initial predicate has no state";
  return r;
}

}  // namespace

std::string to_text(report const& r, trace_form form) {
  auto text = r.message.empty() ? "" : r.message + "\n";
  if (r.way && r.how == ending::cannot_evaluate) text += "The states on the way there:\n";
  return text + (r.way ? to_string(*r.way, form) : "") + listed(r.diagnostics);
}

report verify(verification const& what) {
  auto const s = load(what.spec, {.search_path = what.search_path});
  if (!s) return {.how = ending::bad_spec, .diagnostics = s.error()};
  auto const c = read_config(what.config.empty() ? config_beside(what.spec) : what.config);
  if (!c) return {.how = ending::bad_config, .diagnostics = c.error()};
  auto const b = bind(*c, *s);
  if (!b) return {.how = ending::bad_config, .diagnostics = b.error()};
  std::unique_ptr<model> m;
  try {
    m = std::make_unique<model>(*s, *b, what.stack_bytes);
    m->check_assumptions();
    auto r = m->has_behaviours() ? explored(*m, *b, what) : report{};
    r.output = m->take_output();
    r.diagnostics = b->warnings;
    if (r.way) r.way->spec = s->root().name;
    return r;
  } catch (refusal const& r) {
    auto ended = refused(r);
    if (m != nullptr) ended.output = m->take_output();
    return ended;
  } catch (check::cannot_evaluate const& e) {
    return {.how = ending::cannot_evaluate, .message = e.why};
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
