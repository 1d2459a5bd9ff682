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
/// processor's cache) with release().
class scratch_area {
 public:
  static constexpr std::size_t kept_max = 256 * 1024;

  explicit scratch_area(std::size_t window) : window_{window}, bytes_{new char[window + kept_max]} {}

  [[nodiscard]] std::span<char> window() noexcept { return {bytes_.get() + kept_, window_}; }

  /// Whether the byte lies in this area.
  [[nodiscard]] bool holds(void const* at) const noexcept {
    std::less<void const*> const before{};
    return !before(at, bytes_.get()) && before(at, bytes_.get() + window_ + kept_max);
  }

  /// Keeps these bytes of the window. False: too much is kept already.
  [[nodiscard]] bool keep(std::string_view bytes) noexcept {
    constexpr std::size_t line = 64;
    auto const end = static_cast<std::size_t>(bytes.data() + bytes.size() - bytes_.get());
    if (end > kept_max) return false;
    if (end > kept_) kept_ = (end + line - 1) / line * line;
    return true;
  }

  void release() noexcept { kept_ = 0; }
  [[nodiscard]] std::size_t kept() const noexcept { return kept_; }

 private:
  std::size_t window_;
  std::size_t kept_ = 0;
  std::unique_ptr<char[]> bytes_;
};

}  // namespace halfopen::net
