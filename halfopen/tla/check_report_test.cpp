#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/tla/check_report.hpp>
#include <halfopen/tla/evaluate.hpp>

/// What is written for machines, held against the schemas in docs/schemas by python's jsonschema where that
/// is at hand.
namespace halfopen::tla {
namespace {

namespace fs = std::filesystem;

fs::path project() {
  for (auto root = fs::current_path(); root != root.root_path(); root = root.parent_path()) {
    if (fs::exists(root / "CMakePresets.json")) return root;
  }
  return {};
}

bool have_validator() { return std::system("python3 -c 'import jsonschema' 2>/dev/null") == 0; }

bool valid(std::string const& json, std::string const& schema) {
  temporary_folder const folder;
  auto const file = folder / "sample.json";
  write(file, json);
  auto const run =
      "python3 -c 'import json,sys,jsonschema; jsonschema.validate(json.load(open(sys.argv[1])), "
      "json.load(open(sys.argv[2])))' '" +
      file.string() + "' '" + (project() / "docs/schemas" / (schema + ".schema.json")).string() +
      "' 2>/dev/null";
  return std::system(run.c_str()) == 0;
}

trace sample() {
  trace t;
  t.spec = "Gate";
  t.property = "Live";
  t.states = {{"Initial predicate", "", {{"x", "{1}", "{\"#set\": [1]}"}}},
              {"Step", "Gate.tla:3:1", {{"x", "{}", ""}}}};
  t.back_to = 1;
  return t;
}

class schema : public testing::Test {
 protected:
  void SetUp() override {
    if (project().empty() || !have_validator()) GTEST_SKIP() << "no python3 with jsonschema here";
  }
};

TEST_F(schema, traces_fit) {
  EXPECT_TRUE(valid(to_json(sample()), "trace"));
  auto endless = sample();
  endless.back_to.reset();
  EXPECT_TRUE(valid(to_json(endless), "trace"));
  EXPECT_FALSE(valid("{}", "trace"));
}

TEST_F(schema, results_fit) {
  check_report r{"Gate.tla", "Gate.cfg", {13, "Live", 5, 9, 2, 0.25, "a \"lasso\""}, sample(), {}, "hello\n"};
  r.diagnostics.push_back({"Gate.cfg", {2, 1}, severity::warning, "cfg.twice", "a", "b", "c"});
  EXPECT_TRUE(valid(to_json(r), "check-result"));
  EXPECT_TRUE(valid(to_json(check_report{}), "check-result"));
  r.way->states[0].variables[0].expression = "x + 1";
  r.walks = walked{.counts = {.walks = 1}, .how = {.seed = ~std::uint64_t{0}}, .found_on = 3};
  EXPECT_TRUE(valid(to_json(r), "check-result"));
  EXPECT_TRUE(valid(to_json(*r.way), "trace"));
  r.covered = coverage{{{"Step", "Gate.tla:3:1", 2, 1}, {"Stop", "Gate.tla:4:1", 0, {}}},
                       {{"Gate.tla", {3, 9}, "x = 1", 2, 1}},
                       {{"x", true}}};
  EXPECT_TRUE(valid(to_json(r), "check-result"));
  EXPECT_TRUE(valid(to_json(*r.covered), "coverage"));
}

TEST_F(schema, values_of_expressions_fit) {
  std::vector<evaluated> all{{"1 + 1", {{"2", "2", 0, {}}}, 0, "a \"text\"\n"}};
  all.push_back(
      {"x", {{"{1}", "{\"#set\": [1]}", 2, {{"x", "{1}", ""}}}, {"{}", "{\"#set\": []}", 1, {}}}, 3});
  EXPECT_TRUE(valid(to_json(all), "check-eval"));
  EXPECT_FALSE(valid(to_json(std::vector<evaluated>{{}}), "check-eval"));
}

TEST_F(schema, results_of_a_folder_fit) {
  std::vector<checked> all(2);
  all[0].job.want.verdict = "ok";
  all[1].job.problem = all[1].difference = "no module";
  EXPECT_TRUE(valid(to_json(all), "check-all"));
}

}  // namespace
}  // namespace halfopen::tla
