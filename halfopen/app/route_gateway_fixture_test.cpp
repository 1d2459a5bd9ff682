#include <csignal>
#include <sstream>

#include <sqlite3.h>

#include <halfopen/app/route_gateway_fixture.hpp>

namespace halfopen::route {

std::string setup::text() const {
  std::string urls;
  for (auto const& h : hosts) urls += (urls.empty() ? "" : ", ") + h;
  return "listen: 127.0.0.1:0\n"
         "admin: {listen: 127.0.0.1:0, token_file: admin.token}\n"
         "storage: {sqlite: halfopen.db, " +
         storage + ", audit: " + audit +
         "}\n"
         "watch: " +
         watch + "\nloops: " + loops +
         "\n"
         "log: " +
         log +
         "\n"
         "timeouts: {" +
         timeouts +
         "}\n"
         "policies:\n"
         "  careful:\n"
         "    - timeout: " +
         call_timeout +
         "\n"
         "    - circuit_breaker: {per: " +
         per + ", window: " + window + ", minimum_calls: " + minimum_calls + ", open_for: " + open_for +
         breaker +
         "}\n"
         "    - timeout: " +
         attempt_timeout +
         "\n"
         "tools:\n"
         "  t: {hosts: [" +
         urls + "], policy: careful, path: /run" + tool + "}\n" + tools + "routes:\n" + routes +
         "  - {match: {path: /}, tool: t}\n" + more;
}

metrics parse_metrics(std::string const& text) {
  metrics m;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    auto const space = line.rfind(' ');
    if (line.empty() || line[0] == '#' || space == std::string::npos) continue;
    m[line.substr(0, space)] = std::stod(line.substr(space + 1));
  }
  return m;
}

std::string text_at(json const& object, std::string const& member) {
  auto const at = object.find(member);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

void run_sql(std::filesystem::path const& file, std::string const& sql) {
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

gateway::gateway(std::string const& config, std::string const& command) : command_{command} {
  configure(config);
  start();
}

void gateway::start() {
  std::filesystem::remove(file("ready"));
  process_.emplace(std::vector<std::string>{command_, "serve", "--config", config_file().string(),
                                            "--ready-file", file("ready").string(), "--log", "json"},
                   file("out"), file("err"));
  bool const ready =
      becomes_true([&] { return std::filesystem::exists(file("ready")) || !process_->runs(); });
  if (!ready || !process_->runs()) {
    ADD_FAILURE() << "the gateway does not start: " << errors();
    throw std::runtime_error{"no gateway"};
  }
  auto const told = json::parse(contents(file("ready")));
  auto const port_of = [&](char const* name) {
    auto const address = told.at(name).get<std::string>();
    return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  };
  port_ = port_of("listen");
  admin_port_ = port_of("admin");
  token_ = contents(told.at("token_file").get<std::string>());
  token_.resize(token_.find_last_not_of("\r\n ") + 1);
}

std::optional<int> gateway::end() {
  process_->signal(SIGTERM);
  return process_->wait();
}

reply gateway::get(std::string const& target, field_lines const& fields) const {
  return call(port_, "GET", target, {}, fields);
}

reply gateway::post(std::string const& target, std::string const& body, field_lines const& fields) const {
  return call(port_, "POST", target, body, fields);
}

reply gateway::invoke(std::string const& tool, std::string const& body) const {
  return post("/v1/tools/" + tool + "/invoke", body, {"Content-Type: application/json"});
}

reply gateway::admin(std::string const& method, std::string const& target, std::string const& body,
                     field_lines fields) const {
  fields.push_back("Authorization: Bearer " + token_);
  return call(admin_port_, method, target, body, fields);
}

json gateway::ask(std::string const& target) const {
  auto const r = admin("GET", target);
  EXPECT_EQ(r.status, 200) << target << ": " << r.body;
  auto parsed = json::parse(r.body, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << target << ": " << r.body;
  return parsed;
}

reply gateway::operate(std::string const& act, std::string const& reason) const {
  return admin("POST", "/v1/tools/t/breaker/" + act, json{{"reason", reason}}.dump());
}

json gateway::breaker(std::string const& tool) const { return ask("/v1/tools/" + tool + "/breaker"); }

bool gateway::reaches(std::string const& wanted) const {
  bool const reached = becomes_true([&] { return state() == wanted; });
  EXPECT_TRUE(reached) << "not " << wanted << " but " << breaker().dump();
  return reached;
}

std::uint64_t gateway::count(std::string const& name, std::string const& tool) const {
  return ask("/v1/tools/" + tool)["health"].value(name + "_count", ~std::uint64_t{0});
}

metrics gateway::scrape() const {
  auto const r = admin("GET", "/metrics");
  EXPECT_EQ(r.status, 200);
  return parse_metrics(r.body);
}

void gateway::trip(upstream& u) const {
  u.now(answers(500));
  EXPECT_TRUE(becomes_true([&] { return get().status == 503; })) << "it does not trip";
}

bool gateway::calls_until(int status) const {
  return becomes_true([&] { return get().status == status; });
}

}  // namespace halfopen::route
