#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <halfopen/net/call_ring.hpp>

namespace halfopen::net {

/// Makes sends and receives together: in one system call where the kernel allows that and there are enough of
/// them, else one by one. Each has ended when run() returns. Threads: the loop's.
class call_batch {
 public:
  static constexpr std::size_t worth_a_ring = 3;

  explicit call_batch(bool with_ring) noexcept : wants_ring_{with_ring} {}

  void run(std::span<call_ring::call> calls) noexcept;

  /// Whether they are made in one call; known after the first batch that was worth it.
  [[nodiscard]] bool uses_ring() const noexcept { return ring_.has_value(); }

 private:
  bool wants_ring_;
  std::optional<call_ring> ring_;
};

}  // namespace halfopen::net
