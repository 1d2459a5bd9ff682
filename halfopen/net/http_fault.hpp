#pragma once

#include <cstdint>
#include <string_view>

namespace halfopen::net {

/// Why a message is refused. One row of the table in http_fault.cpp each: the rule, its source, and the
/// status a server answers with.
enum class http_fault : std::uint8_t {
  bad_method,
  bad_request_line,
  bad_target,
  long_target,
  no_version,
  unsupported_version,
  bad_status_line,
  bare_lf,
  bare_cr,
  control_byte,
  folded_line,
  bad_name,
  space_before_colon,
  no_colon,
  long_head,
  many_fields,
  no_host,
  several_hosts,
  bad_host,
  host_mismatch,
  several_lengths,
  bad_length,
  length_with_transfer_encoding,
  several_transfer_encodings,
  unknown_transfer_encoding,
  transfer_encoding_before_1_1,
  body_where_none_may_be,
  bad_connection,
  bad_chunk_size,
  bad_chunk_extension,
  bad_chunk_end,
  bad_trailer,
  long_trailer,
};

struct fault_rule {
  http_fault fault;
  std::uint16_t status;      // what a server answers; to a client it is 502 in every case
  std::string_view name;     // stable, for logs and metrics
  std::string_view because;  // one sentence for the peer
  std::string_view source;   // section of RFC 9110 or 9112
};

[[nodiscard]] fault_rule const& rule_of(http_fault f) noexcept;

/// What a step of a parser says: consumed n, need more, or bad at offset k because ...
struct parse_step {
  enum class outcome : std::uint8_t { complete, need_more, bad };

  outcome is = outcome::need_more;
  http_fault why{};    // where bad
  std::size_t at = 0;  // complete: bytes consumed; bad: offset of the byte that cannot stand

  [[nodiscard]] static constexpr parse_step complete(std::size_t consumed) noexcept {
    return {outcome::complete, {}, consumed};
  }
  [[nodiscard]] static constexpr parse_step need_more() noexcept { return {}; }
  [[nodiscard]] static constexpr parse_step bad(http_fault why, std::size_t at) noexcept {
    return {outcome::bad, why, at};
  }

  [[nodiscard]] constexpr bool is_complete() const noexcept { return is == outcome::complete; }
  [[nodiscard]] constexpr bool wants_more() const noexcept { return is == outcome::need_more; }
  [[nodiscard]] constexpr bool is_bad() const noexcept { return is == outcome::bad; }

  friend bool operator==(parse_step, parse_step) = default;
};

}  // namespace halfopen::net
