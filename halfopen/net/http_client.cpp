#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include <poll.h>
#include <sys/socket.h>

#include <halfopen/net/event_loop.hpp>
#include <halfopen/net/http_body.hpp>
#include <halfopen/net/http_client.hpp>
#include <halfopen/net/http_parser.hpp>

namespace halfopen::net {
namespace {

/// Waits until the socket is ready for `what`, or says that time is up.
expected<void, io_error> wait_for(int fd, short what, instant end) {
  for (;;) {
    duration const left = end - steady_now();
    if (left <= duration{}) return unexpected{io_error{io_errc::timed_out, 0}};
    auto const ms =
        std::chrono::ceil<std::chrono::milliseconds>(std::min<duration>(left, std::chrono::hours{1}));
    pollfd watched{fd, what, 0};
    int const n = ::poll(&watched, 1, static_cast<int>(ms.count()));
    if (n > 0) return {};
    if (n < 0 && errno != EINTR) return unexpected{from_errno(errno)};
  }
}

bool has(field_list const& fields, std::string_view name) { return find_field(fields, name).has_value(); }

}  // namespace

std::optional<std::string_view> received_reply::field(std::string_view name) const {
  return find_field(fields, name);
}

expected<void, io_error> http_client::open(duration limit) {
  instant const end = steady_now() + limit;
  close();
  unique_fd fd{::socket(to_.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!fd) return unexpected{from_errno(errno)};
  if (::connect(fd.get(), to_.data(), to_.size()) != 0) {
    if (errno != EINPROGRESS && errno != EINTR) return unexpected{from_errno(errno)};
    if (auto ready = wait_for(fd.get(), POLLOUT, end); !ready) return ready;
    int code = 0;
    socklen_t length = sizeof code;
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &code, &length) != 0) code = errno;
    if (code != 0) return unexpected{from_errno(code)};
  }
  fd_ = std::move(fd);
  return {};
}

expected<void, io_error> http_client::write(std::string_view bytes, duration limit) {
  instant const end = steady_now() + limit;
  while (!bytes.empty()) {
    if (auto ready = wait_for(fd_.get(), POLLOUT, end); !ready) return ready;
    ssize_t const n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n < 0) return unexpected{from_errno(errno)};
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

expected<void, io_error> http_client::fill(instant end) {
  std::array<char, 16 * 1024> bytes;
  for (;;) {
    if (auto ready = wait_for(fd_.get(), POLLIN, end); !ready) return ready;
    ssize_t const n = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n < 0) return unexpected{from_errno(errno)};
    if (n == 0) return unexpected{io_error{io_errc::closed, 0}};
    arrived_.append(bytes.data(), static_cast<std::size_t>(n));
    return {};
  }
}

expected<received_reply, io_error> http_client::read_reply(duration limit, std::string_view method) {
  auto reply = read_whole(steady_now() + limit, method);
  if (!reply || !reply->keeps_alive) close();
  return reply;
}

expected<received_reply, io_error> http_client::read_whole(instant end, std::string_view method) {
  response_parser parser{{.head_max = message_head::size_max}};
  for (;;) {
    auto const step = parser.next(arrived_);
    if (step.is_bad()) return unexpected{io_error{io_errc::bad_message, 0}};
    if (step.wants_more()) {
      if (auto more = fill(end); !more) return unexpected{more.error()};
      continue;
    }
    if (!parser.head().is_interim()) break;
    arrived_.erase(0, step.at);
    parser.reset();
  }
  auto const& head = parser.head();
  received_reply reply{.status = head.status(), .keeps_alive = head.keeps_alive()};
  for (std::size_t i = 0; i < head.size(); ++i) reply.fields.emplace_back(head.name(i), head.value(i));
  auto const framing = framing_of(head, method_of(method));
  if (framing.by == body_framing::kind::until_close) reply.keeps_alive = false;
  arrived_.erase(0, head.bytes().size());
  body_reader body{framing};
  while (!body.ended()) {
    if (arrived_.empty()) {
      auto const more = fill(end);
      if (!more && more.error().why == io_errc::closed && body.close()) break;
      if (!more) return unexpected{more.error()};
    }
    auto const piece = body.next(arrived_);
    if (piece.step.is_bad()) return unexpected{io_error{io_errc::bad_message, 0}};
    reply.body += piece.payload;
    arrived_.erase(0, piece.consumed);
  }
  return reply;
}

expected<received_reply, io_error> http_client::send_raw(std::string_view bytes, duration limit,
                                                         std::string_view method) {
  instant const end = steady_now() + limit;
  if (!is_open())
    if (auto opened = open(limit); !opened) return unexpected{opened.error()};
  auto const sent = write(bytes, end - steady_now());
  // A server may answer and close before it has read everything; then the answer is what counts.
  auto reply = read_reply(end - steady_now(), method);
  if (!reply && !sent) return unexpected{sent.error()};
  return reply;
}

expected<received_reply, io_error> http_client::send(std::string_view method, std::string_view target,
                                                     field_list const& fields, std::string_view body,
                                                     duration limit) {
  std::string head = std::string{method} + " " + std::string{target} + " HTTP/1.1\r\n";
  if (!has(fields, "Host")) head += "Host: " + to_.text() + "\r\n";
  for (auto const& [name, value] : fields) head += name + ": " + value + "\r\n";
  bool const needs_length = !body.empty() || method == "POST" || method == "PUT";
  if (needs_length && !has(fields, "Content-Length") && !has(fields, "Transfer-Encoding"))
    head += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return send_raw(head + "\r\n" + std::string{body}, limit, method);
}

void http_client::shutdown_send() noexcept { ::shutdown(fd_.get(), SHUT_WR); }

void http_client::reset() noexcept {
  struct ::linger const at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void http_client::close() noexcept {
  fd_.reset();
  arrived_.clear();
}

}  // namespace halfopen::net
