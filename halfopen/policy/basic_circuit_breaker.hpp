#pragma once

#include <halfopen/policy/breaker_machine.hpp>
#include <halfopen/policy/checked_config.hpp>
#include <halfopen/policy/circuit_breaker.hpp>

namespace halfopen {

/// What a window's type says about the memory that it needs.
template <class Window>
inline constexpr std::uint32_t window_words = 0;
template <std::uint32_t Size>
inline constexpr std::uint32_t window_words<call_window<Size>> = call_window_view::words_needed(Size);
template <std::uint32_t Buckets>
inline constexpr std::uint32_t window_words<time_window<Buckets>> = time_window_view::words_needed(Buckets);

template <class Window, std::uint32_t Probes>
struct breaker_memory {
  lease leases[Probes]{};
  std::uint32_t words[window_words<Window> == 0 ? 1 : window_words<Window>]{};
};

/// A circuit breaker whose window and number of probes are fixed by its type: all of its memory lies within
/// it.
///
///   basic_circuit_breaker<call_window<100>> payments{{.failure_rate = percent{30}}};
///
/// For everything else see circuit_breaker; this one neither moves nor changes its shape.
template <class Window, std::uint32_t Probes = 1>
class basic_circuit_breaker : private breaker_memory<Window, Probes>, public breaker_core<std_runtime> {
  using memory = breaker_memory<Window, Probes>;

 public:
  /// The window comes from the type, and from `window` what the type leaves open; not from config.window.
  explicit basic_circuit_breaker(breaker_config config, breaker_options const& options = {},
                                 Window window = {})
      : breaker_core{
            {}, {memory::leases, Probes, memory::words}, checked(shaped(config, window)), options, true} {}

  /// As circuit_breaker::reconfigure(), but the window stays.
  expected<void, std::vector<config_problem>> reconfigure(breaker_config config, instant now) {
    config.window = this->config().window;
    auto problems = validate(config);
    if (config.probes > Probes)
      problems.push_back({"probes", "is more than the breaker's type has room for"});
    if (has_errors(problems)) return unexpected<std::vector<config_problem>>{std::move(problems)};
    (void)breaker_core::reconfigure(config, {}, now);
    return {};
  }

 private:
  static breaker_config shaped(breaker_config config, Window const& window) {
    config.window = window;
    config.probes = Probes;
    return config;
  }
};

}  // namespace halfopen
