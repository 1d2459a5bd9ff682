#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include <halfopen/net/call_batch.hpp>
#include <halfopen/net/scratch_area.hpp>

namespace halfopen::net {

/// What a descriptor has yielded before its source was told that it is readable.
struct arrival {
  std::span<char> bytes;  // yours until you return to the loop, as the loop's scratch window
  int error = 0;          // errno; with no bytes and no error, the peer has closed its half
  bool drained = false;   // fewer bytes than there was room for: nothing else was there
};

/// Reads from several descriptors in one call, so that the code which serves them then runs without the
/// kernel in between: both find their own instructions still in the processor's cache.
///
/// Threads: the loop's.
class read_ahead {
 public:
  static constexpr std::size_t reads_max = scratch_area::slots;

  read_ahead(scratch_area& scratch, call_batch& calls) noexcept : scratch_{scratch}, calls_{calls} {}

  void clear() noexcept { count_ = 0; }
  /// Returns the number by which of() finds it.
  std::size_t add(int fd) noexcept;
  [[nodiscard]] bool full() const noexcept { return count_ == reads_max; }
  void run() noexcept { calls_.run(std::span{reads_}.first(count_)); }
  /// Nothing where there was nothing to read after all.
  [[nodiscard]] std::optional<arrival> of(std::size_t number) const noexcept;

 private:
  scratch_area& scratch_;
  call_batch& calls_;
  std::size_t count_ = 0;
  std::array<call_ring::call, reads_max> reads_;
};

}  // namespace halfopen::net
