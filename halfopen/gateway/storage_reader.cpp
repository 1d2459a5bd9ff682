#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <halfopen/gateway/storage_reader.hpp>
#include <halfopen/gateway/storage_rows.hpp>

namespace halfopen::gateway {
namespace {

using value = std::variant<std::int64_t, std::string>;

/// "WHERE a = ? AND b = ?" and what belongs in the places, always together.
class conditions {
 public:
  void add(char const* condition, value v) {
    sql_ += sql_.empty() ? " WHERE " : " AND ";
    sql_ += condition;
    values_.push_back(std::move(v));
  }
  void add_if_given(char const* condition, std::string const& text) {
    if (!text.empty()) add(condition, text);
  }
  [[nodiscard]] std::string const& sql() const noexcept { return sql_; }
  void bind(statement& s) const {
    for (std::size_t i = 0; i < values_.size(); ++i)
      std::visit([&](auto const& v) { s.bind(static_cast<int>(i) + 1, v); }, values_[i]);
  }

 private:
  std::string sql_;
  std::vector<value> values_;
};

conditions common_conditions(row_query const& q) {
  conditions c;
  c.add_if_given("tool = ?", q.tool);
  if (q.from) c.add("at >= ?", to_text(*q.from));
  if (q.until) c.add("at < ?", to_text(*q.until));
  if (q.after != 0) c.add(q.order == row_order::oldest_first ? "id > ?" : "id < ?", q.after);
  return c;
}

template <class Row, class Read>
stored<page<Row>> collect(statement& s, std::uint32_t limit, Read read) {
  page<Row> result;
  std::int64_t last = 0;
  for (std::uint32_t seen = 0;; ++seen) {
    auto const more = s.next();
    if (!more) return unexpected<storage_error>{more.error()};
    if (!*more) return result;
    if (seen == limit) break;  // one more than asked for: there is a next page
    last = s.integer(0).value_or(0);
    if (auto row = read(s))
      result.rows.push_back(std::move(*row));
    else
      result.problems.push_back(row.error());
  }
  result.next = last;
  return result;
}

template <class Row, class Read>
stored<page<Row>> ask(std::filesystem::path const& file, std::string_view columns_and_table,
                      row_query const& q, conditions const& where, duration limit, Read read) {
  auto db = database::open(file, open_mode::read_only);
  if (!db) return unexpected<storage_error>{db.error()};
  db->stop_at(instant{std::chrono::steady_clock::now().time_since_epoch()} + limit);
  auto const rows = std::clamp<std::uint32_t>(q.limit, 1, row_query::rows_most);
  auto s = db->prepare("SELECT " + std::string{columns_and_table} + where.sql() + " ORDER BY id " +
                       (q.order == row_order::oldest_first ? "ASC" : "DESC") + " LIMIT " +
                       std::to_string(rows + 1));
  if (!s) return unexpected<storage_error>{s.error()};
  where.bind(*s);
  auto result = collect<Row>(*s, rows, read);
  if (!result && result.error().fault == storage_fault::refused)
    result.error().message = "the question took too long; narrow it (" + result.error().message + ")";
  return result;
}

}  // namespace

stored<audit_page> read_page(std::filesystem::path const& file, audit_query const& q, duration limit) {
  auto where = common_conditions(q);
  if (q.kind) where.add("kind = ?", std::string{name(*q.kind)});
  where.add_if_given("outcome = ?", q.outcome);
  where.add_if_given("who = ?", q.who);
  return ask<audit_row>(file, std::string{audit_columns} + " FROM audit_log", q, where, limit,
                        read_audit_row);
}

stored<transition_page> read_page(std::filesystem::path const& file, transition_query const& q,
                                  duration limit) {
  auto where = common_conditions(q);
  if (q.host) where.add("host = ?", *q.host);
  return ask<transition_row>(file, std::string{transition_columns} + " FROM transitions", q, where, limit,
                             read_transition_row);
}

}  // namespace halfopen::gateway
