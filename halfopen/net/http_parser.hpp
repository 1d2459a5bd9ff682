#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <halfopen/net/http_fault.hpp>
#include <halfopen/net/http_head.hpp>

namespace halfopen::net {

struct head_limits {
  std::size_t head_max = 16 * 1024;  // at most message_head::size_max
  std::size_t target_max = 8 * 1024;
  std::size_t fields_max = message_head::fields_max;
};

/// What request_parser and response_parser share: lines, fields, and what may stand together.
///
/// Strict (RFC 9112 without its leniencies), incremental, allocation-free. What it has accepted, every other
/// reader of these bytes understands in the same way: that is what makes it safe to send them on untouched.
/// Cost: each byte is looked at once for the end of its line and once in it, however the bytes arrive.
class head_parser {
 protected:
  explicit head_parser(head_limits limits) noexcept;
  ~head_parser() = default;

  [[nodiscard]] parse_step run(std::string_view bytes, message_head& head);
  void restart(message_head& head) noexcept;
  [[nodiscard]] static parse_step check_framing(message_head const& head);

  head_limits limits_;

 private:
  // What the two kinds of message do in their own way. Offsets are into `bytes`, which begin with the
  // message.
  virtual parse_step first_bytes(std::string_view bytes) = 0;
  virtual parse_step first_line(std::string_view bytes, std::size_t at, std::size_t end) = 0;
  virtual parse_step check(std::string_view bytes, std::size_t empty_line_at) = 0;
  [[nodiscard]] virtual bool may_begin_empty()
      const noexcept = 0;  // RFC 9112, 2.2: one CRLF before a request
  [[nodiscard]] virtual http_fault long_first_line() const noexcept = 0;

  [[nodiscard]] parse_step too_long_or_more(std::size_t arrived) const noexcept;
  parse_step line(std::string_view bytes, std::size_t at, std::size_t end, message_head& head);
  parse_step field_line(std::string_view bytes, std::size_t at, std::size_t end, message_head& head);
  parse_step note(std::uint8_t i, message_head& head);
  parse_step connection(std::string_view value, std::size_t at, message_head& head);

  std::size_t line_at_ = 0;  // where the line being read begins
  std::size_t seen_ = 0;     // no line ends before this
  bool in_fields_ = false;
};

/// Reads a request's head.
///
/// next() is given everything that has arrived of the message, from its first byte, each time with more
/// behind it (the bytes may have moved meanwhile). After `complete` or `bad` only reset() makes sense.
class request_parser final : private head_parser {
 public:
  explicit request_parser(head_limits limits = {}) noexcept : head_parser{limits} { reset(); }

  [[nodiscard]] parse_step next(std::string_view bytes) { return run(bytes, head_); }
  [[nodiscard]] request_head const& head() const noexcept { return head_; }
  [[nodiscard]] request_head& head() noexcept { return head_; }
  void reset() noexcept;

 private:
  parse_step first_bytes(std::string_view) override { return {}; }
  parse_step first_line(std::string_view bytes, std::size_t at, std::size_t end) override;
  parse_step check(std::string_view bytes, std::size_t empty_line_at) override;
  [[nodiscard]] bool may_begin_empty() const noexcept override { return true; }
  [[nodiscard]] http_fault long_first_line() const noexcept override { return http_fault::long_target; }
  parse_step target(std::string_view bytes, std::size_t at, std::size_t end);
  parse_step version(std::string_view bytes, std::size_t at, std::size_t end);

  request_head head_;
};

/// Reads a response's head, in the same way. Interim responses (1xx) are heads of their own: reset and go on.
class response_parser final : private head_parser {
 public:
  explicit response_parser(head_limits limits = {}) noexcept : head_parser{limits} { reset(); }

  [[nodiscard]] parse_step next(std::string_view bytes) { return run(bytes, head_); }
  [[nodiscard]] response_head const& head() const noexcept { return head_; }
  [[nodiscard]] response_head& head() noexcept { return head_; }
  void reset() noexcept;

 private:
  parse_step first_bytes(std::string_view bytes) override;
  parse_step first_line(std::string_view bytes, std::size_t at, std::size_t end) override;
  parse_step check(std::string_view bytes, std::size_t empty_line_at) override;
  [[nodiscard]] bool may_begin_empty() const noexcept override { return false; }
  [[nodiscard]] http_fault long_first_line() const noexcept override { return http_fault::long_head; }

  response_head head_;
};

}  // namespace halfopen::net
