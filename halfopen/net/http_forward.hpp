#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <sys/uio.h>

#include <halfopen/net/http_head.hpp>

namespace halfopen::net {

/// A received head as it is sent on: its own bytes, but for fields that concern only the connection it came
/// by (RFC 9110, 7.6.1), with another first line and further fields where wanted.
///
/// Points into the head's bytes and into what it was given; sent with stream::send. Copies only where more
/// pieces would be needed than fit.
class forwarded_head {
 public:
  static constexpr std::size_t pieces_max = 12;

  /// first_line: with its CRLF, or empty = as it came. added: whole lines with CRLF, or empty.
  explicit forwarded_head(message_head const& head, std::string_view first_line = {},
                          std::string_view added = {});
  forwarded_head(forwarded_head const&) = delete;
  forwarded_head& operator=(forwarded_head const&) = delete;

  [[nodiscard]] std::span<iovec const> pieces() const noexcept { return {pieces_.data(), count_}; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::string text() const;  // for tests and logs

 private:
  bool slice(message_head const& head, std::string_view first_line, std::string_view added);
  void append(std::string_view bytes);
  void join(message_head const& head, std::string_view first_line, std::string_view added);

  std::array<iovec, pieces_max> pieces_;
  std::size_t count_ = 0;
  std::size_t size_ = 0;
  std::string joined_;
};

/// Whether this field concerns only one connection and must not be sent on.
[[nodiscard]] bool is_hop_field(message_head const& head, std::size_t i) noexcept;

}  // namespace halfopen::net
