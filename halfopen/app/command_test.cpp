#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <halfopen/app/init.hpp>
#include <halfopen/app/process_fixture.hpp>
#include <halfopen/net/http_client.hpp>
#include <halfopen/net/http_server.hpp>

// The built command as a process: what it prints, where, and how it ends.
namespace halfopen::app {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string any_port(std::string text) {
  for (char const* const port : {"127.0.0.1:8080", "127.0.0.1:9090"})
    text.replace(text.find(port), std::strlen(port), "127.0.0.1:0");
  return text;
}

class command : public ::testing::Test {
 protected:
  int run(std::vector<std::string> arguments) {
    command_process p{HALFOPEN_COMMAND, folder_.path(), std::move(arguments)};
    int const code = p.end();
    out_ = p.out();
    err_ = p.err();
    return code;
  }
  net::endpoint address(std::string const& key) const {
    auto const ready = nlohmann::json::parse(folder_.read("ready.json"));
    return net::endpoint::parse(ready.at(key).get<std::string>()).value();
  }

  temporary_folder folder_;
  std::string out_;
  std::string err_;
};

TEST_F(command, prints_results_to_stdout_and_complaints_to_stderr) {
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_THAT(out_, HasSubstr("halfopen "));
  EXPECT_THAT(err_, IsEmpty());
  EXPECT_EQ(run({"frobnicate"}), 2);
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_THAT(err_, ContainsRegex("^halfopen: error: no command \"frobnicate\""));
}

TEST_F(command, writes_no_colours_into_a_pipe) {
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_THAT(out_, ::testing::Not(HasSubstr("\x1b")));
}

TEST_F(command, reports_every_mistake_of_a_configuration_and_returns_2) {
  folder_.write(
      "g.yaml",
      "listen: 1\nadmin: {listen: 2}\nstorage: {flush: 3}\nloops: x\ntools: {t: {hosts: [y], polcy: z}}\n"
      "limits: {connections_max: 0, request_head_max: 5}\ntimeouts: {call: 1}\nroutes: [{tool: u}]\n");
  std::vector<std::vector<std::string>> const ways{{"serve", "--config", "g.yaml", "--check-config"},
                                                   {"serve", "--config", "g.yaml"},
                                                   {"config", "show", "g.yaml"}};
  for (auto const& how : ways) {
    EXPECT_EQ(run(how), 2);
    for (char const* const place :
         {"g.yaml:1:9:", "g.yaml:2:17:", "g.yaml:3:18:", "g.yaml:4:8:", "g.yaml:5:21:", "g.yaml:5:25:",
          "g.yaml:6:27:", "g.yaml:6:48:", "g.yaml:7:18:", "g.yaml:8:10:"})
      EXPECT_THAT(err_, HasSubstr(place));
    EXPECT_THAT(err_, HasSubstr("did you mean policy?"));
    EXPECT_THAT(out_, IsEmpty());
  }
}

TEST_F(command, reports_mistakes_as_json_where_asked) {
  folder_.write("g.yaml", "lisen: 1\n");
  EXPECT_EQ(run({"serve", "-c", "g.yaml", "--check-config", "--json"}), 2);
  auto const report = nlohmann::json::parse(out_);
  EXPECT_FALSE(report.at("ok").get<bool>());
  EXPECT_EQ(report.at("problems").size(), 2U);
  EXPECT_EQ(report.at("problems").at(0).at("code"), "config.missing");
}

TEST_F(command, checks_what_init_writes) {
  EXPECT_EQ(run({"init"}), 0);
  EXPECT_EQ(run({"serve", "--check-config"}), 0);
  EXPECT_EQ(out_, "gateway.yaml: ok, 1 tool, 1 policy, 1 route\n");
  EXPECT_EQ(run({"init"}), 1);
}

TEST_F(command, shows_a_configuration_as_written_and_as_in_force) {
  folder_.write("gateway.yaml", "tools: {t: {hosts: [http://h]}}\n");
  EXPECT_EQ(run({"config", "show"}), 0);
  EXPECT_EQ(out_, "tools:\n  t:\n    hosts: [http://h]\n");
  EXPECT_EQ(run({"config", "show", "--effective"}), 0);
  EXPECT_THAT(out_, HasSubstr("hosts: [http://h:80]"));
  EXPECT_EQ(run({"config", "show", "--effective", "--json"}), 0);
  EXPECT_EQ(nlohmann::json::parse(out_).at("tools").at("t").at("hosts").at(0), "http://h:80");
  EXPECT_EQ(run({"config", "schema"}), 0);
  EXPECT_TRUE(nlohmann::json::parse(out_).is_object());
}

TEST_F(command, says_in_one_line_that_a_configuration_is_missing) {
  EXPECT_EQ(run({"serve", "--config", "none.yaml"}), 2);
  EXPECT_EQ(err_,
            "none.yaml: error: found no such file, expected a file that can be read; `halfopen init` writes "
            "one to start "
            "from [config.unreadable]\n");
}

TEST_F(command, serves_what_init_writes_reloads_and_drains) {
  auto const upstream = net::http_server::start([](net::whole_request const&) {
                          return net::whole_reply{.body = "hello"};
                        }).value();
  auto text = any_port(std::string{starting_config()});
  text.replace(text.find("127.0.0.1:9001"), 14, upstream->local().text());
  folder_.write("gateway.yaml", text);
  command_process gateway{HALFOPEN_COMMAND, folder_.path(), {"serve", "--ready-file", "ready.json"}};
  ASSERT_TRUE(gateway.wait_for("ready"));
  net::http_client client{address("listen")};
  auto const reply = client.get("/", 10s);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "hello");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "halfopen.db"));

  gateway.signal(SIGHUP);
  EXPECT_TRUE(gateway.wait_for("the configuration was read again"));
  folder_.write("gateway.yaml", "nonsense: 1\n");
  gateway.signal(SIGHUP);
  EXPECT_TRUE(gateway.wait_for("the configuration in force stays"));
  EXPECT_TRUE(client.get("/", 10s));

  gateway.signal(SIGTERM);
  EXPECT_EQ(gateway.end(), 0);
  EXPECT_THAT(gateway.err(), HasSubstr("draining"));
  EXPECT_EQ(run({"audit", "verify", "--database", "halfopen.db"}), 0);
  EXPECT_THAT(out_, HasSubstr("the chain holds"));
}

