#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <halfopen/base/expected.hpp>

namespace halfopen::gateway {

/// What a caller of the admin API must know: the content of a file that only its owner can read.
class admin_token {
 public:
  static constexpr std::size_t length_min = 16;

  /// Reads the file; where there is none, makes one with 256 random bits and mode 0600.
  /// Errors: it cannot be read or made, is shorter than length_min, or others may read it.
  [[nodiscard]] static expected<admin_token, std::string> load_or_create(std::filesystem::path const& file);

  explicit admin_token(std::string text) noexcept : text_{std::move(text)} {}

  /// Whether an Authorization field carries it ("Bearer ..."). Takes as long whatever is wrong.
  [[nodiscard]] bool authorizes(std::string_view field) const noexcept;

  [[nodiscard]] std::string const& text() const noexcept { return text_; }

 private:
  std::string text_;
};

}  // namespace halfopen::gateway
