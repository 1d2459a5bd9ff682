#include <algorithm>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <halfopen/app/route_upstream_fixture.hpp>

namespace halfopen::route {

// ---- gate

void gate::open() {
  std::lock_guard const lock{mutex_};
  open_ = true;
  opened_.notify_all();
}

void gate::pass() {
  std::unique_lock lock{mutex_};
  ++waiting_;
  opened_.wait_for(lock, long_enough, [&] { return open_; });
  --waiting_;
}

// ---- behaviours

std::string reply_text(int status, std::string const& body, field_lines const& fields) {
  std::string text = "HTTP/1.1 " + std::to_string(status) +
                     " Said\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  for (auto const& f : fields) text += f + "\r\n";
  return text + "\r\n" + body;
}

behaviour answers(int status, std::string const& body, field_lines const& fields) {
  return [=](message const& request, connection& to) {
    auto const text = reply_text(status, body, fields);
    bool const head = request.first_line.starts_with("HEAD ");
    return to.send(head ? text.substr(0, text.size() - body.size()) : text);
  };
}

behaviour answers_with(std::string bytes, bool then_closes) {
  return [=](message const&, connection& to) { return to.send(bytes) && !then_closes; };
}

behaviour answers_after(std::shared_ptr<gate> g, int status, std::string const& body) {
  return [=](message const&, connection& to) {
    g->pass();
    return to.send(reply_text(status, body));
  };
}

behaviour never_answers() {
  return [](message const&, connection& to) {
    std::ignore = to.is_closed_by_peer();
    return false;
  };
}

behaviour resets() {
  return [](message const&, connection& to) {
    to.reset_on_close();
    return false;
  };
}

namespace {
// More than anyone sends on without letting some of it go.
std::string half() { return std::string(2'000'000, 'h'); }
}  // namespace

behaviour resets_inside_the_body() {
  return [](message const&, connection& to) {
    to.send("HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n" + half());
    to.reset_on_close();
    return false;
  };
}

behaviour closes_without_a_word() {
  return [](message const&, connection&) { return false; };
}

behaviour speaks_garbage() { return answers_with("\x16\x03\x01 no HTTP at all\r\n\r\n"); }

behaviour cuts_the_body() {
  return answers_with("HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n" + half());
}

behaviour cuts_the_chunks() {
  return answers_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1e8480\r\n" + half() + "\r\n");
}

behaviour ends_with(std::string bytes) {
  return [bytes](message const&, connection& to) {
    to.send_last(bytes);
    return false;
  };
}

behaviour cuts_the_head() { return answers_with("HTTP/1.1 200 OK\r\nContent-Le"); }

behaviour stalls_inside_the_body() {
  return [](message const&, connection& to) {
    to.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf");
    std::ignore = to.is_closed_by_peer();
    return false;
  };
}

behaviour trickles(std::string const& body, std::chrono::milliseconds between) {
  return [=](message const&, connection& to) {
    auto const text = reply_text(200, body);
    to.send(text.substr(0, text.size() - body.size()));
    for (char const byte : body) {
      if (to.is_closed_by_peer(between) || !to.send({&byte, 1})) return false;
    }
    return true;
  };
}

behaviour informs_first(int status) {
  return answers_with("HTTP/1.1 " + std::to_string(status) + " First\r\nLink: </a>\r\n\r\n" + reply_text(200),
                      false);
}

behaviour sends_a_huge_head() {
  return answers_with("HTTP/1.1 200 OK\r\nX-Huge: " + std::string(1 << 20, 'x') +
                      "\r\nContent-Length: 2\r\n\r\nok");
}

behaviour echoes() {
  return [](message const& request, connection& to) {
    std::string body = request.first_line + '\n';
    for (auto const& [name, value] : request.fields) body += name + ": " + value + '\n';
    return to.send(reply_text(200, body + '\n' + request.body));
  };
}

// ---- upstream

upstream::upstream(behaviour b) : behaviour_{std::move(b)} {
  reserved_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int const on = 1;
  ::setsockopt(reserved_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (::bind(reserved_, reinterpret_cast<sockaddr*>(&at), size) != 0) throw std::runtime_error{"bind"};
  ::getsockname(reserved_, reinterpret_cast<sockaddr*>(&at), &size);
  port_ = ntohs(at.sin_port);
  open();
}

upstream::~upstream() {
  shut();
  for (auto& s : servers_) s.join();
  ::close(reserved_);
}

void upstream::open() {
  closing_ = false;
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int const on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port_);
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 || ::listen(listener_, 512) != 0)
    throw std::runtime_error{"cannot listen again"};
  acceptor_ = std::thread{[this, fd = listener_] { accept_all(fd); }};
}

void upstream::shut() {
  closing_ = true;
  ::shutdown(listener_, SHUT_RDWR);
  if (acceptor_.joinable()) acceptor_.join();
  ::close(std::exchange(listener_, -1));
  std::lock_guard const lock{mutex_};
  for (int const fd : open_) ::shutdown(fd, SHUT_RDWR);
}

void upstream::refuse() { shut(); }

void upstream::listen_again() { open(); }

void upstream::now(behaviour b) {
  std::lock_guard const lock{mutex_};
  behaviour_ = std::move(b);
}

message upstream::last_request() const {
  std::lock_guard const lock{mutex_};
  return last_;
}

void upstream::accept_all(int listener) {
  while (!closing_) {
    int const fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    ++connections_;
    std::lock_guard const lock{mutex_};
    open_.push_back(fd);
    servers_.emplace_back([this, fd] { serve(fd); });
  }
}

void upstream::serve(int fd) {
  {
    connection c{fd};
    message_reader reader{c};
    for (;;) {
      auto const request = reader.next(false);
      if (!request || !request->whole) break;
      behaviour act;
      {
        std::lock_guard const lock{mutex_};
        last_ = *request;
        act = behaviour_;
      }
      ++requests_;
      if (!act(*request, c)) break;
    }
    std::lock_guard const lock{mutex_};
    std::erase(open_, fd);
  }
}

}  // namespace halfopen::route
