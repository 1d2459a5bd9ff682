#include <utility>

#include <halfopen/base/json_text.hpp>
#include <halfopen/gateway/admin_connection.hpp>
#include <halfopen/gateway/forwarding.hpp>
#include <halfopen/gateway/status_line.hpp>

namespace halfopen::gateway {
namespace {

constexpr duration idle = std::chrono::seconds{60};
constexpr duration first_head = std::chrono::seconds{5};
constexpr duration patience = std::chrono::seconds{10};

void take_fields(admin_request& r, net::request_head const& head) {
  r.method = head.method_text();
  r.authorization = head.find(net::known_field::authorization).value_or(std::string_view{});
  r.last_event_id = head.find("last-event-id").value_or(std::string_view{});
  r.accept = head.find("accept").value_or(std::string_view{});
  r.body.clear();
}

}  // namespace

admin_connection::admin_connection(net::event_loop& loop, admin_host& host) noexcept
    : event_socket{loop},
      timer{[](net::timer& self, instant) { static_cast<admin_connection&>(self).shut(); }},
      ready_step{[](net::ready_step& self) { static_cast<admin_connection&>(self).next(); }},
      host_{host} {}

void admin_connection::begin(net::unique_fd fd, std::string client, std::uint64_t id) {
  client_ = std::move(client);
  id_ = id;
  known_ = false;
  quiet_since_ = loop().now();
  held_.clear();
  drained = nullptr;
  if (!open(std::move(fd))) return host_.on_closed(*this);
  state_ = state::head;
  parser_.reset();
  arm(first_head);
}

void admin_connection::read() {
  while (is_open() && may_read() &&
         (state_ == state::head || state_ == state::body || state_ == state::ending)) {
    auto const r = event_socket::read();
    if (r.end == read_end::drained) return;
    if (r.end != read_end::data) return shut();
    got(r.bytes);
  }
}

void admin_connection::got(std::string_view bytes) {
  quiet_since_ = loop().now();
  if (state_ == state::body) return got_body(bytes);
  if (state_ != state::head) return;  // ending: nobody listens any more
  held_ += bytes;
  got_head(held_);
}

void admin_connection::got_head(std::string_view bytes) {
  auto const step = parser_.next(bytes);
  if (step.is_bad()) return fault(step.why);
  if (step.wants_more()) return;
  auto const& head = parser_.head();
  take_fields(request_, head);
  request_.client = client_;
  keep_alive_ = head.keeps_alive();
  head_only_ = head.method() == net::http_method::head;
  body_ = net::body_reader{net::framing_of(head)};
  state_ = state::body;
  arm(patience);
  if (!take_target(request_, head.path_and_query())) {
    keep_alive_ = false;
    return reply(admin_problem(400, "malformed", "a bad escape in the target"));
  }
  if (head.expects_continue()) (void)write("HTTP/1.1 100 Continue\r\n\r\n");
  auto const rest = std::exchange(held_, {}).substr(step.at);
  got_body(rest);
}

void admin_connection::got_body(std::string_view bytes) {
  std::size_t used = 0;
  while (!body_.ended() && used < bytes.size()) {
    auto const piece = body_.next(bytes.substr(used));
    used += piece.consumed;
    if (piece.step.is_bad()) return fault(piece.step.why);
    request_.body += piece.payload;
    if (request_.body.size() > body_max) {
      keep_alive_ = false;
      return reply(admin_problem(413, "body_too_large", "a request here has at most 1 MB"));
    }
    if (piece.consumed == 0) break;
  }
  if (!body_.ended()) return;
  held_ = bytes.substr(used);
  dispatch();
}

void admin_connection::fault(net::http_fault why) {
  keep_alive_ = false;
  reply(admin_problem(net::rule_of(why).status, net::rule_of(why).name, net::rule_of(why).because));
}

void admin_connection::dispatch() {
  timer::cancel();
  state_ = state::answering;
  host_.on_request(*this, request_);
}

void admin_connection::reply(admin_reply const& r) {
  out_.clear();
  append_status_line(out_, r.status);
  ((out_ += "Content-Type: ") += r.content_type) += "\r\nContent-Length: ";
  append_number(out_, r.body.size());
  out_ += "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n";
  out_ += r.fields;
  out_ += keep_alive_ ? "\r\n" : "Connection: close\r\n\r\n";
  if (!write(out_, head_only_ ? std::string_view{} : std::string_view{r.body})) return shut();
  if (keep_alive_) {
    head_only_ = false;
    state_ = state::head;
    parser_.reset();
    arm(idle);
    return loop().run_later(*this);
  }
  end();
}

// Everything has been written: closes once it has left, and the client has closed too.
void admin_connection::end() {
  state_ = state::ending;
  arm(patience);
  if (!hurry()) return shut();
  if (unsent() == 0) finish_sending();
}

void admin_connection::begin_stream(std::string_view content_type) {
  state_ = state::streaming;
  keep_alive_ = false;
  out_ = "HTTP/1.1 200 OK\r\nContent-Type: ";
  out_ += content_type;
  out_ += "\r\nCache-Control: no-store\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
  if (!write(out_)) shut();
}

bool admin_connection::push(std::string_view piece) {
  if (state_ != state::streaming) return false;
  if (piece.empty()) return true;
  out_.clear();
  append_chunk(out_, piece, false);
  if (unsent() <= unsent_max && write(out_)) return true;
  shut();
  return false;
}

void admin_connection::end_stream() {
  if (state_ != state::streaming) return;
  if (!write("0\r\n\r\n")) return shut();
  end();
}

void admin_connection::on_drained() {
  if (state_ == state::ending) return finish_sending();
  if (auto const told = drained) told();  // may replace itself
}

void admin_connection::on_peer_closed() {
  if (state_ == state::answering || state_ == state::streaming) shut();
}

// The next request may be here already.
void admin_connection::next() {
  if (state_ != state::head) return;
  if (!held_.empty()) got_head(held_);
  read();
}

void admin_connection::shut() noexcept {
  if (state_ == state::closed) return;
  state_ = state::closed;
  timer::cancel();
  drained = nullptr;
  close();
  host_.on_closed(*this);
}

}  // namespace halfopen::gateway
