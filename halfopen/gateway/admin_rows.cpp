#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

#include <nlohmann/json.hpp>

#include <halfopen/gateway/admin_api.hpp>
#include <halfopen/gateway/admin_view.hpp>

namespace halfopen::gateway {
namespace {

using nlohmann::json;

/// Reads the parameters that all row queries share; what is wrong is told in `problem`.
class parameters {
 public:
  explicit parameters(admin_request const& r) : r_{r} {}

  /// A name that is misspelt must not look like a question without a filter.
  void know(std::initializer_list<std::string_view> more) {
    constexpr std::array common{"tool", "from", "until", "after", "limit", "order"};
    for (auto const& [name, value] : r_.query) {
      bool const known =
          std::ranges::find(common, name) != common.end() || std::ranges::find(more, name) != more.end();
      if (!known) problem = "there is no parameter " + name;
    }
  }

  void read(row_query& q) {
    q.tool = r_.parameter("tool");
    q.from = date("from");
    q.until = date("until");
    q.after = number("after", 0, 0, INT64_MAX);
    q.limit = static_cast<std::uint32_t>(number("limit", 100, 1, row_query::rows_most));
    auto const order = r_.parameter("order");
    if (order == "oldest") q.order = row_order::oldest_first;
    if (!order.empty() && order != "oldest" && order != "newest") problem = "order is oldest or newest";
  }

  std::string problem;

 private:
  std::optional<wall_time> date(std::string_view name) {
    auto const text = r_.parameter(name);
    if (text.empty()) return std::nullopt;
    auto const t = parse_wall_time(text);
    if (!t) problem = std::string{name} + " is a date such as 2026-06-24T10:00:00.000Z";
    return t;
  }

  std::int64_t number(std::string_view name, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
    auto const text = r_.parameter(name);
    if (text.empty()) return otherwise;
    std::int64_t n = 0;
    auto const end = std::from_chars(text.data(), text.data() + text.size(), n);
    bool const good =
        end.ec == std::errc{} && end.ptr == text.data() + text.size() && n >= least && n <= most;
    if (!good)
      problem =
          std::string{name} + " is a number from " + std::to_string(least) + " to " + std::to_string(most);
    return good ? n : otherwise;
  }

  admin_request const& r_;
};

template <class Row>
std::string page_text(page<Row> const& p) {
  json rows = json::array();
  for (auto const& row : p.rows) rows.push_back(view(row));
  return text_of({{"rows", std::move(rows)},
                  {"next", p.next ? json(*p.next) : json(nullptr)},
                  {"problems", p.problems}});
}

template <class Row>
admin_reply reply_of(stored<page<Row>> const& answer) {
  if (!answer) return admin_problem(503, "storage", answer.error().message);
  return {.status = 200, .body = page_text(*answer), .fields = {}};
}

}  // namespace

void admin_api::audit(admin_connection& c, admin_request const& r) {
  audit_query q;
  parameters given{r};
  given.know({"kind", "outcome", "who", "format"});
  given.read(q);
  q.outcome = r.parameter("outcome");
  q.who = r.parameter("who");
  if (r.has("kind")) {
    q.kind = audit_kind_of(r.parameter("kind"));
    if (!q.kind) given.problem = "kind is call, refusal, admin, config or gateway";
  }
  bool const lines = r.parameter("format") == "jsonl";
  if (r.has("format") && !lines && r.parameter("format") != "json") given.problem = "format is json or jsonl";
  if (!given.problem.empty()) return c.reply(admin_problem(400, "bad_parameter", given.problem));
  if (!lines) {
    return parts_.store.read(q, [back = way_to(c)](stored<audit_page> answer) {
      back([reply = reply_of(answer)](admin_connection& to) { to.reply(reply); });
    });
  }
  q.order = row_order::oldest_first;
  q.limit = row_query::rows_most;
  c.begin_stream("application/x-ndjson");
  export_page(way_to(c), std::move(q));
}

// One page after the other, the next when this one has been sent.
void admin_api::export_page(way_back back, audit_query q) {
  parts_.store.read(q, [this, back, q](stored<audit_page> answer) {
    std::string text;
    if (answer)
      for (auto const& row : answer->rows) text += text_of(view(row));
    auto const next = answer ? answer->next : std::nullopt;
    back([this, back, q, next, failed = !answer, text = std::move(text)](admin_connection& to) mutable {
      to.drained = nullptr;
      if (failed) return to.cut();  // an export that ends early must not look whole
      if (!to.push(text)) return;
      if (!next) return to.end_stream();
      q.after = *next;
      if (to.waiting() == 0) return export_page(back, q);
      to.drained = [this, back, q] { export_page(back, q); };
    });
  });
}

void admin_api::transitions(admin_connection& c, admin_request const& r) {
  transition_query q;
  parameters given{r};
  given.know({"host"});
  given.read(q);
  if (r.has("host")) q.host = std::string{r.parameter("host")};
  if (!given.problem.empty()) return c.reply(admin_problem(400, "bad_parameter", given.problem));
  parts_.store.read(q, [back = way_to(c)](stored<transition_page> answer) {
    back([reply = reply_of(answer)](admin_connection& to) { to.reply(reply); });
  });
}

}  // namespace halfopen::gateway
