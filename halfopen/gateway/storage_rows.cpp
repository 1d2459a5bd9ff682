#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include <halfopen/gateway/audit_field.hpp>
#include <halfopen/gateway/storage_rows.hpp>

namespace halfopen::gateway {
namespace {

using nlohmann::json;

/// Reads columns in their order and remembers the first that makes no sense.
class columns {
 public:
  explicit columns(statement const& s) : s_{s} {}

  std::string text(char const* name) {
    auto const t = s_.text(place_++);
    if (!t) complain(name, "is no text");
    return std::string{t.value_or("")};
  }
  std::optional<std::string> text_or_null(char const* name) {
    if (!s_.is_null(place_)) return text(name);
    ++place_;
    return {};
  }
  std::uint64_t count(char const* name) { return number(name, std::numeric_limits<std::int64_t>::max()); }
  std::uint32_t small(char const* name) {
    return static_cast<std::uint32_t>(number(name, std::numeric_limits<std::uint32_t>::max()));
  }
  std::int64_t id() {
    id_ = s_.integer(place_++).value_or(0);
    return id_;
  }
  wall_time time(char const* name) {
    auto const t = text(name);
    auto const parsed = parse_wall_time(t);
    if (!parsed) complain(name, "is no time: " + shown(t));
    return parsed.value_or(wall_time{});
  }
  digest hash(char const* name) {
    digest d{};
    auto const bytes = s_.blob(place_++);
    if (bytes.size() == d.size())
      std::ranges::copy(bytes, d.begin());
    else
      complain(name, "is no hash");
    return d;
  }
  void complain(char const* name, std::string const& why) {
    if (problem_.empty()) problem_ = std::string{name} + " " + why;
  }
  static std::string shown(std::string_view text) { return '"' + cut_utf8(text, 80) + '"'; }

  template <class Row>
  read_row<Row> result(Row row, std::string const& which) const {
    if (!problem_.empty()) return unexpected<row_problem>{which + ": " + problem_};
    return row;
  }

 private:
  std::uint64_t number(char const* name, std::int64_t most) {
    auto const n = s_.integer(place_++).value_or(-1);
    if (n < 0 || n > most) complain(name, "is no count");
    return static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0));
  }

  statement const& s_;
  int place_ = 0;
  std::int64_t id_ = 0;
  row_problem problem_;
};

/// A date that may be missing. The row is good without it.
std::optional<wall_time> date(statement const& s, int column, std::string const& which,
                              std::vector<row_problem>& problems) {
  if (s.is_null(column)) return {};
  auto const text = s.text(column).value_or("");
  auto const parsed = parse_wall_time(text);
  if (!parsed) problems.push_back(which + ": no time: " + columns::shown(text));
  return parsed;
}

/// Empty if `text` is not what to_text writes, to the letter: otherwise an edit could hide in it.
std::optional<std::vector<audit_cut>> parse_cuts(std::string const& text) {
  std::vector<audit_cut> cuts;
  if (text.empty()) return cuts;
  auto const list = json::parse(text, nullptr, false);
  if (!list.is_array()) return {};
  for (auto const& item : list) {
    if (!item.is_object() || !item.contains("field") || !item["field"].is_string() ||
        !item.contains("sha256") || !item["sha256"].is_string() || !item.contains("bytes") ||
        !item["bytes"].is_number_unsigned())
      return {};
    cuts.push_back({item["field"].get<std::string>(), item["bytes"].get<std::uint64_t>(),
                    item["sha256"].get<std::string>()});
  }
  if (to_text(cuts) != text) return {};
  return cuts;
}

std::optional<std::string> text_or_null(std::optional<wall_time> t) {
  if (!t) return {};
  return to_text(*t);
}

}  // namespace

std::string to_text(std::vector<audit_cut> const& cuts) {
  if (cuts.empty()) return {};
  json list = json::array();
  for (auto const& c : cuts) list.push_back({{"field", c.field}, {"bytes", c.bytes}, {"sha256", c.sha256}});
  return list.dump(-1, ' ', false, json::error_handler_t::replace);
}

