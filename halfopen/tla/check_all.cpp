#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <halfopen/tla/check_all.hpp>
#include <halfopen/tla/trace.hpp>

namespace halfopen::tla {
namespace {

namespace fs = std::filesystem;

struct ending_name {
  int exit_code;
  std::string_view name;
};

constexpr auto endings = std::to_array<ending_name>({{0, "ok"},
                                                     {10, "assumption"},
                                                     {11, "deadlock"},
                                                     {12, "safety"},
                                                     {13, "liveness"},
                                                     {75, "evaluation"},
                                                     {124, "not-finished"},
                                                     {150, "spec"},
                                                     {151, "config"}});

bool is_verdict(std::string_view word) noexcept {
  return std::ranges::find(endings, word, &ending_name::name) != endings.end();
}

bool read_count(std::string_view text, std::int64_t& into) noexcept {
  auto const r = std::from_chars(text.data(), text.data() + text.size(), into);
  return r.ec == std::errc{} && r.ptr == text.data() + text.size() && into >= 0;
}

/// The module in the file's folder whose name is the longest beginning of the configuration's.
std::string module_for(fs::path const& config) {
  auto const stem = config.stem().string();
  std::string best;
  fs::path found;
  for (auto const& f : fs::directory_iterator{config.parent_path()}) {
    auto const name = f.path().stem().string();
    if (f.path().extension() == ".tla" && stem.starts_with(name) && name.size() > best.size()) {
      best = name;
      found = f.path();
    }
  }
  return found.string();
}

check_job job_of(fs::path const& config) {
  check_job job;
  job.config = config.string();
  std::ifstream in{config};
  std::string line;
  std::getline(in, line);
  auto const want = parse_expectation(line);
  if (!want) {
    job.problem = want.error();
    return job;
  }
  job.want = *want;
  job.spec = want->spec.empty() ? module_for(config) : (config.parent_path() / want->spec).string();
  if (job.spec.empty())
    job.problem = "no module in its folder has a name that its own begins with; say spec=Name.tla";
  return job;
}

std::string wanted(expectation const& e) { return e.verdict + (e.property.empty() ? "" : " " + e.property); }

std::string said(check_outcome const& o) {
  return std::string{verdict_name(o.exit_code)} + (o.property.empty() ? "" : " " + o.property);
}

std::string compare(expectation const& want, check_outcome const& found) {
  auto const count = [](char const* what, std::int64_t w, std::int64_t f) {
    return w < 0 || w == f ? std::string{}
                           : std::string{what} + std::to_string(f) + ", expected " + std::to_string(w);
  };
  bool const same = verdict_name(found.exit_code) == want.verdict &&
                    (want.property.empty() || want.property == found.property);
  if (!same) return "found " + said(found) + ", expected " + wanted(want);
  auto const distinct = count("found distinct=", want.distinct, found.distinct);
  return distinct.empty() ? count("found depth=", want.depth, found.depth) : distinct;
}

std::string fixed(double seconds) {
  std::array<char, 32> text{};
  auto const n = std::snprintf(text.data(), text.size(), "%.2f", seconds);
  return {text.data(), static_cast<std::size_t>(std::max(n, 0))};
}

std::string xml(std::string_view text) {
  std::string out;
  for (char const c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::size_t differences(std::vector<checked> const& all) noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [](auto const& c) { return !c.difference.empty(); }));
}

}  // namespace

std::string_view verdict_name(int exit_code) noexcept {
  auto const* it = std::ranges::find(endings, exit_code, &ending_name::exit_code);
  return it == endings.end() ? "?" : it->name;
}

expected<expectation, std::string> parse_expectation(std::string_view first_line) {
  std::istringstream in{std::string{first_line}};
  std::string word;
  bool const comment = (in >> word) && word == "\\*" && (in >> word) && word == "expect:";
  expectation e;
  if (!comment || !(in >> e.verdict))
    return unexpected<std::string>{"the first line is not \\* expect: VERDICT"};
  if (!is_verdict(e.verdict))
    return unexpected<std::string>{"expects " + e.verdict + ", which is no verdict"};
  while (in >> word) {
    auto const is = word.find('=');
    auto const key = word.substr(0, is);
    auto const value = is == std::string::npos ? std::string{} : word.substr(is + 1);
    bool understood = true;
    if (is == std::string::npos) {
      understood = e.property.empty();
      e.property = word;
    } else if (key == "distinct") {
      understood = read_count(value, e.distinct);
    } else if (key == "depth") {
      understood = read_count(value, e.depth);
    } else if (key == "spec") {
      e.spec = value;
    } else {
      understood = false;
    }
    if (!understood) return unexpected<std::string>{"expects " + word + ", which is not understood"};
  }
  return e;
}

