#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/tla/config.hpp>
#include <halfopen/tla/parser.hpp>
#include <halfopen/tla/spec.hpp>

/// The front end against the shared acceptance suite, where that is at hand: HALFOPEN_SHARED names its
/// folder, else it is looked for beside the project.
namespace halfopen::tla {
namespace {

namespace fs = std::filesystem;

fs::path suite() {
  if (auto const* given = std::getenv("HALFOPEN_SHARED"); given != nullptr)
    return fs::path{given} / "tla-suite";
  for (auto root = fs::current_path(); root != root.root_path(); root = root.parent_path()) {
    if (fs::exists(root / "CMakePresets.json")) return root.parent_path() / "shared" / "tla-suite";
  }
  return {};
}

std::string read(fs::path const& p) {
  std::ifstream in{p, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

std::vector<fs::path> files(std::string const& extension) {
  std::vector<fs::path> all;
  for (auto const& f : fs::recursive_directory_iterator{suite()}) {
    if (f.path().extension() == extension) all.push_back(f.path());
  }
  return all;
}

struct row {
  fs::path spec;
  fs::path cfg;
  std::string verdict;
  std::string note;
};

std::vector<row> rows() {
  std::ifstream table{suite() / "expected.tsv"};
  std::vector<row> all;
  std::string line;
  for (std::getline(table, line); std::getline(table, line);) {
    std::istringstream in{line};
    std::vector<std::string> cells;
    for (std::string cell; std::getline(in, cell, '\t');) cells.push_back(cell);
    if (cells.size() < 9) continue;
    auto const spec = suite() / cells[0];
    all.push_back({spec, spec.parent_path() / cells[1], cells[3], cells.size() > 9 ? cells[9] : ""});
  }
  return all;
}

class acceptance_suite : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(suite() / "expected.tsv")) GTEST_SKIP() << "no acceptance suite at " << suite();
  }
};

TEST_F(acceptance_suite, specs_load_and_bind_unless_a_row_says_that_they_are_wrong) {
  for (auto const& r : rows()) {
    bool const bad_spec = r.verdict == "parse_error" || r.verdict == "semantic_error";
    auto const s = load(r.spec.string());
    EXPECT_EQ(s.has_value(), !bad_spec) << r.spec << (s ? "" : "\n" + to_string(s.error()[0]));
    if (!s || r.verdict == "config_error" || r.note.find("also:config_error") != std::string::npos) continue;
    auto const c = read_config(r.cfg.string());
    ASSERT_TRUE(c) << to_string(c.error()[0]);
    auto const b = bind(*c, *s);
    EXPECT_TRUE(b) << r.cfg << "\n" << (b ? "" : to_string(b.error()[0]));
  }
}

/// Every seventh cut, starting elsewhere in each file; with HALFOPEN_EVERY_CUT in the environment, every one.
std::size_t stride() { return std::getenv("HALFOPEN_EVERY_CUT") != nullptr ? 1 : 7; }

/// A cut-off module is never whole, so parsing is all that happens to it.
TEST_F(acceptance_suite, no_cut_off_spec_crashes_or_hangs) {
  for (auto const& p : files(".tla")) {
    auto const text = read(p);
    for (auto n = text.size() % stride(); n <= text.size(); n += stride()) {
      syntax_arena arena;
      source_file const file{p.string(), text.substr(0, n)};
      auto const r = parse_module(file, arena);
      ASSERT_TRUE(r.tree != nullptr || !r.errors.empty()) << p << " cut at " << n;
    }
  }
}

TEST_F(acceptance_suite, no_spec_with_lines_missing_at_its_end_crashes_or_hangs) {
  for (auto const& p : files(".tla")) {
    auto const text = read(p);
    for (auto n = text.find('\n'); n != std::string::npos; n = text.find('\n', n + 1)) {
      auto const s = load_text(text.substr(0, n) + "\n====\n", p.string());
      if (!s) {
        ASSERT_FALSE(s.error().empty()) << p << " cut at " << n;
      }
    }
  }
}

TEST_F(acceptance_suite, no_cut_off_configuration_crashes_or_hangs) {
  for (auto const& p : files(".cfg")) {
    auto const text = read(p);
    for (std::size_t n = 0; n <= text.size(); ++n) {
      auto const c = parse_config(std::string_view{text}.substr(0, n), p.string());
      if (!c) {
        ASSERT_FALSE(c.error().empty()) << p << " cut at " << n;
      }
    }
  }
}

/// The facts that the table's notes ask a message to name.
TEST_F(acceptance_suite, messages_name_the_facts) {
  struct fact {
    char const* file;
    std::vector<std::string> parts;
  };
  std::vector<fact> const facts = {
      {"ArityHigher", {"ArityHigher.tla:8:", "Add", "Map"}},
      {"ArityNone", {"ArityNone.tla:7:", "Inc"}},
      {"ArityTooMany", {"ArityTooMany.tla:7:", "Inc with 2 arguments", "1 argument"}},
      {"AtOutsideExcept", {"AtOutsideExcept.tla:6:", "found @"}},
      {"BoxOfAction", {"BoxOfAction.tla:7:"}},
      {"CircularExtends", {"CircularExtends", "CircularOther"}},
      {"DoublePrime", {"DoublePrime.tla:7:"}},
      {"DuplicateBound", {"DuplicateBound.tla:6:", "name x"}},
      {"DuplicateDef", {"DuplicateDef.tla:7:", "Limit", "DuplicateDef.tla:5:"}},
      {"InstanceNoSubst", {"InstanceNoSubst.tla:5:", "CONSTANT K", "ErrLib"}},
      {"MissingModule", {"NoSuchModule", "MissingModule.tla"}},
      {"ModuleNameDiffers", {"ModuleNameDiffers.tla", "SomethingElse"}},
      {"ParseBadChar", {"ParseBadChar.tla:4:", ";"}},
      {"ParseBulletLeft", {"ParseBulletLeft.tla:6:"}},
      {"ParseChainedEq", {"ParseChainedEq.tla:5:", "="}},
      {"ParseChainedImplies", {"ParseChainedImplies.tla:5:", "=>"}},
      {"ParseComment", {"ParseComment.tla:4:", "not closed"}},
      {"ParseDangling", {"ParseDangling.tla:6:", "Next", "operand of +"}},
      {"ParseIfNoElse", {"ParseIfNoElse.tla:7:", "ELSE"}},
      {"ParseMixedAndOr", {"ParseMixedAndOr.tla:5:", "/\\ and \\/"}},
      {"ParseNestedPattern", {"ParseNestedPattern.tla:6:"}},
      {"ParseNoEnd", {"ParseNoEnd.tla", "the end of the file", "===="}},
      {"ParseParen", {"ParseParen.tla:7:", "expected )"}},
      {"ParsePlusPercent", {"ParsePlusPercent.tla:6:", "+ and %"}},
      {"ParseReserved", {"ParseReserved.tla:3:", "CASE"}},
      {"ParseSingleEq", {"ParseSingleEq.tla:4:", "=="}},
      {"ParseString", {"ParseString.tla:4:", "not closed"}},
      {"PrimedConstantLevel", {"PrimedConstantLevel.tla:5:", "variables"}},
      {"RecursiveUndeclared", {"RecursiveUndeclared.tla:5:", "RECURSIVE Down"}},
      {"UndefinedInInstance", {"UndefinedInInstance.tla:6:", "I!Twoo", "I!Two?"}},
      {"UndefinedName", {"UndefinedName.tla:6:", "stepp"}},
      {"UndefinedOperator", {"UndefinedOperator.tla:5:", "operator +", "Naturals"}},
  };
  for (auto const& f : facts) {
    auto const s = load((suite() / "errors" / (std::string{f.file} + ".tla")).string());
    ASSERT_FALSE(s) << f.file;
    std::string message;
    for (auto const& d : s.error()) message += to_string(d) + "\n";
    for (auto const& part : f.parts) EXPECT_THAT(message, testing::HasSubstr(part));
  }
}

/// HALFOPEN_EXAMPLES=DIR: every module below it, such as the public Examples collection. Prints how long it
/// took.
TEST(collection, every_module_parses_and_resolves_unless_another_is_missing) {
  auto const* folder = std::getenv("HALFOPEN_EXAMPLES");
  if (folder == nullptr) GTEST_SKIP() << "HALFOPEN_EXAMPLES names no folder";
  std::vector<std::string> modules;
  for (auto const& f : fs::recursive_directory_iterator{folder}) {
    if (f.path().extension() == ".tla") modules.push_back(f.path().string());
  }
  std::size_t incomplete = 0;
  auto const began = std::chrono::steady_clock::now();
  for (auto const& m : modules) {
    auto const s = load(m);
    if (s) continue;
    ++incomplete;
    for (auto const& d : s.error()) EXPECT_EQ(d.code, "tla.module-missing") << to_string(d);
  }
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - began;
  std::cout << modules.size() << " modules, " << incomplete << " without one they need, " << took.count()
            << " s\n";
}

}  // namespace
}  // namespace halfopen::tla
