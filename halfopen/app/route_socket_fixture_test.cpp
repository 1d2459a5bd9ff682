#include <algorithm>
#include <cctype>
#include <charconv>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <halfopen/app/route_socket_fixture.hpp>

namespace halfopen::route {
namespace {

std::string lower(std::string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string{text.substr(first, text.find_last_not_of(" \t") - first + 1)};
}

std::optional<std::size_t> number(std::string_view text, int base) {
  std::size_t n = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n, base);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return n;
}

int status_of(message const& m) {
  if (m.first_line.size() < 12 || !m.first_line.starts_with("HTTP/1.1 ")) return 0;
  return static_cast<int>(number(std::string_view{m.first_line}.substr(9, 3), 10).value_or(0));
}

bool is_bodiless(message const& m) {
  auto const status = status_of(m);
  return status == 204 || status == 304 || (status >= 100 && status < 200);
}

bool readable(int fd, std::chrono::milliseconds limit) {
  pollfd p{fd, POLLIN, 0};
  return ::poll(&p, 1, static_cast<int>(std::max(limit, 0ms).count())) == 1;
}

}  // namespace

// ---- connection

connection& connection::operator=(connection&& other) noexcept {
  close();
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

connection connection::to(std::uint16_t port) {
  connection c{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int const on = 1;
  ::setsockopt(c.fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(c.fd_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) c.close();
  return c;
}

bool connection::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    pollfd p{fd_, POLLOUT, 0};
    if (::poll(&p, 1, static_cast<int>(long_enough.count())) != 1) return false;
    auto const n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool connection::send_last(std::string_view bytes) const {
  int const on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_CORK, &on, sizeof on);
  bool const sent = send(bytes);
  end_sending();
  return sent;
}

std::string connection::receive(std::chrono::milliseconds limit) const {
  if (fd_ < 0 || !readable(fd_, limit)) return {};
  std::string bytes(65536, '\0');
  auto const n = ::recv(fd_, bytes.data(), bytes.size(), 0);
  bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return bytes;
}

std::string connection::receive_all(std::chrono::milliseconds limit) const {
  std::string all;
  for (auto some = receive(limit); !some.empty(); some = receive(limit)) all += some;
  return all;
}

bool connection::is_closed_by_peer(std::chrono::milliseconds limit) const {
  auto const until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    auto const left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (!readable(fd_, left)) return false;
    char byte = 0;
    if (::recv(fd_, &byte, 1, 0) <= 0) return true;
  }
}

void connection::end_sending() const { ::shutdown(fd_, SHUT_WR); }

void connection::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void connection::reset_on_close() const {
  linger const now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

// ---- messages

std::string message::field(std::string const& name) const {
  auto const found = fields.find(name);
  return found == fields.end() ? std::string{} : found->second;
}

bool message_reader::more() {
  auto const left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until_ - std::chrono::steady_clock::now());
  auto const bytes = connection_.receive(left);
  buffer_ += bytes;
  return !bytes.empty();
}

std::optional<std::string> message_reader::line() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n")) == std::string::npos) {
    if (!more()) return {};
  }
  auto const text = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return text;
}

std::optional<message> message_reader::next(bool to_end, bool head_only, std::chrono::milliseconds limit) {
  until_ = std::chrono::steady_clock::now() + limit;
  message m;
  auto first = line();
  if (!first) return {};
  m.first_line = *first;
  for (;;) {
    auto const field = line();
    if (!field) return {};
    if (field->empty()) break;
    auto const colon = field->find(':');
    if (colon == std::string::npos) return {};
    m.fields.emplace(lower(std::string_view{*field}.substr(0, colon)),
                     trimmed(std::string_view{*field}.substr(colon + 1)));
  }
  m.whole = head_only || is_bodiless(m) || read_body(m, to_end);
  return m;
}

bool message_reader::read_body(message& m, bool to_end) {
  if (lower(m.field("transfer-encoding")) == "chunked") return read_chunks(m.body);
  if (m.has("content-length")) {
    auto const length = number(m.field("content-length"), 10);
    if (!length) return false;
    while (buffer_.size() < *length) {
      if (!more()) return false;
    }
    m.body = buffer_.substr(0, *length);
    buffer_.erase(0, *length);
    return true;
  }
  if (!to_end) return true;
  while (more()) {
  }
  m.body = std::exchange(buffer_, {});
  return true;
}

bool message_reader::read_chunks(std::string& body) {
  for (;;) {
    auto const size_line = line();
    if (!size_line) return false;
    auto const size = number(std::string_view{*size_line}.substr(0, size_line->find(';')), 16);
    if (!size) return false;
    while (buffer_.size() < *size + 2) {
      if (!more()) return false;
    }
    body += buffer_.substr(0, *size);
    buffer_.erase(0, *size + 2);
    if (*size == 0) return true;
  }
}

// ---- client

void client::start(std::string const& method, std::string const& target, std::string const& body,
                   field_lines const& fields) {
  std::string text = method + ' ' + target + " HTTP/1.1\r\n";
  bool host = false;
  bool length = false;
  for (auto const& f : fields) {
    text += f + "\r\n";
    auto const name = lower(f.substr(0, f.find(':')));
    host = host || name == "host";
    length = length || name == "content-length" || name == "transfer-encoding";
  }
  if (!host) text += "Host: gateway.test\r\n";
  if (!length && (!body.empty() || method == "POST" || method == "PUT"))
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  head_only_ = method == "HEAD";
  connection_.send(text + "\r\n" + body);
}

reply client::finish(std::chrono::milliseconds limit) {
  reply r;
  for (;;) {
    auto m = reader_.next(true, head_only_, limit);
    if (!m) return r;
    static_cast<message&>(r) = std::move(*m);
    r.status = status_of(r);
    if (r.status == 0 || r.status >= 200) return r;
  }
}

reply client::call(std::string const& method, std::string const& target, std::string const& body,
                   field_lines const& fields) {
  start(method, target, body, fields);
  return finish();
}

reply call(std::uint16_t port, std::string const& method, std::string const& target, std::string const& body,
           field_lines const& fields) {
  client c{port};
  return c.call(method, target, body, fields);
}

reply send_raw(std::uint16_t port, std::string_view bytes) {
  client c{port};
  c.socket().send(bytes);
  return c.finish();
}

}  // namespace halfopen::route