std::vector<check_job> find_checks(std::string const& folder) {
  std::vector<fs::path> configs;
  std::error_code failed;
  for (auto const& f : fs::recursive_directory_iterator{folder, failed}) {
    if (f.path().extension() == ".cfg") configs.push_back(f.path());
  }
  std::ranges::sort(configs);
  std::vector<check_job> jobs;
  for (auto const& c : configs) jobs.push_back(job_of(c));
  return jobs;
}

std::vector<checked> check_all(std::vector<check_job> const& jobs,
                               std::function<check_outcome(check_job const&)> const& one,
                               std::function<void(checked const&)> const& done) {
  std::vector<checked> all;
  for (auto const& job : jobs) {
    checked c;
    c.job = job;
    c.difference = job.problem;
    if (job.problem.empty()) {
      c.found = one(job);
      c.difference = compare(job.want, c.found);
    }
    if (done) done(c);
    all.push_back(std::move(c));
  }
  return all;
}

bool all_as_expected(std::vector<checked> const& all) noexcept { return differences(all) == 0; }

std::string to_table(std::vector<checked> const& all) {
  std::size_t width = 0;
  for (auto const& c : all) width = std::max(width, c.job.config.size());
  std::string out;
  for (auto const& c : all) {
    auto name = c.job.config;
    name.resize(width, ' ');
    out += (c.difference.empty() ? "ok    " : "DIFF  ") + name + "  ";
    if (!c.difference.empty()) {
      out += c.difference + "\n";
    } else {
      out += said(c.found) + ", " + std::to_string(c.found.distinct) + " states, " + fixed(c.found.seconds) +
             " s\n";
    }
  }
  auto const bad = differences(all);
  return out + std::to_string(all.size() - bad) + " as expected, " + std::to_string(bad) + " not\n";
}

std::string to_json(std::vector<checked> const& all) {
  std::string out = "{\"checks\": [";
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& c = all[i];
    out += (i == 0 ? "\n  {" : ",\n  {");
    out += "\"spec\": " + json_quoted(c.job.spec) + ", \"config\": " + json_quoted(c.job.config) +
           ", \"expected\": " + json_quoted(wanted(c.job.want)) +
           ", \"as_expected\": " + (c.difference.empty() ? "true" : "false") +
           ", \"difference\": " + json_quoted(c.difference);
    if (c.job.problem.empty()) {
      out += ", \"verdict\": " + json_quoted(verdict_name(c.found.exit_code)) +
             ", \"exit_code\": " + std::to_string(c.found.exit_code) +
             ", \"property\": " + json_quoted(c.found.property) +
             ", \"distinct\": " + std::to_string(c.found.distinct) +
             ", \"generated\": " + std::to_string(c.found.generated) +
             ", \"depth\": " + std::to_string(c.found.depth) + ", \"seconds\": " + fixed(c.found.seconds);
    }
    out += "}";
  }
  auto const bad = differences(all);
  return out + "\n], \"as_expected\": " + std::to_string(all.size() - bad) +
         ", \"different\": " + std::to_string(bad) + "}\n";
}

std::string to_junit(std::vector<checked> const& all) {
  double seconds = 0;
  for (auto const& c : all) seconds += c.found.seconds;
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"halfopen check\" tests=\"" +
      std::to_string(all.size()) + "\" failures=\"" + std::to_string(differences(all)) + "\" time=\"" +
      fixed(seconds) + "\">\n";
  for (auto const& c : all) {
    out += "  <testcase classname=\"" + xml(c.job.spec) + "\" name=\"" + xml(c.job.config) + "\" time=\"" +
           fixed(c.found.seconds) + "\"";
    if (c.difference.empty()) {
      out += "/>\n";
    } else {
      out += ">\n    <failure message=\"" + xml(c.difference) + "\">" + xml(c.found.text) +
             "</failure>\n  </testcase>\n";
    }
  }
  return out + "</testsuite>\n";
}

}  // namespace halfopen::tla
