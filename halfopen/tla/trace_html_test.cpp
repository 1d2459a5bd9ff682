#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/tla/trace.hpp>

/// The page, opened and stepped through in a headless Chromium where one is installed.
namespace halfopen::tla {
namespace {

namespace fs = std::filesystem;

trace turns(std::size_t states) {
  trace t;
  t.spec = "Gate";
  t.property = "Live";
  for (std::size_t i = 0; i < states; ++i) {
    auto const n = std::to_string(i);
    t.states.push_back({i == 0 ? "Initial predicate" : "Turn(" + n + ")",
                        "",
                        {{"x", n, n}, {"pc", "<<\"a\", " + n + ">>", "{\"#tup\": [\"a\", " + n + "]}"}}});
  }
  return t;
}

/// What the page has become after these keys; r is the right arrow.
std::string after_keys(trace const& t, std::string const& keys) {
  auto page = to_html(t);
  page.insert(page.rfind("</body>"), "<script>for (const k of '" + keys +
                                         "') document.dispatchEvent(new KeyboardEvent('keydown', {key: "
                                         "k === 'r' ? 'ArrowRight' : k, cancelable: true}));</script>");
  temporary_folder const folder;
  auto const file = folder / "page.html";
  write(file, page);
  auto const run = "timeout 90 chromium --headless --no-sandbox --disable-gpu --dump-dom 'file://" +
                   file.string() + "' 2>/dev/null";
  std::string text;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const out{::popen(run.c_str(), "r"), &::pclose};
  for (std::array<char, 4096> part{};
       out != nullptr && std::fgets(part.data(), part.size(), out.get()) != nullptr;)
    text += part.data();
  return text;
}

class trace_page : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v chromium > /dev/null 2>&1") != 0) GTEST_SKIP() << "no chromium here";
  }
};

TEST_F(trace_page, steps_through_a_counterexample_to_its_last_state) {
  EXPECT_THAT(after_keys(turns(4), "rrrrrrrrr"), testing::HasSubstr("State 4 of 4: Turn(3)"));
}

TEST_F(trace_page, goes_round_a_lasso) {
  auto t = turns(4);
  t.back_to = 2;
  EXPECT_THAT(after_keys(t, "rrrr"), testing::HasSubstr("State 3 of 4: Turn(2)"));
}

TEST_F(trace_page, shows_what_changed_and_hides_what_never_does) {
  auto t = turns(4);
  for (auto& s : t.states) s.variables.push_back({"constant", "7", "7"});
  t.back_to = 1;
  auto const all = after_keys(t, "rr");
  EXPECT_THAT(all, testing::HasSubstr("<del>1</del> \xE2\x86\x92 <ins>2</ins>"));
  EXPECT_THAT(all, testing::HasSubstr(">constant<"));
  EXPECT_THAT(all, testing::HasSubstr("for ever: a step leads from 4 back to 2"));
  auto const less = after_keys(t, "rrrcl");
  EXPECT_THAT(less, testing::HasSubstr("State 2 of 4: Turn(1)"));
  EXPECT_THAT(less, testing::Not(testing::HasSubstr(">constant<")));
}

}  // namespace
}  // namespace halfopen::tla
