#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/app/process_fixture.hpp>
#include <halfopen/app/status.hpp>
#include <halfopen/net/http_server.hpp>

namespace halfopen::app {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr char const* two_tools = R"({"tools":[
  {"name":"a","breaker":{"state":"open","cause":"failures","in_state_ms":1500,"retry_after_ms":500,"window":{"calls":0,"failures":0}},
   "hosts":[{"url":"http://h:1","breaker":{"state":"closed","cause":"created","in_state_ms":1,"retry_after_ms":0,"window":{"calls":7,"failures":2}}},
            {"url":"http://h:2","breaker":null}]},
  {"name":"b","breaker":null,"hosts":[]}]})";

TEST(status, reads_the_tools_of_the_admin_api) {
  auto const rows = rows_of(two_tools);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].state, "open");
  EXPECT_EQ(rows[0].retry_after, 500ms);
  EXPECT_EQ(rows[1].host, "http://h:1");
  EXPECT_EQ(rows[1].failures, 2U);
  EXPECT_EQ(rows[2].tool, "b");
  EXPECT_EQ(rows[2].state, "");
}

TEST(status, survives_whatever_it_is_sent) {
  for (char const* const text :
       {"", "{", "[]", "3", R"({"tools":3})", R"({"tools":[3,null,{"name":4,"hosts":{"x":1}}]})"})
    for (auto const& r : rows_of(text)) EXPECT_EQ(r.state, "") << text;
}

// A gateway's admin API, as far as `status` knows it.
class status_of_a_gateway : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = net::http_server::start([this](net::whole_request const& r) { return answer(r); }).value();
    folder_.write("token", "right\n");
    command_.target.address = server_->local().text();
    command_.target.token_file = folder_ / "token";
  }
  net::whole_reply answer(net::whole_request const& r) const {
    if (r.field("Authorization") != "Bearer right") return {.status = 401};
    if (broken_) return {.status = 500};
    if (r.target == "/healthz") return {.body = R"({"uptime_s":65,"draining":false,"storage":{"ok":true}})"};
    return {.body = two_tools};
  }
  exit_code run_it() { return run(command_, terminal_); }

  temporary_folder folder_;
  bool broken_ = false;
  std::unique_ptr<net::http_server> server_;
  status_command command_;
  std::ostringstream out_, err_;
  terminal terminal_{out_, err_};
};

TEST_F(status_of_a_gateway, is_a_table) {
  EXPECT_EQ(run_it(), exit_code::done);
  EXPECT_THAT(out_.str(),
              HasSubstr("up 65 s\n\nTOOL  HOST        STATE        WINDOW         NEXT             WHY\n"
                        "a     -           open 1 s     0 of 0 failed  probe in 500 ms  failures\n"));
}

TEST_F(status_of_a_gateway, is_json_where_asked) {
  command_.json = true;
  EXPECT_EQ(run_it(), exit_code::done);
  EXPECT_THAT(out_.str(), HasSubstr("\"uptime_s\": 65"));
}

TEST_F(status_of_a_gateway, says_that_the_token_is_wrong) {
  folder_.write("token", "wrong\n");
  EXPECT_EQ(run_it(), exit_code::failed);
  EXPECT_EQ(err_.str(), "halfopen: error: the gateway at http://" + server_->local().text() +
                            " does not take the token in " + (folder_ / "token").string() + "\n");
}

TEST_F(status_of_a_gateway, says_that_there_is_no_token) {
  command_.target.token_file = folder_ / "none";
  EXPECT_EQ(run_it(), exit_code::failed);
  EXPECT_THAT(err_.str(), HasSubstr("no token in "));
}

TEST_F(status_of_a_gateway, says_that_no_gateway_answers) {
  server_.reset();
  EXPECT_EQ(run_it(), exit_code::failed);
  EXPECT_THAT(err_.str(), HasSubstr("no gateway answers at http://127.0.0.1:"));
}

TEST_F(status_of_a_gateway, says_what_it_answered_instead) {
  broken_ = true;
  EXPECT_EQ(run_it(), exit_code::failed);
  EXPECT_THAT(err_.str(), HasSubstr("/v1/tools answered 500"));
}

TEST_F(status_of_a_gateway, needs_to_know_where_it_is) {
  command_.target = {.config = folder_ / "gateway.yaml"};
  EXPECT_EQ(run_it(), exit_code::usage);
  EXPECT_THAT(err_.str(), HasSubstr("say where the gateway is with --config"));
  command_.target = {.address = "nowhere", .token_file = folder_ / "token"};
  EXPECT_EQ(run_it(), exit_code::usage);
  EXPECT_THAT(err_.str(), HasSubstr("\"nowhere\" is not an address and a port"));
}

}  // namespace
}  // namespace halfopen::app
