#include <array>
#include <cstdio>

#include <halfopen/app/demo_story.hpp>

namespace halfopen::app {
namespace {

std::string seconds(duration d) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", std::chrono::duration<double>{d}.count());
  return text.data();
}

std::string counted(std::uint64_t n, std::string const& one, std::string const& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::string no_call_for(duration wait) { return "; no call reaches it for " + seconds(wait); }

std::string why_open(demo_transition const& w) {
  switch (w.cause) {
    case breaker_cause::failures:
      return std::to_string(w.failures) + " of the last " + counted(w.calls, "call", "calls") + " failed" +
             no_call_for(w.wait);
    case breaker_cause::slow_calls: return "too many calls were slow" + no_call_for(w.wait);
    case breaker_cause::probe_failed: return "the probe failed" + no_call_for(w.wait);
    case breaker_cause::probe_slow: return "the probe was slow" + no_call_for(w.wait);
    case breaker_cause::probe_expired: return "the probe got no answer" + no_call_for(w.wait);
    default: return std::string{name(w.cause)} + no_call_for(w.wait);
  }
}

}  // namespace

std::string demo_story::opening() const {
  return "HalfOpen demo: a service, the gateway in front of it, ten calls a second.\n\n" +
         line(duration{0}, &state_, "the service answers; every call passes");
}

std::string demo_story::upstream(duration at, bool failing) const {
  return line(
      at, nullptr,
      failing ? "the service now fails every call" : "the service works again, but nobody tells the breaker");
}

std::string demo_story::transition(duration at, demo_transition const& what, demo_counts const& counts) {
  state_ = what.to;
  switch (what.to) {
    case breaker_state::open: refused_before_ = counts.refused; return line(at, &state_, why_open(what));
    case breaker_state::half_open:
      return line(at, &state_,
                  counted(counts.refused - refused_before_, "call was", "calls were") +
                      " refused at once; now a single one goes through as a probe");
    case breaker_state::closed:
      return line(at, &state_,
                  what.cause == breaker_cause::probe_succeeded
                      ? "the probe succeeded; every call passes again"
                      : std::string{name(what.cause)});
    case breaker_state::forced_open:
    case breaker_state::disabled:
    case breaker_state::metrics_only: break;
  }
  return line(at, &state_, "an operator said so");
}

std::string demo_story::live(duration at, demo_counts const& counts, duration until_probe) const {
  std::string what = "passed " + std::to_string(counts.passed) + "   failed " +
                     std::to_string(counts.failed) + "   refused " + std::to_string(counts.refused);
  if (state_ == breaker_state::open && until_probe > duration{0})
    what += "   next probe in " + seconds(until_probe);
  return line(at, &state_, what);
}

std::string demo_story::summary(demo_counts const& counts) const {
  std::string out = counted(counts.calls(), "call", "calls") + ": " + std::to_string(counts.passed) +
                    " passed, " + std::to_string(counts.failed) + " failed, " +
                    std::to_string(counts.refused) + " refused at once instead of adding to the trouble";
  if (counts.lost != 0) out += ", " + std::to_string(counts.lost) + " lost";
  return out;
}

std::string demo_story::line(duration at, breaker_state const* s, std::string const& what) const {
  auto const word = s == nullptr ? padded("", 9) : state_word(*s);
  return padded_left(seconds(at), 8) + "  " + word + "  " + what;
}

std::string demo_story::state_word(breaker_state s) const {
  auto const word = padded(s == breaker_state::half_open ? "half-open" : name(s), 9);
  switch (s) {
    case breaker_state::closed: return painted(terminal_, colour::green, word);
    case breaker_state::open:
    case breaker_state::forced_open: return painted(terminal_, colour::red, word);
    case breaker_state::half_open: return painted(terminal_, colour::yellow, word);
    case breaker_state::disabled:
    case breaker_state::metrics_only: break;
  }
  return word;
}

}  // namespace halfopen::app
