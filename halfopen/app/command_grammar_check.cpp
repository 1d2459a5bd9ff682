#include <algorithm>

#include <halfopen/app/command_grammar.hpp>
#include <halfopen/config/scalars.hpp>

namespace halfopen::app {

void grammar::add_check() {
  auto* const c = add(
      app, "check", "Model-checks a TLA+ spec",
      "Ends with TLC's exit codes: 0 no error, 10 assumption false, 11 deadlock, 12 invariant broken,\n"
      "13 property broken, 75 evaluation error, 150 error in the spec, 151 in the configuration;\n"
      "124 when a limit ended the search. TLC's spellings (-config F, -deadlock, -simulate num=N, ...) are\n"
      "understood.\n"
      "\n"
      "Examples:\n"
      "  halfopen check Paxos.tla                          with Paxos.cfg beside it\n"
      "  halfopen check Paxos.tla --config Small.cfg --stats\n"
      "  halfopen check Paxos.tla --trace html --trace-file paxos.html\n"
      "  halfopen check Paxos.tla --trace-expr 'n == Len(queue)' --trace-expr \"x' - x\"\n"
      "  halfopen check Paxos.tla --simulate 1000 --depth 50 --seed 7\n"
      "  halfopen check Paxos.tla --coverage --dump-graph paxos.dot\n"
      "  halfopen check Paxos.tla --eval 'Cardinality(Quorums)'\n"
      "  halfopen check Paxos.tla --repl                   expressions and steps, a line at a time\n"
      "  halfopen check --all specs                        each .cfg against its `\\* expect:` line");
  add_file(*c, "SPEC", check.spec, "The module to check");
  add_file(*c, "--config,-c", check.config, "Its configuration (SPEC.cfg)");
  c->add_option_function<std::string>(
       "--all", [this](std::string const& s) { check.all = s; },
       "Checks every .cfg below a folder against its first line")
      ->type_name("DIR");
  c->add_option("--library", check.search_path, "Where else modules are looked for; may be repeated")
      ->type_name("DIR");
  c->add_flag("--no-deadlock", check.no_deadlock, "A state without a successor is no error");
  c->add_option("--workers", check.workers,
                "Threads; what is found does not depend on them. auto: all processors, once a model is large")
      ->type_name("N|auto")
      ->transform([](std::string const& n) { return n == "auto" ? std::string{"0"} : n; });
  c->add_option("--max-states", check.states_max, "Gives up after so many distinct states")->type_name("N");
  c->add_option("--max-depth", check.depth_max, "Gives up beyond this depth")->type_name("N");
  c->add_option("--memory", check.memory_max_mb, "Gives up when the states take so many MB")->type_name("MB");
  c->add_option("--time", check_time, "Gives up after so long")->type_name("TIME");
  c->add_option_function<std::string>(
       "--checkpoint", [this](std::string const& s) { check.checkpoint = s; },
       "Writes the search there now and then and when it is stopped; the same command goes on from it")
      ->type_name("DIR");
  c->add_option("--checkpoint-every", checkpoint_every, "How often (10m)")->type_name("TIME");
  c->add_option("--trace", trace_form,
                "How a counterexample is shown: text, diff, table, json, itf, tla, html")
      ->check(CLI::IsMember({"text", "diff", "table", "json", "itf", "tla", "html"}))
      ->type_name("FORM");
  add_file(*c, "--trace-file", check.trace_file, "Where the trace is written in that form");
  c->add_option("--trace-expr", check.trace_expressions,
                "Evaluated in each state of a counterexample; x' is the next state's. May be repeated; @FILE "
                "has one a line")
      ->type_name("EXPR")
      ->allow_extra_args(false);
  c->add_flag("--difftrace", difftrace, "The same as --trace diff: of each state only what changed");
  c->add_flag("--parse-only", check.parse_only, "Reads the spec and what it needs, and checks nothing");
  c->add_option("--eval", check.evaluate,
                "Prints the value of an expression of the module, and checks nothing; may be repeated")
      ->type_name("EXPR")
      ->allow_extra_args(false);
  c->add_flag("--repl", check.repl,
              "Reads expressions, definitions and steps, a line at a time; :help tells more");
  add_simulate(*c);
  add_file(*c, "--dump-graph", check.dump_graph,
           "Writes the state graph: FILE.dot for Graphviz, or FILE.json");
  c->add_option("--dump-states", check.dump_states, "States of the graph that are written, at most (100000)")
      ->type_name("N");
  c->add_flag("--coverage", check.coverage, "Tells what was used of the spec: actions, and their parts");
  c->add_flag("--no-warnings", check.no_warnings, "Says nothing of what is never possible, true or changed");
  c->add_flag("--force-liveness", check.force_liveness,
              "Checks temporal properties in spite of SYMMETRY or VIEW: the answer may be wrong");
  add_file(*c, "--junit", check.junit, "With --all: writes a report for CI servers");
  c->add_flag("--stats", check.stats, "Ends with a line of counts");
  c->add_flag("--json", check.json, "Reports as JSON");
  c->callback([this] {
    auto const length = [](char const* option, std::string const& text) {
      auto const parsed = config::codec<duration>::parse(text);
      if (!parsed || *parsed < duration{0})
        throw CLI::ValidationError(option, "expected " + std::string{config::codec<duration>::what});
      return *parsed;
    };
    check.time_max = length("--time", check_time);
    check.checkpoint_every = length("--checkpoint-every", checkpoint_every);
    check.simulate = walks.has_value();
    check.walks = walks.value_or(0);
    check.first_walk = std::max(check.first_walk, std::uint64_t{1});
    check.trace = tla::find_trace_form(difftrace ? "diff" : trace_form).value_or(tla::trace_form::text);
    chosen = check;
  });
}

void grammar::add_simulate(CLI::App& c) {
  c.add_option("--simulate", walks, "Takes N random walks in place of visiting every state; 0: without end")
      ->type_name("N");
  c.add_option("--depth", check.walk_depth, "States on a walk, at most (100)")->type_name("N");
  c.add_option("--seed", check.seed, "Where the walks' chance comes from, to repeat them")->type_name("N");
  c.add_option("--walk", check.first_walk, "The number of the first walk, to repeat one")->type_name("N");
}

}  // namespace halfopen::app
