#include <algorithm>

#include <halfopen/net/http_body.hpp>
#include <halfopen/net/http_text.hpp>

namespace halfopen::net {
namespace {

using enum http_fault;

constexpr std::uint8_t digits_max = 16;
constexpr std::uint32_t extension_max = 4096;  // of a whole body: nobody needs more, and each byte is work
constexpr std::uint32_t trailer_max = 8192;

constexpr parse_step on{};

constexpr parse_step refuse(http_fault why) noexcept { return parse_step::bad(why, 0); }

constexpr std::uint64_t hex_value(char c) noexcept {
  return static_cast<std::uint64_t>(c <= '9' ? c - '0' : lower(c) - 'a' + 10);
}

// Fields that frame, route or authorise have no business behind the body (RFC 9110, 6.5.1).
bool may_trail(std::string_view name) noexcept {
  for (std::string_view never :
       {"content-length", "transfer-encoding", "host", "connection", "trailer", "te", "upgrade",
        "authorization", "set-cookie", "cookie", "expect", "content-type"})
    if (same_token(name, never)) return false;
  return true;
}

}  // namespace

enum class chunk_reader::state : std::uint8_t {
  size,
  extension_name,   // behind the ;
  extension_value,  // behind the =
  extension_token,
  extension_quoted,
  extension_escaped,  // behind a backslash
  extension_end,      // behind the closing quote
  size_lf,
  data,
  data_cr,
  data_lf,
  trailer_line,
  trailer_name,
  trailer_value,
  trailer_lf,
  last_lf,
  ended,
};

body_framing framing_of(request_head const& head) noexcept {
  using enum body_framing::kind;
  if (head.chunked()) return {chunked, 0};
  std::uint64_t const size = head.content_length().value_or(0);
  return size == 0 ? body_framing{none, 0} : body_framing{length, size};
}

body_framing framing_of(response_head const& head, http_method of_request) noexcept {
  using enum body_framing::kind;
  if (of_request == http_method::head || head.is_interim() || head.status() == 204 || head.status() == 304)
    return {none, 0};
  if (of_request == http_method::connect && head.status() < 300) return {none, 0};
  if (head.chunked()) return {chunked, 0};
  if (auto const size = head.content_length())
    return *size == 0 ? body_framing{none, 0} : body_framing{length, *size};
  return {until_close, 0};
}

chunk_reader::piece chunk_reader::next(std::string_view bytes) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    if (state_ == state::data) {
      auto const n = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - i));
      left_ -= n;
      if (left_ == 0) state_ = state::data_cr;
      return {i + n, bytes.substr(i, n), on};
    }
    auto step = framing_byte(static_cast<unsigned char>(bytes[i]));
    if (step.is_bad()) {
      step.at = i;
      return {i, {}, step};
    }
    ++i;
    if (state_ == state::ended) return {i, {}, parse_step::complete(i)};
  }
  return {i, {}, on};
}

parse_step chunk_reader::framing_byte(unsigned char byte) {
  char const c = static_cast<char>(byte);
  switch (state_) {
    case state::size: return size_byte(c);
    case state::extension_name:
    case state::extension_value:
    case state::extension_token:
    case state::extension_quoted:
    case state::extension_escaped:
    case state::extension_end: return extension_byte(c);
    case state::size_lf: return c == '\n' ? begin_data() : refuse(bare_cr);
    case state::data_cr: state_ = state::data_lf; return c == '\r' ? on : refuse(bad_chunk_end);
    case state::data_lf: state_ = state::size; return c == '\n' ? on : refuse(bad_chunk_end);
    case state::trailer_line:
    case state::trailer_name:
    case state::trailer_value:
    case state::trailer_lf:
    case state::last_lf: return trailer_byte(c);
    case state::data:
    case state::ended: return on;
  }
  return on;
}

parse_step chunk_reader::size_byte(char c) {
  if (is(c, text_class::hex)) {
    constexpr std::uint64_t room = INT64_MAX >> 4;
    if (++digits_ > digits_max || left_ > room) return refuse(bad_chunk_size);
    left_ = left_ * 16 + hex_value(c);
    return on;
  }
  if (digits_ == 0) return refuse(bad_chunk_size);
  name_size_ = 0;
  if (c == '\r')
    state_ = state::size_lf;
  else if (c == ';')
    state_ = state::extension_name;
  else
    return refuse(c == '\n' ? bare_lf : bad_chunk_size);
  return on;
}

