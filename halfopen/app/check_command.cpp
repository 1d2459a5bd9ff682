#include <algorithm>
#include <chrono>
#include <fstream>
#include <ostream>
#include <sstream>

#include <halfopen/app/check_command.hpp>
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

std::string quoted(std::string_view text) {
  std::ostringstream out;
  out << '"';
  for (char const ch : text) {
    if (ch == '"' || ch == '\\')
      out << '\\' << ch;
    else if (ch == '\n')
      out << "\\n";
    else if (static_cast<unsigned char>(ch) < 0x20)
      out << ' ';
    else
      out << ch;
  }
  out << '"';
  return out.str();
}

char const* word_for(tla::ending e) {
  switch (e) {
    case tla::ending::holds: return "ok";
    case tla::ending::assumption_false: return "assumption";
    case tla::ending::deadlock: return "deadlock";
    case tla::ending::invariant_broken: return "safety";
    case tla::ending::property_broken: return "liveness";
    case tla::ending::cannot_evaluate: return "evaluation";
    case tla::ending::not_finished: return "not-finished";
    case tla::ending::bad_spec: return "spec";
    case tla::ending::bad_config: return "config";
  }
  return "";
}

void print_json(tla::report const& r, double seconds, terminal& t) {
  t.out << "{\"result\":" << quoted(word_for(r.how)) << ",\"property\":" << quoted(r.property)
        << ",\"distinct\":" << r.counts.distinct << ",\"generated\":" << r.counts.generated
        << ",\"depth\":" << r.counts.depth << ",\"seconds\":" << seconds << ",\"text\":" << quoted(r.text)
        << "}\n";
}

exit_code check_one(check_command const& c, terminal& t) {
  auto const start = clock::now();
  auto const r = checked(c, c.spec, c.config, t);
  auto const seconds = seconds_since(start);
  if (c.json) {
    print_json(r, seconds, t);
    return static_cast<exit_code>(r.how);
  }
  t.out << r.output << r.text;
  if (r.how == tla::ending::holds) {
    t.out << "No error: " << r.counts.distinct << " distinct states, " << r.counts.generated
          << " generated, depth " << r.counts.depth << ".\n";
  }
  if (c.stats) {
    t.out << "distinct=" << r.counts.distinct << " generated=" << r.counts.generated
          << " depth=" << r.counts.depth << " seconds=" << seconds << "\n";
  }
  return static_cast<exit_code>(r.how);
}

struct expectation {
  std::string result;    // ok, safety, liveness, deadlock, ...
  std::string property;  // may be empty
};

/// `\* expect: safety NoDoubleProbe` on the first line.
expectation expected_of(fs::path const& config) {
  std::ifstream in{config};
  std::string line, comment, word;
  std::getline(in, line);
  std::istringstream words{line};
  expectation e;
  words >> comment >> word;
  if (comment == "\\*" && word == "expect:") words >> e.result >> e.property;
  return e;
}

/// X.cfg beside X.tla; else the module whose name begins the configuration's, the longest one.
fs::path spec_of(fs::path const& config) {
  fs::path best;
  for (auto const& entry : fs::directory_iterator{config.parent_path()}) {
    auto const& p = entry.path();
    if (p.extension() != ".tla" || !config.stem().string().starts_with(p.stem().string())) continue;
    if (best.empty() || p.stem().string().size() > best.stem().string().size()) best = p;
  }
  return best;
}

exit_code check_all(check_command const& c, terminal& t) {
  std::vector<fs::path> configs;
  for (auto const& entry : fs::recursive_directory_iterator{c.all}) {
    if (entry.path().extension() == ".cfg") configs.push_back(entry.path());
  }
  std::ranges::sort(configs);
  std::size_t wrong = 0;
  for (auto const& config : configs) {
    auto const want = expected_of(config);
    auto const spec = spec_of(config);
    auto const start = clock::now();
    auto const r = spec.empty() ? tla::report{.how = tla::ending::bad_spec, .text = "no module beside it"}
                                : checked(c, spec, config, t);
    bool const as_expected = !want.result.empty() && want.result == word_for(r.how) &&
                             (want.property.empty() || want.property == r.property);
    wrong += as_expected ? 0 : 1;
    std::ostringstream time;
    time.precision(2);
    time << std::fixed << seconds_since(start) << " s";
    auto const found = std::string{word_for(r.how)} + (r.property.empty() ? "" : " " + r.property);
    t.out << (as_expected ? "ok    " : "WRONG ") << padded(config.lexically_relative(c.all).string(), 50)
          << " " << padded(found, 34) << padded_left(std::to_string(r.counts.distinct), 9) << " states "
          << padded_left(time.str(), 9) << "\n";
    if (as_expected) continue;
    t.out << "      expected "
          << (want.result.empty() ? "nothing: the first line has no \"\\* expect:\""
                                  : want.result + " " + want.property)
          << "\n"
          << r.text;
  }
  t.out << configs.size() - wrong << " as expected, " << wrong << " not\n";
  return wrong == 0 && !configs.empty() ? exit_code::done : exit_code::failed;
}

}  // namespace

std::vector<std::string> without_tlc_spellings(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "check") return arguments;
  for (auto& a : arguments) {
    if (a == "-config" || a == "-workers") a.insert(0, "-");
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
  if (!c.spec.empty()) return check_one(c, t);
  complain(t, "nothing to check: give a SPEC.tla, or --all DIR (see `halfopen check --help`)");
  return exit_code::usage;
}

}  // namespace halfopen::app
