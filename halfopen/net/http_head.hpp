#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace halfopen::net {

/// Fields that somebody here looks up. All others are found by name, one by one.
enum class known_field : std::uint8_t {
  host,
  connection,
  content_length,
  transfer_encoding,
  content_type,
  expect,
  upgrade,
  te,
  keep_alive,
  proxy_connection,
  retry_after,
  authorization,
  other,  // last
};

enum class http_method : std::uint8_t {
  get,
  head,
  post,
  put,
  delete_,
  connect,
  options,
  trace,
  patch,
  other
};

/// Safe to send twice (RFC 9110, 9.2.2).
[[nodiscard]] bool is_idempotent(http_method m) noexcept;
[[nodiscard]] http_method method_of(std::string_view text) noexcept;

/// Whether two names or tokens are the same but for the case of letters.
[[nodiscard]] bool same_token(std::string_view a, std::string_view b) noexcept;

/// The lines of a parsed head. Holds offsets into the bytes it was parsed from, not the bytes.
///
/// The bytes may be moved: tell rebase() where they are now.
class message_head {
 public:
  static constexpr std::size_t fields_max = 100;
  static constexpr std::size_t size_max = 64 * 1024 - 1;

  [[nodiscard]] std::size_t size() const noexcept { return fields_; }
  [[nodiscard]] std::string_view name(std::size_t i) const noexcept {
    return view(field_[i].name_at, field_[i].name_size);
  }
  [[nodiscard]] std::string_view value(std::size_t i) const noexcept {
    return view(field_[i].value_at, field_[i].value_size);
  }
  [[nodiscard]] known_field known(std::size_t i) const noexcept { return field_[i].known; }

  /// The first field of that kind or name.
  [[nodiscard]] std::optional<std::string_view> find(known_field k) const noexcept;
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
  [[nodiscard]] bool has(known_field k) const noexcept { return first_[index(k)] != none; }

  /// The first line without its end, and every byte of the head with the empty line at its end. An empty line
  /// that a client sent before its request is not part of it.
  [[nodiscard]] std::string_view first_line() const noexcept { return view(start_, fields_at_ - start_ - 2); }
  [[nodiscard]] std::string_view bytes() const noexcept { return view(start_, end_ - start_); }

  /// One field's line with its end, as it came.
  [[nodiscard]] std::string_view line(std::size_t i) const noexcept {
    std::size_t const end = i + 1 < fields_ ? field_[i + 1].name_at : end_ - 2U;
    return view(field_[i].name_at, end - field_[i].name_at);
  }

  [[nodiscard]] unsigned minor_version() const noexcept { return minor_; }  // HTTP/1.x
  [[nodiscard]] std::optional<std::uint64_t> content_length() const noexcept {
    return has_length_ ? std::optional{length_} : std::nullopt;
  }
  [[nodiscard]] bool chunked() const noexcept { return chunked_; }
  [[nodiscard]] bool keeps_alive() const noexcept { return minor_ == 0 ? says_keep_alive_ : !says_close_; }

  /// Whether a field has to go before the head may be sent on (RFC 9110, 7.6.1).
  [[nodiscard]] bool has_hop_fields() const noexcept { return hop_; }

  /// The same head, now at `bytes` (the start of what was given to the parser).
  void rebase(char const* bytes) noexcept { base_ = bytes; }

 protected:
  friend class head_parser;
  friend class request_parser;
  friend class response_parser;
  struct field {
    std::uint16_t name_at;
    std::uint16_t value_at;
    std::uint16_t value_size;
    std::uint8_t name_size;  // a longer name is refused
    known_field known;
  };
  static constexpr std::uint8_t none = 0xFF;
  static constexpr std::size_t index(known_field k) noexcept { return static_cast<std::size_t>(k); }

  [[nodiscard]] std::string_view view(std::size_t at, std::size_t size) const noexcept {
    return {base_ + at, size};
  }

  char const* base_ = nullptr;
  std::uint64_t length_ = 0;
  std::uint16_t start_ = 0;
  std::uint16_t fields_at_ = 0;
  std::uint16_t end_ = 0;
  std::uint8_t fields_ = 0;
  std::uint8_t minor_ = 1;
  bool has_length_ = false;
  bool chunked_ = false;
  bool says_close_ = false;
  bool says_keep_alive_ = false;
  bool hop_ = false;
  std::array<std::uint8_t, static_cast<std::size_t>(known_field::other)> first_{};
  std::array<field, fields_max> field_;
};

class request_head : public message_head {
 public:
  enum class form : std::uint8_t { origin, absolute, authority, asterisk };

  [[nodiscard]] http_method method() const noexcept { return method_; }
  [[nodiscard]] std::string_view method_text() const noexcept { return view(start_, method_size_); }
  [[nodiscard]] std::string_view target() const noexcept { return view(target_at_, target_size_); }
  [[nodiscard]] form target_form() const noexcept { return form_; }

  /// "/a/b?c" of "/a/b?c" and of "http://host/a/b?c"; "*" and authorities as they are; never empty.
  [[nodiscard]] std::string_view path_and_query() const noexcept;
  [[nodiscard]] std::string_view path() const noexcept;

  /// The Host field, port included; empty in HTTP/1.0 without one.
  [[nodiscard]] std::string_view host() const noexcept {
    return find(known_field::host).value_or(std::string_view{});
  }
  [[nodiscard]] bool expects_continue() const noexcept { return expects_continue_; }

 private:
  friend class head_parser;
  friend class request_parser;
  std::uint16_t target_at_ = 0;
  std::uint16_t target_size_ = 0;
  std::uint16_t path_at_ = 0;  // within the target
  std::uint8_t method_size_ = 0;
  http_method method_ = http_method::other;
  form form_ = form::origin;
  bool expects_continue_ = false;
};

class response_head : public message_head {
 public:
  [[nodiscard]] std::uint16_t status() const noexcept { return status_; }
  [[nodiscard]] bool is_interim() const noexcept { return status_ < 200; }

 private:
  friend class response_parser;
  std::uint16_t status_ = 0;
};

}  // namespace halfopen::net
