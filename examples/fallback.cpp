// A ladder of answers: live, a mirror, the last good one, a fixed one. The story says which rung it was.
#include <cstdio>
#include <stdexcept>
#include <string>

#include <halfopen/policy/call.hpp>
#include <halfopen/policy/fallback.hpp>
#include <halfopen/policy/last_good.hpp>
#include <halfopen/policy/pipeline.hpp>
#include <halfopen/policy/retry.hpp>

using namespace std::chrono_literals;

int main() {
  bool up = true;
  bool mirror_up = true;
  auto const live = [&](halfopen::attempt) -> std::string {
    if (!up) throw std::runtime_error{"no route to host"};
    return "1.25";
  };
  auto const mirror = [&](halfopen::attempt) -> std::string {
    if (!mirror_up) throw std::runtime_error{"no route to mirror"};
    return "1.24";
  };

  halfopen::last_good<std::string> last{10min};  // fills itself, with live answers only

  halfopen::pipeline get_rate{
      halfopen::fallback{mirror, last, halfopen::always{std::string{"1"}}},
      halfopen::retry{{.attempts_max = 2, .backoff = 1ms, .seed = 1}},
  };

  int rungs = 0;
  auto const show = [&](char const* when) {
    auto const r = halfopen::call<std::string>(get_rate, live);
    std::printf("%s: %s (rung %d, %u attempts)\n", when, r->c_str(), r.story().rung, r.story().attempts);
    rungs = 10 * rungs + r.story().rung;
  };
  show("all is well");
  up = false;
  show("down");
  mirror_up = false;
  show("mirror down, too");
  up = true;
  show("back to live by itself");
  return rungs == 120 ? 0 : 1;
}