parse_step chunk_reader::begin_data() {
  digits_ = 0;
  state_ = left_ == 0 ? state::trailer_line : state::data;
  return on;
}

parse_step chunk_reader::extension_byte(char c) {
  if (++extension_bytes_ > extension_max) return refuse(bad_chunk_extension);
  if (c == '\n') return refuse(bare_lf);
  bool const token = is(c, text_class::token);
  bool const may_end =
      state_ == state::extension_end || (name_size_ != 0 && state_ != state::extension_value);
  switch (state_) {
    case state::extension_name:
    case state::extension_token:
      if (token) {
        name_size_ = 1;
        return on;
      }
      if (c == '=' && name_size_ != 0 && state_ == state::extension_name) {
        name_size_ = 0;
        state_ = state::extension_value;
        return on;
      }
      break;
    case state::extension_value:
      if (c != '"' && !token) return refuse(bad_chunk_extension);
      name_size_ = 1;
      state_ = token ? state::extension_token : state::extension_quoted;
      return on;
    case state::extension_quoted:
      if (c == '\\')
        state_ = state::extension_escaped;
      else if (c == '"')
        state_ = state::extension_end;
      else if (!is(c, text_class::quoted))
        return refuse(bad_chunk_extension);
      return on;
    case state::extension_escaped:
      state_ = state::extension_quoted;
      return is(c, text_class::control) ? refuse(bad_chunk_extension) : on;
    default: break;
  }
  if (!may_end || (c != '\r' && c != ';')) return refuse(bad_chunk_extension);
  name_size_ = 0;
  state_ = c == '\r' ? state::size_lf : state::extension_name;
  return on;
}

parse_step chunk_reader::trailer_byte(char c) {
  if (++trailer_bytes_ > trailer_max) return refuse(long_trailer);
  switch (state_) {
    case state::trailer_line:
      name_size_ = 0;
      state_ = c == '\r' ? state::last_lf : state::trailer_name;
      if (c == '\r') return on;
      [[fallthrough]];
    case state::trailer_name:
      if (c == ':') {
        state_ = state::trailer_value;
        bool const fits = name_size_ <= name_.size();
        return name_size_ != 0 && (!fits || may_trail({name_.data(), name_size_})) ? on : refuse(bad_trailer);
      }
      if (!is(c, text_class::token)) return refuse(bad_trailer);
      if (name_size_ < name_.size()) name_[name_size_] = c;
      if (name_size_ <= name_.size()) ++name_size_;
      return on;
    case state::trailer_value:
      if (c == '\r')
        state_ = state::trailer_lf;
      else if (is(c, text_class::control))
        return refuse(c == '\n' ? bare_lf : bad_trailer);
      return on;
    case state::trailer_lf: state_ = state::trailer_line; return c == '\n' ? on : refuse(bare_cr);
    case state::last_lf: state_ = state::ended; return c == '\n' ? on : refuse(bare_cr);
    default: return on;
  }
}

body_reader::piece body_reader::next(std::string_view bytes) {
  if (ended()) return {0, {}, parse_step::complete(0)};
  switch (framing_.by) {
    case body_framing::kind::none: return {0, {}, parse_step::complete(0)};
    case body_framing::kind::until_close: return {bytes.size(), bytes, on};
    case body_framing::kind::length: {
      auto const n = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      left_ -= n;
      return {n, bytes.substr(0, n), left_ == 0 ? parse_step::complete(n) : on};
    }
    case body_framing::kind::chunked: {
      auto const piece = chunks_.next(bytes);
      ended_ = piece.step.is_complete();
      return piece;
    }
  }
  return {};
}

parse_step body_reader::pass(std::string_view bytes, std::size_t& consumed) {
  for (consumed = 0;;) {
    auto piece = next(bytes.substr(consumed));
    consumed += piece.consumed;
    if (piece.step.is_bad()) return parse_step::bad(piece.step.why, consumed);
    if (piece.step.is_complete()) return parse_step::complete(consumed);
    if (consumed == bytes.size()) return on;
  }
}

}  // namespace halfopen::net
