#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace halfopen::net {

/// Memory that bytes arrive in, and leave from without a copy.
///
/// One window at a time is lent out to be read into. What is to be sent from it is kept until the sends of
/// this turn have left; the window moves on behind it, and comes back to the start (which is in the
/// processor's cache) with release(). Beside it lie slots, for what several sockets have to say at once: what
/// is to be sent from them stays as long as whoever fills them sees to it that the sends have left.
class scratch_area {
 public:
  static constexpr std::size_t kept_max = 256 * 1024;
  static constexpr std::size_t slots = 32;
  // Takes a reply of 16 kB with its head; an odd number of cache lines, so that slots do not crowd each other
  // out.
  static constexpr std::size_t slot_size = 17 * 1024 + 64;

  explicit scratch_area(std::size_t window)
      : window_{window}, bytes_{new char[window + kept_max]}, slots_{new char[slots * slot_size]} {}

  [[nodiscard]] std::span<char> window() noexcept { return {bytes_.get() + kept_, window_}; }

  [[nodiscard]] std::span<char> slot(std::size_t i) const noexcept {
    return {slots_.get() + i * slot_size, slot_size};
  }

  /// Whether the byte lies in this area.
  [[nodiscard]] bool holds(void const* at) const noexcept {
    return lies_in(at, bytes_.get(), window_ + kept_max) || in_slots(at);
  }

  /// Keeps these bytes of the window, or of a slot. False: too much is kept already.
  [[nodiscard]] bool keep(std::string_view bytes) noexcept {
    if (in_slots(bytes.data())) return true;
    constexpr std::size_t line = 64;
    auto const end = static_cast<std::size_t>(bytes.data() + bytes.size() - bytes_.get());
    if (end > kept_max) return false;
    if (end > kept_) kept_ = (end + line - 1) / line * line;
    return true;
  }

  void release() noexcept { kept_ = 0; }
  [[nodiscard]] std::size_t kept() const noexcept { return kept_; }

 private:
  [[nodiscard]] static bool lies_in(void const* at, char const* from, std::size_t size) noexcept {
    std::less<void const*> const before{};
    return !before(at, from) && before(at, from + size);
  }
  [[nodiscard]] bool in_slots(void const* at) const noexcept {
    return lies_in(at, slots_.get(), slots * slot_size);
  }

  std::size_t window_;
  std::size_t kept_ = 0;
  std::unique_ptr<char[]> bytes_;
  std::unique_ptr<char[]> slots_;
};

}  // namespace halfopen::net