TEST_F(command, shows_the_breakers_of_a_running_gateway) {
  folder_.write("gateway.yaml", any_port(std::string{starting_config()}));
  command_process gateway{HALFOPEN_COMMAND, folder_.path(), {"serve", "--ready-file", "ready.json"}};
  ASSERT_TRUE(gateway.wait_for("ready"));
  auto const admin = address("admin").text();
  EXPECT_EQ(run({"status", "--admin", admin}), 0) << err_;
  EXPECT_THAT(out_, ContainsRegex("example  -  +closed [0-9]+ m?s  0 of 0 failed\n"));
  EXPECT_THAT(out_, ContainsRegex("example  http://127.0.0.1:9001  closed"));
  EXPECT_EQ(run({"status", "--admin", admin, "--json"}), 0);
  EXPECT_EQ(nlohmann::json::parse(out_).at("tools").at(0).at("breaker").at("state"), "closed");
  folder_.write("wrong", "0123456789abcdef0123456789abcdef\n");
  EXPECT_EQ(run({"status", "--admin", admin, "--token-file", "wrong"}), 1);
  EXPECT_EQ(err_, "halfopen: error: the gateway at http://" + admin + " does not take the token in wrong\n");

  command_process watching{
      HALFOPEN_COMMAND, folder_.path(), {"status", "--watch", "--every", "50ms", "--json", "--admin", admin}};
  ASSERT_TRUE(watching.wait_for_out("}\n{"));
  watching.signal(SIGINT);
  EXPECT_EQ(watching.end(), 0);
  gateway.signal(SIGTERM);
  EXPECT_EQ(gateway.end(), 0);
  EXPECT_EQ(run({"status", "--admin", admin}), 1);
  EXPECT_THAT(err_, HasSubstr("no gateway answers at http://" + admin));
}

TEST_F(command, says_in_one_line_that_a_port_is_taken) {
  auto const other =
      net::http_server::start([](net::whole_request const&) { return net::whole_reply{}; }).value();
  folder_.write("gateway.yaml", "listen: " + other->local().text() +
                                    "\nadmin: {listen: \"127.0.0.1:0\"}\ntools: {t: {hosts: [http://h]}}\n");
  EXPECT_EQ(run({"serve"}), 1);
  EXPECT_EQ(err_, "halfopen: error: cannot listen on " + other->local().text() +
                      ": Address already in use; is another gateway running?\n");
}

