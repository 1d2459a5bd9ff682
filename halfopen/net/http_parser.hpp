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

  [[nodiscard]] parse_step run(std::string_view bytes, message_head& head);
  virtual ~head_parser() = default;

  virtual parse_step first_line(std::string_view bytes, std::size_t at, std::size_t end) = 0;
  virtual parse_step check(std::string_view bytes) = 0;
  void restart(message_head& head) noexcept;

  head_limits limits_;

 private:
  parse_step field_line(std::string_view bytes, std::size_t at, std::size_t end, message_head& head);
  parse_step note(std::string_view bytes, std::size_t i, message_head& head);

  std::size_t line_at_ = 0;  // where the line being read begins
  std::size_t seen_ = 0;     // bytes before this one hold no line end
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
  parse_step first_line(std::string_view bytes, std::size_t at, std::size_t end) override;
  parse_step check(std::string_view bytes) override;
  parse_step target(std::string_view bytes, std::size_t at, std::size_t end);

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
  parse_step first_line(std::string_view bytes, std::size_t at, std::size_t end) override;
  parse_step check(std::string_view bytes) override;

  response_head head_;
};

}  // namespace halfopen::net
