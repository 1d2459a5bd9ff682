#include <array>

#include <nlohmann/json.hpp>

#include <halfopen/app/demo_log.hpp>

namespace halfopen::app {
namespace {

using nlohmann::json;

// The value whose name() is `text`.
template <class Enum, std::size_t N>
std::optional<Enum> named(std::array<Enum, N> const& all, std::string_view text) {
  for (auto const e : all)
    if (name(e) == text) return e;
  return std::nullopt;
}

constexpr std::array states{breaker_state::closed,      breaker_state::open,     breaker_state::half_open,
                            breaker_state::forced_open, breaker_state::disabled, breaker_state::metrics_only};
constexpr std::array causes{
    breaker_cause::created,         breaker_cause::failures,     breaker_cause::slow_calls,
    breaker_cause::waited,          breaker_cause::probe_failed, breaker_cause::probe_slow,
    breaker_cause::probe_succeeded, breaker_cause::reset,        breaker_cause::probe_expired,
    breaker_cause::only_neutral,    breaker_cause::forced,       breaker_cause::automatic};

std::string text_of(json const& j, char const* key) {
  auto const at = j.find(key);
  return at != j.end() && at->is_string() ? at->get<std::string>() : "";
}

std::uint64_t count_of(json const& j, char const* key) {
  auto const at = j.find(key);
  return at != j.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : 0;
}

}  // namespace

std::optional<demo_transition> transition_of(gateway::log_message const& m) {
  auto const j = json::parse(m.fields, nullptr, false);
  if (!j.is_object()) return std::nullopt;
  auto const to = named(states, text_of(j, "to"));
  if (!to || text_of(j, "from") == name(*to)) return std::nullopt;
  constexpr std::uint64_t wait_ms_max = 1000ULL * 86'400;
  return demo_transition{.to = *to,
                         .cause = named(causes, text_of(j, "cause")).value_or(breaker_cause::created),
                         .calls = count_of(j, "calls"),
                         .failures = count_of(j, "failures"),
                         .wait = std::chrono::milliseconds{std::min(count_of(j, "for_ms"), wait_ms_max)}};
}

}  // namespace halfopen::app
