#include <halfopen/gateway/storage_fixture.hpp>

namespace halfopen::gateway::testing {

void run_sql(std::filesystem::path const& file, std::string const& sql) {
  auto db = database::open(file, open_mode::create);
  ASSERT_TRUE(db) << db.error().message;
  auto const done = db->run(sql.c_str());
  ASSERT_TRUE(done) << done.error().message;
}

std::int64_t sql_number(std::filesystem::path const& file, std::string const& sql) {
  auto db = database::open(file, open_mode::create);
  if (!db) return -1;
  auto const n = db->number(sql);
  return n ? n->value_or(-2) : -3;
}

std::string sql_text(std::filesystem::path const& file, std::string const& sql) {
  auto db = database::open(file, open_mode::create);
  if (!db) return "cannot open";
  auto s = db->prepare(sql);
  if (!s) return s.error().message;
  s->start();
  auto const row = s->next();
  return row && *row ? std::string{s->text(0).value_or("no text")} : "no row";
}

stored<> flush(storage& s) {
  return answer_of<stored<>>([&](auto then) { s.flush(std::move(then)); });
}

stored<> record_durably(storage& s, audit_event e) {
  return answer_of<stored<>>([&](auto then) { s.record_durably(std::move(e), std::move(then)); });
}

stored<audit_page> read(storage& s, audit_query q) {
  return answer_of<stored<audit_page>>([&](auto then) { s.read(std::move(q), std::move(then)); });
}

stored<transition_page> read(storage& s, transition_query q) {
  return answer_of<stored<transition_page>>([&](auto then) { s.read(std::move(q), std::move(then)); });
}

audit_event some_event(std::string what) {
  audit_event e;
  e.who = "127.0.0.1:40112";
  e.what = std::move(what);
  e.tool = "payments";
  e.outcome = "success";
  e.status = 200;
  e.attempts = 1;
  e.took = 1500us;
  return e;
}

storage_config quick_config(temporary_folder const& folder) {
  storage_config c;
  c.file = folder / "halfopen.db";
  c.flush_every = 5ms;
  c.retry_first = 1ms;
  c.retry_most = 10ms;
  return c;
}

}  // namespace halfopen::gateway::testing
