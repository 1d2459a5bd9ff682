#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <ostream>
#include <random>

#include <unistd.h>

#include <halfopen/app/check_command.hpp>
#include <halfopen/app/check_eval.hpp>
#include <halfopen/app/check_stack.hpp>
#include <halfopen/app/signals.hpp>
#include <halfopen/base/expected.hpp>
#include <halfopen/tla/check_report.hpp>
#include <halfopen/tla/graph_dump.hpp>
#include <halfopen/tla/spec.hpp>
#include <halfopen/tla/verify.hpp>

namespace halfopen::app {
namespace {

using clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

constexpr auto told_every = std::chrono::seconds{1};

/// `stopped`: somebody wants an end.
tla::report checked(check_command const& c, fs::path const& spec, fs::path const& config, terminal& t,
                    std::atomic<bool> const& stopped, std::ostream* graph = nullptr) {
  auto const seed = c.seed ? *c.seed : std::random_device{}();
  auto const start = clock::now();
  auto told = start;
  tla::verification v{
      .spec = spec, .config = config, .search_path = c.search_path, .check_deadlock = !c.no_deadlock};
  v.stack_bytes = stack_bytes - stack_reserve;
  v.workers.count = c.workers;
  if (c.states_max != 0) v.stop_at.states_max = c.states_max;
  if (c.depth_max != 0) v.stop_at.depth_max = c.depth_max;
  if (c.memory_max_mb != 0) v.stop_at.bytes_max = c.memory_max_mb << 20;
  v.interrupted = [&] { return stopped.load(); };
  v.stop_at.stop = [&] { return stopped || (c.time_max > duration{0} && clock::now() - start > c.time_max); };
  v.checkpoint = c.checkpoint.string();
  auto written = start;
  v.checkpoint_due = [&] {
    if (clock::now() - written < c.checkpoint_every) return false;
    written = clock::now();
    return true;
  };
  if (t.err_is_terminal) {
    v.progress = [&](check::counts const& n, std::uint64_t queue) {
      if (clock::now() - told < told_every) return;
      told = clock::now();
      t.err << "\r" << n.distinct << " states, " << queue << " to do, depth " << n.depth << ", "
            << static_cast<std::uint64_t>(static_cast<double>(n.distinct) / seconds_since(start))
            << " states/s  " << std::flush;
    };
    v.walk_progress = [&](check::walk_counts const& n) {
      if (clock::now() - told < told_every) return;
      told = clock::now();
      t.err << "\r" << n.walks << " walks, " << n.steps << " steps, " << n.generated << " states looked at  "
            << std::flush;
    };
  }
  if (c.simulate) {
    v.simulate = tla::simulation{.first = c.first_walk, .depth = c.walk_depth, .seed = seed};
    if (c.walks != 0) v.simulate->count = c.walks;
  }
  v.force_liveness = c.force_liveness;
  v.coverage = c.coverage;
  if (graph != nullptr)
    v.dump_graph = tla::graph_wanted{graph, c.dump_graph.extension() == ".json", c.dump_states};
  v.warnings = !c.no_warnings;
  v.trace_expressions = c.trace_expressions;
  tla::report r;
  tla::with_stack(stack_bytes, [&] { r = tla::verify(v); });
  if (told != start) t.err << "\r" << std::string(70, ' ') << "\r" << std::flush;
  return r;
}

tla::check_report reported(fs::path const& spec, fs::path const& config, tla::report const& r,
                           double seconds) {
  tla::check_report all;
  all.spec = spec.string();
  all.config = config.empty() ? fs::path{spec}.replace_extension(".cfg").string() : config.string();
  all.outcome = {static_cast<int>(r.how),
                 r.property,
                 static_cast<std::int64_t>(r.counts.distinct),
                 static_cast<std::int64_t>(r.counts.generated),
                 static_cast<std::int64_t>(r.counts.depth),
                 seconds,
                 r.message};
  all.way = r.way;
  all.diagnostics = r.diagnostics;
  all.output = r.output;
  all.walks = r.walks;
  all.covered = r.covered;
  return all;
}

bool write_file(fs::path const& file, std::string const& text, terminal& t) {
  std::ofstream out{file, std::ios::binary};
  out << text;
  if (out.flush()) return true;
  complain(t, "cannot write " + file.string());
  return false;
}

std::string quoted_for_shell(std::string const& word) {
  if (word.find_first_of(" '\"$\\*?&|;<>()[]{}~#`!") == std::string::npos) return word;
  std::string out = "'";
  for (char const c : word) out += c == '\'' ? "'\\''" : std::string{c};
  return out + "'";
}

/// How to walk there again, and only there.
std::string walk_again(check_command const& c, tla::walked const& w) {
  std::string libraries;
  for (auto const& l : c.search_path) libraries += " --library " + quoted_for_shell(l);
  return "halfopen check " + quoted_for_shell(c.spec.string()) +
         (c.config.empty() ? "" : " --config " + quoted_for_shell(c.config.string())) +
         " --simulate 1 --walk " + std::to_string(w.found_on) + " --depth " + std::to_string(w.how.depth) +
         " --seed " + std::to_string(w.how.seed) + libraries + (c.no_deadlock ? " --no-deadlock" : "");
}

void show_walks(check_command const& c, tla::report const& r, terminal& t) {
  auto const& w = *r.walks;
  if (w.found_on != 0) {
    t.out << "Found on walk " << w.found_on << " with seed " << w.how.seed << "; to repeat it:\n  "
          << walk_again(c, w) << "\n";
    return;
  }
  t.out << (r.how == tla::ending::holds ? "No error found, but not exhaustive: " : "") << w.counts.walks
        << " random walks, " << w.counts.steps << " steps, " << w.counts.generated
        << " states looked at, seed " << w.how.seed << ".\n";
}

std::string counted(tla::report const& r) {
  auto const number = [](auto n) { return std::to_string(n); };
  if (!r.walks)
    return "distinct=" + number(r.counts.distinct) + " generated=" + number(r.counts.generated) +
           " depth=" + number(r.counts.depth);
  auto const& n = r.walks->counts;
  return "walks=" + number(n.walks) + " steps=" + number(n.steps) + " generated=" + number(n.generated) +
         " depth=" + number(n.longest) + " seed=" + number(r.walks->how.seed);
}

void show(check_command const& c, tla::report const& r, double seconds, terminal& t) {
  auto const form = c.trace_file.empty() ? c.trace : tla::trace_form::text;
  t.out << r.output << tla::to_text(r, form);
  if (r.walks) {
    show_walks(c, r, t);
  } else if (r.how == tla::ending::holds) {
    if (r.resumed_at != 0) t.out << "Went on from " << r.resumed_at << " states of an earlier run.\n";
    t.out << "No error: " << r.counts.distinct << " distinct states, " << r.counts.generated
          << " generated, depth " << r.counts.depth << ".\n";
  }
  if (r.covered) t.out << tla::to_text(*r.covered);
  if (c.stats) t.out << counted(r) << " seconds=" << seconds << "\n";
}

void show_graph(check_command const& c, tla::graph_written const& g, terminal& t) {
  constexpr std::size_t drawn_max = 2000;  // beyond it dot takes minutes, and nobody sees anything
  auto const file = c.dump_graph.string();
  t.err << file << ": " << g.states << " states, " << g.steps << " steps\n";
  if (!g.complete)
    t.err << file << ": warning: there are more states; it has the nearest " << g.states
          << ". --dump-states N writes more, a smaller configuration is easier to read\n";
  if (file.ends_with(".json")) return;
  if (g.states > drawn_max) {
    t.err << file << ": too many states for a picture that can be read; try a smaller configuration\n";
  } else {
    t.err << "draw it: dot -Tsvg " << quoted_for_shell(file) << " -o "
          << quoted_for_shell(fs::path{c.dump_graph}.replace_extension(".svg").string()) << "\n";
  }
}

exit_code check_one(check_command const& c, terminal& t) {
  std::ofstream graph;
  if (!c.dump_graph.empty()) {
    if (!tla::find_graph_form(c.dump_graph.string())) {
      complain(t,
               "--dump-graph " + c.dump_graph.string() + ": expected a file that ends in .dot, .gv or .json");
      return exit_code::usage;
    }
    graph.open(c.dump_graph, std::ios::binary);
  }
  auto const start = clock::now();
  std::atomic<bool> stopped = false;
  signal_watch signals{SIGINT, SIGTERM};  // the first asks for an end, the second makes one
  signals.start([&](int number) {
    if (stopped.exchange(true)) ::_exit(128 + number);
  });
  auto const r = checked(c, c.spec, c.config, t, stopped, c.dump_graph.empty() ? nullptr : &graph);
  signals.stop();
  auto const seconds = seconds_since(start);
  if (!c.trace_file.empty() && r.way && !write_file(c.trace_file, tla::to_string(*r.way, c.trace), t))
    return exit_code::failed;
  if (!c.dump_graph.empty() && !graph.flush()) {
    complain(t, "cannot write " + c.dump_graph.string());
    return exit_code::failed;
  }
  if (r.graph) show_graph(c, *r.graph, t);
  if (c.json) {
    t.out << tla::to_json(reported(c.spec, c.config, r, seconds));
  } else {
    show(c, r, seconds, t);
  }
  return static_cast<exit_code>(r.how);
}

exit_code check_all(check_command const& c, terminal& t) {
  std::atomic<bool> const stopped = false;
  auto const one = [&](tla::check_job const& job) {
    auto const start = clock::now();
    auto const r = checked(c, job.spec, job.config, t, stopped);
    auto o = reported(job.spec, job.config, r, seconds_since(start)).outcome;
    o.text = tla::to_text(r, c.trace);
    return o;
  };
  auto const tell = [&](tla::checked const& done) {
    if (t.err_is_terminal)
      t.err << (done.difference.empty() ? "ok    " : "DIFF  ") << done.job.config << "\n";
  };
  auto const all = tla::check_all(tla::find_checks(c.all.string()), one, tell);
  if (!c.junit.empty() && !write_file(c.junit, tla::to_junit(all), t)) return exit_code::failed;
  t.out << (c.json ? tla::to_json(all) : tla::to_table(all));
  if (all.empty()) complain(t, "no .cfg below " + c.all.string());
  return tla::all_as_expected(all) && !all.empty() ? exit_code::done : exit_code::failed;
}

/// @FILE stands for the lines of a file; empty ones and comments are passed over.
expected<std::vector<std::string>, std::string> with_files_read(std::vector<std::string> const& given) {
  std::vector<std::string> all;
  for (auto const& e : given) {
    if (!e.starts_with('@')) {
      all.push_back(e);
      continue;
    }
    std::ifstream in{e.substr(1)};
    if (!in) return unexpected<std::string>{"cannot read " + e.substr(1) + ", which --trace-expr names"};
    for (std::string line; std::getline(in, line);) {
      auto const first = line.find_first_not_of(" \t\r");
      if (first != std::string::npos && !line.substr(first).starts_with("\\*")) all.push_back(line);
    }
  }
  return all;
}

exit_code only_parse(check_command const& c, terminal& t) {
  auto const s = tla::load(c.spec.string(), {.search_path = c.search_path});
  auto const problems = s ? s->warnings() : s.error();
  if (c.json) {
    t.out << tla::to_json(problems) << "\n";
  } else {
    for (auto const& d : problems) t.out << to_string(d) << "\n";
  }
  return s ? exit_code::done : static_cast<exit_code>(tla::ending::bad_spec);
}

}  // namespace

exit_code run(check_command const& given, terminal& t) {
  std::error_code missing;
  auto c = given;
  auto const expressions = with_files_read(given.trace_expressions);
  if (!expressions) {
    complain(t, expressions.error());
    return exit_code::usage;
  }
  c.trace_expressions = *expressions;
  if (!c.all.empty()) {
    if (fs::is_directory(c.all, missing)) return check_all(c, t);
    complain(t, c.all.string() + " is not a folder");
    return exit_code::usage;
  }
  if (!c.spec.empty() && c.repl) return converse(c, t);
  if (!c.spec.empty() && !c.evaluate.empty()) return evaluate(c, t);
  if (!c.spec.empty()) return c.parse_only ? only_parse(c, t) : check_one(c, t);
  complain(t, "nothing to check: give a SPEC.tla, or --all DIR (see `halfopen check --help`)");
  return exit_code::usage;
}

}  // namespace halfopen::app