read_row<audit_row> read_audit_row(statement const& s) {
  columns c{s};
  audit_row row;
  auto& e = row.event;
  row.id = c.id();
  e.at = c.time("at");
  auto const kind = c.text("kind");
  e.who = c.text("who");
  e.what = c.text("what");
  e.tool = c.text("tool");
  e.host = c.text("host");
  e.outcome = c.text("outcome");
  e.status = c.small("status");
  e.attempts = c.small("attempts");
  auto const took_us = std::min<std::uint64_t>(c.count("duration_us"), 9'000'000'000'000'000);
  e.took = std::chrono::microseconds{took_us};
  e.arguments = c.text_or_null("arguments");
  e.detail = c.text("detail");
  auto const cuts = parse_cuts(c.text("cuts"));
  row.previous = c.hash("previous");
  row.hash = c.hash("hash");
  if (auto const known = audit_kind_of(kind))
    e.kind = *known;
  else
    c.complain("kind", "is not known: " + columns::shown(kind));
  if (cuts)
    row.cuts = *cuts;
  else
    c.complain("cuts", "has not its form");
  auto which = "row " + std::to_string(row.id);
  return c.result(std::move(row), which);
}

read_row<transition_row> read_transition_row(statement const& s) {
  columns c{s};
  transition_row row;
  auto& e = row.event;
  row.id = c.id();
  e.at = c.time("at");
  e.tool = c.text("tool");
  e.host = c.text("host");
  e.epoch = c.count("epoch");
  e.from = c.text("from");
  e.to = c.text("to");
  e.cause = c.text("cause");
  e.calls = c.count("calls");
  e.failures = c.count("failures");
  e.slow = c.count("slow");
  auto which = "row " + std::to_string(row.id);
  return c.result(std::move(row), which);
}

read_row<health_row> read_health_row(statement const& s, std::vector<row_problem>& problems) {
  columns c{s};
  health_row row;
  row.key.tool = c.text("tool");
  row.key.host = c.text("host");
  auto const which = "counts of " + columns::shown(row.key.tool) + " " + columns::shown(row.key.host);
  auto& n = row.counts;
  n.success = c.count("success_count");
  n.failure = c.count("failure_count");
  n.ignored = c.count("ignored_count");
  n.abandoned = c.count("abandoned_count");
  n.slow = c.count("slow_count");
  n.late = c.count("late_count");
  n.rejected = c.count("rejected_count");
  n.last_success_at = date(s, 9, which, problems);
  n.last_failure_at = date(s, 10, which, problems);
  return c.result(std::move(row), which);
}

stored<> insert(statement& s, audit_row const& row) {
  auto const& e = row.event;
  auto const at = to_text(e.at);
  auto const cuts = to_text(row.cuts);
  auto const took = std::max<std::int64_t>(e.took / std::chrono::microseconds{1}, 0);
  return s.run(row.id, at, name(e.kind), e.who, e.what, e.tool, e.host, e.outcome, e.status, e.attempts, took,
               e.arguments, e.detail, cuts, std::span<std::uint8_t const>{row.previous},
               std::span<std::uint8_t const>{row.hash});
}

stored<> insert(statement& s, transition_event const& e) {
  auto const at = to_text(e.at);
  return s.run(at, e.tool, e.host, e.epoch, e.from, e.to, e.cause, e.calls, e.failures, e.slow);
}

stored<> insert(statement& s, health_row const& row) {
  auto const& n = row.counts;
  auto const success_at = text_or_null(n.last_success_at);
  auto const failure_at = text_or_null(n.last_failure_at);
  return s.run(row.key.tool, row.key.host, n.success, n.failure, n.ignored, n.abandoned, n.slow, n.late,
               n.rejected, success_at, failure_at);
}

}  // namespace halfopen::gateway
