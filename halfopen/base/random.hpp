#pragma once

#include <cstdint>

namespace halfopen {

/// Mixes a seed and a counter into 64 well-spread bits (SplitMix64's finaliser, Steele et al. 2014).
///
/// Pure: the same two numbers always give the same answer, so a machine that draws from it replays.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t n) noexcept {
  std::uint64_t z = seed + (n + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// Maps 64 random bits to 0..bound-1 without division (Lemire 2019). 0 where the bound is 0.
[[nodiscard]] constexpr std::uint64_t below(std::uint64_t bits, std::uint64_t bound) noexcept {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>((wide{bits} * bound) >> 64);
}

/// A stream of random bits from a seed. Satisfies std::uniform_random_bit_generator.
class random_stream {
 public:
  using result_type = std::uint64_t;

  constexpr explicit random_stream(std::uint64_t seed) noexcept : seed_{seed} {}

  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return ~result_type{0}; }
  constexpr result_type operator()() noexcept { return mix(seed_, n_++); }

 private:
  std::uint64_t seed_;
  std::uint64_t n_ = 0;
};

}  // namespace halfopen
