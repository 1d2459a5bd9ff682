#include <halfopen/policy/basic_circuit_breaker.hpp>
#include <halfopen/policy/checked_config.hpp>

namespace halfopen {
namespace {

// What breaker_storage points to.
struct owned_memory {
  std::unique_ptr<lease[]> leases;
  std::unique_ptr<std::uint32_t[]> words;

  explicit owned_memory(breaker_config const& c)
      : leases{c.probes > 1 ? new lease[c.probes] : nullptr},
        words{breaker_window::words_needed(c.window) != 0
                  ? new std::uint32_t[breaker_window::words_needed(c.window)]{}
                  : nullptr} {}

  [[nodiscard]] breaker_storage lend(std::uint32_t slots) const noexcept {
    return {leases.get(), leases == nullptr ? 1 : slots, words.get()};
  }

  // A reconfigured core has exchanged what it was lent: what it holds, or has given back, is owned here from
  // now on.
  void take_over(breaker_storage const& s) noexcept {
    (void)leases.release();
    (void)words.release();
    leases.reset(s.leases);
    words.reset(s.words);
  }
};

}  // namespace

struct circuit_breaker::storage {
  owned_memory memory;
  breaker_core<std_runtime> core;

  storage(breaker_config const& c, breaker_options const& o)
      : memory{c}, core{{}, memory.lend(c.probes), c, o, true} {}
  ~storage() { memory.take_over(core.storage()); }
  storage(storage const&) = delete;
  storage& operator=(storage const&) = delete;
};

circuit_breaker::circuit_breaker(breaker_config const& config, breaker_options const& options)
    : circuit_breaker{std::make_unique<storage>(checked(config), options)} {}

circuit_breaker::circuit_breaker(std::unique_ptr<storage> s) noexcept
    : storage_{std::move(s)}, core_{&storage_->core} {}

circuit_breaker::circuit_breaker(circuit_breaker&&) noexcept = default;
circuit_breaker& circuit_breaker::operator=(circuit_breaker&&) noexcept = default;
circuit_breaker::~circuit_breaker() = default;

expected<circuit_breaker, std::vector<config_problem>> circuit_breaker::make(breaker_config const& config,
                                                                             breaker_options const& options) {
  auto problems = validate(config);
  if (has_errors(problems)) return unexpected<std::vector<config_problem>>{std::move(problems)};
  return circuit_breaker{std::make_unique<storage>(config, options)};
}

expected<void, std::vector<config_problem>> circuit_breaker::reconfigure(breaker_config const& config,
                                                                         instant now) {
  auto problems = validate(config);
  if (has_errors(problems)) return unexpected<std::vector<config_problem>>{std::move(problems)};
  owned_memory fresh{config};
  fresh.take_over(core_->reconfigure(config, fresh.lend(config.probes), now));
  return {};
}

std::size_t circuit_breaker::state_bytes() const noexcept {
  auto const c = core_->config();
  return sizeof(breaker_block<std_runtime>) + breaker_window::words_needed(c.window) * sizeof(std::uint32_t) +
         (c.probes > 1 ? c.probes * sizeof(lease) : 0) +
         (c.window.kind == window_kind::time ? sizeof(std_runtime::lane) : 0);
}

}  // namespace halfopen