// Listeners of one gateway share their port; those of two must not.
TEST_F(command, does_not_share_a_port_with_another_gateway) {
  folder_.write("gateway.yaml", any_port(std::string{starting_config()}));
  command_process first{HALFOPEN_COMMAND, folder_.path(), {"serve", "--ready-file", "ready.json"}};
  ASSERT_TRUE(first.wait_for("ready"));
  auto const at = address("listen").text();
  folder_.write("second.yaml", "listen: " + at +
                                   "\nadmin: {listen: \"127.0.0.1:0\"}\nstorage: {sqlite: second.db}\ntools: "
                                   "{t: {hosts: [http://h]}}\n");
  EXPECT_EQ(run({"serve", "--config", "second.yaml"}), 1);
  EXPECT_THAT(err_, HasSubstr("cannot listen on " + at));
  first.signal(SIGINT);
  EXPECT_EQ(first.end(), 0);
}

TEST_F(command, refuses_a_database_that_another_gateway_writes) {
  auto const text = any_port(std::string{starting_config()});
  folder_.write("gateway.yaml", text);
  command_process first{HALFOPEN_COMMAND, folder_.path(), {"serve", "--ready-file", "ready.json"}};
  ASSERT_TRUE(first.wait_for("ready"));
  auto const pid = nlohmann::json::parse(folder_.read("ready.json")).at("pid").dump();
  EXPECT_EQ(run({"serve"}), 2);
  EXPECT_THAT(err_,
              HasSubstr("halfopen: error: the database halfopen.db is written by process " + pid +
                        ", most likely another gateway; end that one, or give this one a file of its own "
                        "(storage.sqlite)\n"));
  first.signal(SIGTERM);
  EXPECT_EQ(first.end(), 0);
  command_process next{HALFOPEN_COMMAND, folder_.path(), {"serve", "--ready-file", "ready.json"}};
  EXPECT_TRUE(next.wait_for("ready"));
  next.signal(SIGTERM);
  EXPECT_EQ(next.end(), 0);
}

TEST_F(command, says_in_one_line_that_a_database_cannot_be_written) {
  folder_.write("gateway.yaml",
                "listen: \"127.0.0.1:0\"\nadmin: {listen: \"127.0.0.1:0\"}\nstorage: {sqlite: "
                "none/h.db}\ntools: {t: {hosts: [http://h]}}\n");
  EXPECT_EQ(run({"serve"}), 1);
  EXPECT_EQ(err_, "halfopen: error: cannot write the database none/h.db: none: No such file or directory\n");
}

TEST_F(command, finds_an_audit_log_that_is_not_there) {
  EXPECT_EQ(run({"audit", "verify", "--database", "none.db"}), 2);
  EXPECT_EQ(err_, "halfopen: error: no database none.db\n");
}

TEST_F(command, shows_trip_probe_and_recovery_in_the_demo) {
  EXPECT_EQ(run({"demo", "--once"}), 0) << err_;
  EXPECT_THAT(out_, ContainsRegex(
                        " s  open       5 of the last [0-9]+ calls failed; no call reaches it for 1.0 s\n"));
  EXPECT_THAT(out_, HasSubstr(" s  open       the probe failed; no call reaches it for 2.0 s\n"));
  EXPECT_THAT(out_, HasSubstr(" s  closed     the probe succeeded; every call passes again\n"));
  EXPECT_THAT(out_, ::testing::Not(HasSubstr("\x1b")));
}

TEST_F(command, tells_the_demo_as_json_where_asked) {
  EXPECT_EQ(run({"demo", "--once", "--json"}), 0) << err_;
  std::vector<std::string> told;
  std::istringstream lines{out_};
  for (std::string line; std::getline(lines, line);) {
    auto const j = nlohmann::json::parse(line);
    told.push_back(j.at("event") == "transition" ? j.at("to").get<std::string>()
                                                 : j.at("event").get<std::string>());
  }
  EXPECT_THAT(told,
              ::testing::ElementsAre("broken", "open", "half_open", "open", "healed", "half_open", "closed"));
}

TEST_F(command, ends_the_demo_when_it_is_interrupted) {
  command_process demo{HALFOPEN_COMMAND, folder_.path(), {"demo"}};
  ASSERT_TRUE(demo.wait_for_out("the service answers"));
  demo.signal(SIGINT);
  EXPECT_EQ(demo.end(), 0);
}

}  // namespace
}  // namespace halfopen::app
