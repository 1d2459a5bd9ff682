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

/// What the page has become after so many presses of the right arrow key.
std::string after_presses(trace const& t, int presses) {
  auto page = to_html(t);
  page.insert(page.rfind("</body>"), "<script>for (let i = 0; i < " + std::to_string(presses) +
                                         "; ++i) document.dispatchEvent(new KeyboardEvent('keydown', {key: "
                                         "'ArrowRight', cancelable: true}));</script>");
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
  EXPECT_THAT(after_presses(turns(4), 9), testing::HasSubstr("State 4 of 4: Turn(3)"));
}

TEST_F(trace_page, goes_round_a_lasso) {
  auto t = turns(4);
  t.back_to = 2;
  EXPECT_THAT(after_presses(t, 4), testing::HasSubstr("State 3 of 4: Turn(2)"));
}

}  // namespace
}  // namespace halfopen::tla
