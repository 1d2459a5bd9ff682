#include <nlohmann/json.hpp>

#include <halfopen/app/demo_log.hpp>

namespace halfopen::app {
namespace {

using nlohmann::json;

// The value whose name() is `text`.
template <class Enum, std::size_t N>
std::optional<Enum> named(Enum const (&all)[N], std::string_view text) {
  for (auto const e : all)
    if (name(e) == text) return e;
  return std::nullopt;
}

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
  auto const to = named(breaker_states, text_of(j, "to"));
  if (!to || text_of(j, "from") == name(*to)) return std::nullopt;
  constexpr std::uint64_t wait_ms_max = 1000ULL * 86'400;
  return demo_transition{.to = *to,
                         .cause = named(breaker_causes, text_of(j, "cause")).value_or(breaker_cause::created),
                         .calls = count_of(j, "calls"),
                         .failures = count_of(j, "failures"),
                         .wait = std::chrono::milliseconds{std::min(count_of(j, "for_ms"), wait_ms_max)}};
}

}  // namespace halfopen::app
