#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <halfopen/net/http_fault.hpp>
#include <halfopen/net/http_head.hpp>

namespace halfopen::net {

/// How the end of a message's body is known (RFC 9112, 6.3).
struct body_framing {
  enum class kind : std::uint8_t { none, length, chunked, until_close };
  kind by = kind::none;
  std::uint64_t length = 0;

  friend bool operator==(body_framing, body_framing) = default;
};

[[nodiscard]] body_framing framing_of(request_head const& head) noexcept;
[[nodiscard]] body_framing framing_of(response_head const& head, http_method of_request) noexcept;

/// Reads the chunked coding. Strict and allocation-free; extensions and trailers are checked and passed by.
class chunk_reader {
 public:
  struct piece {
    std::size_t consumed = 0;  // framing and payload
    std::string_view payload;  // part of what was consumed
    parse_step step;           // complete: the body has ended; bad: at = offset into what was given
  };

  /// Reads on. Consumes up to the end of one run of payload: call again while it consumes and wants more.
  [[nodiscard]] piece next(std::string_view bytes);

 private:
  enum class state : std::uint8_t;
  parse_step framing_byte(unsigned char c);
  parse_step size_byte(char c);
  parse_step extension_byte(char c);
  parse_step trailer_byte(char c);
  parse_step begin_data();

  std::uint64_t left_ = 0;             // of the chunk's payload
  std::uint32_t extension_bytes_ = 0;  // of all chunks
  std::uint32_t trailer_bytes_ = 0;    // of all trailers
  state state_{};
  std::uint8_t digits_ = 0;  // of the chunk's size
  std::uint8_t name_size_ = 0;
  std::array<char, 20> name_{};  // of a trailer, as far as it matters
};

/// Reads a body of any framing and tells where it ends.
class body_reader {
 public:
  body_reader() noexcept = default;
  explicit body_reader(body_framing f) noexcept : framing_{f}, left_{f.length} {}

  using piece = chunk_reader::piece;

  /// As chunk_reader::next.
  [[nodiscard]] piece next(std::string_view bytes);

  /// Reads all of `bytes` that belong to the body, without looking at the payload: to send them on as they
  /// are.
  [[nodiscard]] parse_step pass(std::string_view bytes, std::size_t& consumed);

  [[nodiscard]] bool ended() const noexcept {
    using enum body_framing::kind;
    return ended_ || framing_.by == none || (framing_.by == length && left_ == 0);
  }

  /// The peer has closed. True: that was the end of the body. False: the body is cut.
  [[nodiscard]] bool close() noexcept {
    return ended_ = ended() || framing_.by == body_framing::kind::until_close;
  }

 private:
  body_framing framing_;
  std::uint64_t left_ = 0;
  bool ended_ = false;
  chunk_reader chunks_;
};

}  // namespace halfopen::net
