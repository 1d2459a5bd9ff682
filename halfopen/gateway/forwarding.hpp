#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <halfopen/net/http_head.hpp>

namespace halfopen::gateway {

/// How a request is told to a tool.
struct request_edit {
  std::string_view client;        // its address, for X-Forwarded-For
  std::string_view first_line{};  // with its CRLF, instead of the client's; empty = the client's
  bool drop_framing = false;      // another Content-Length follows
  bool drop_host = false;         // another Host is put in, at the place that is returned
};

/// Appends a request's head as it is sent on, but for the empty line at its end: fields that concern one
/// connection only are gone, and the way it came is told (X-Forwarded-For, Via). Returns the length of what
/// was appended up to and with the first line.
std::size_t append_request_head(std::string& out, net::request_head const& head, request_edit const& edit);

/// How a reply is told to a client.
struct reply_edit {
  bool keep_alive = true;
  bool says_keep_alive = false;  // to a client before HTTP/1.1, which assumes the opposite
  bool drop_framing = false;     // the body is told without its chunks, and ends with the connection
  bool add_chunked = false;      // the body ends with the tool's connection, and is told in chunks
  std::string_view added{};      // whole lines
};

/// Whether a reply's head may be sent back as it came, byte for byte.
[[nodiscard]] bool stays_as_it_is(net::response_head const& head, reply_edit const& edit) noexcept;

/// Appends a reply's head as it is sent back.
void append_reply_head(std::string& out, net::response_head const& head, reply_edit const& edit);

/// Appends `bytes` as one chunk, and the last chunk where the body is complete.
void append_chunk(std::string& out, std::string_view bytes, bool complete);

/// Retry-After of a reply in seconds, as far as it is a number; else 0. A date is not heeded.
[[nodiscard]] std::int64_t retry_after_of(net::response_head const& head) noexcept;

}  // namespace halfopen::gateway
