#include <chrono>
#include <fstream>
#include <ostream>

#include <halfopen/app/check_command.hpp>
#include <halfopen/tla/check_report.hpp>
#include <halfopen/tla/spec.hpp>
#include <halfopen/tla/verify.hpp>

namespace halfopen::app {
namespace {

using clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::size_t stack_bytes = std::size_t{1} << 30;  // of addresses; touched as deep as a spec recurses
constexpr std::size_t stack_reserve = std::size_t{16} << 20;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

tla::report checked(check_command const& c, fs::path const& spec, fs::path const& config, terminal& t) {
  auto const start = clock::now();
  auto told = start;
  tla::verification v{
      .spec = spec, .config = config, .search_path = c.search_path, .check_deadlock = !c.no_deadlock};
  v.stack_bytes = stack_bytes - stack_reserve;
  if (c.states_max != 0) v.stop_at.states_max = c.states_max;
  if (c.depth_max != 0) v.stop_at.depth_max = c.depth_max;
  if (c.memory_max_mb != 0) v.stop_at.bytes_max = c.memory_max_mb << 20;
  if (c.time_max > duration{0}) v.stop_at.stop = [&] { return clock::now() - start > c.time_max; };
  if (t.err_is_terminal) {
    v.progress = [&](check::counts const& n, std::uint64_t queue) {
      if (clock::now() - told < std::chrono::seconds{1}) return;
      told = clock::now();
      t.err << "\r" << n.distinct << " states, " << queue << " to do, depth " << n.depth << ", "
            << static_cast<std::uint64_t>(static_cast<double>(n.distinct) / seconds_since(start))
            << " states/s  " << std::flush;
    };
  }
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
  return all;
}

bool write_file(fs::path const& file, std::string const& text, terminal& t) {
  std::ofstream out{file, std::ios::binary};
  out << text;
  if (out.flush()) return true;
  complain(t, "cannot write " + file.string());
  return false;
}

void show(check_command const& c, tla::report const& r, double seconds, terminal& t) {
  auto const form = c.trace_file.empty() ? c.trace : tla::trace_form::text;
  t.out << r.output << tla::to_text(r, form);
  if (r.how == tla::ending::holds) {
    t.out << "No error: " << r.counts.distinct << " distinct states, " << r.counts.generated
          << " generated, depth " << r.counts.depth << ".\n";
  }
  if (c.stats) {
    t.out << "distinct=" << r.counts.distinct << " generated=" << r.counts.generated
          << " depth=" << r.counts.depth << " seconds=" << seconds << "\n";
  }
}

exit_code check_one(check_command const& c, terminal& t) {
  auto const start = clock::now();
  auto const r = checked(c, c.spec, c.config, t);
  auto const seconds = seconds_since(start);
  if (!c.trace_file.empty() && r.way && !write_file(c.trace_file, tla::to_string(*r.way, c.trace), t))
    return exit_code::failed;
  if (c.json) {
    t.out << tla::to_json(reported(c.spec, c.config, r, seconds));
  } else {
    show(c, r, seconds, t);
  }
  return static_cast<exit_code>(r.how);
}

exit_code check_all(check_command const& c, terminal& t) {
  auto const one = [&](tla::check_job const& job) {
    auto const start = clock::now();
    auto const r = checked(c, job.spec, job.config, t);
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

std::vector<std::string> without_tlc_spellings(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "check") return arguments;
  for (auto& a : arguments) {
    if (a == "-config" || a == "-workers" || a == "-difftrace") a.insert(0, "-");
    if (a == "-deadlock") a = "--no-deadlock";
  }
  return arguments;
}

exit_code run(check_command const& c, terminal& t) {
  std::error_code missing;
  if (!c.all.empty()) {
    if (fs::is_directory(c.all, missing)) return check_all(c, t);
    complain(t, c.all.string() + " is not a folder");
    return exit_code::usage;
  }
  if (!c.spec.empty()) return c.parse_only ? only_parse(c, t) : check_one(c, t);
  complain(t, "nothing to check: give a SPEC.tla, or --all DIR (see `halfopen check --help`)");
  return exit_code::usage;
}

}  // namespace halfopen::app
