#include <utility>

#include <halfopen/gateway/client_connection.hpp>
#include <halfopen/gateway/worker.hpp>

namespace halfopen::gateway {

client_connection::client_connection(worker& w) noexcept
    : event_socket{w.loop()},
      timer{[](net::timer& self, instant) { static_cast<client_connection&>(self).on_time(); }},
      ready_step{[](net::ready_step& self) { static_cast<client_connection&>(self).serve_held(); }},
      worker_{w} {}

void client_connection::begin(net::unique_fd fd, std::string address) {
  address_ = std::move(address);
  held_.clear();
  keep_alive_ = true;
  forget_request();
  if (!open(std::move(fd))) return worker_.clients().give_back(*this);
  state_ = state::head;
  arm(worker_.config().timeouts.request_head);
}

void client_connection::turn_away(net::unique_fd fd, std::string address) {
  begin(std::move(fd), std::move(address));
  if (state_ == state::closed) return;
  keep_alive_ = body_read_ = false;  // the request has not been read
  refuse(reason::overloaded);
}

void client_connection::drain() {
  keep_alive_ = false;
  if (state_ == state::head && held_.empty()) shut();
  if (state_ == state::discarding) linger();
}

void client_connection::cut() {
  if (state_ == state::closed) return;
  if (call_ != nullptr) return gone();
  shut();
}

void client_connection::on_readable() {
  if (wants_bytes()) read();
}

bool client_connection::wants_bytes() const noexcept {
  switch (state_) {
    case state::head:
    case state::gathering:
    case state::discarding:
    case state::lingering: return true;
    case state::calling: return !body_read_ && call_->unsent() < unsent_max;
    case state::closed: return false;
  }
  return false;
}

void client_connection::read() {
  while (is_open() && wants_bytes() && may_read()) {
    auto const r = event_socket::read();
    switch (r.end) {
      case read_end::data: got(r.bytes); break;
      case read_end::drained: return;
      case read_end::closed:
      case read_end::broken: return gone();
    }
  }
}

void client_connection::got(std::string_view bytes) {
  switch (state_) {
    case state::head:
      if (held_.empty()) return got_head(bytes);
      held_ += bytes;
      return got_head(held_);
    case state::gathering:
    case state::calling: return got_body(bytes);
    case state::discarding: return discard(bytes);
    case state::lingering:
      lingered_ += bytes.size();
      if (lingered_ > lingering_max) shut();
      return;
    case state::closed: return;
  }
}

// `bytes` is all that has come of the request; where it is in held_, its start may have been looked at
// before.
void client_connection::got_head(std::string_view bytes) {
  auto& parser = parser_ ? *parser_ : worker_.parser();
  if (!parser_) parser.reset();
  auto const step = parser.next(bytes);
  if (step.is_bad()) return fault(step.why);
  if (step.wants_more()) return hold(bytes);
  auto const whole = std::move(parser_);       // both stay until the head has been used:
  auto const held = std::exchange(held_, {});  // `bytes` may be its text (longer than a string's own room)
  begin_request(parser.head(), bytes.substr(step.at));
}

void client_connection::hold(std::string_view bytes) {
  if (parser_) return;
  if (held_.data() != bytes.data()) held_ = bytes;
  if (held_.empty()) return;
  parser_ = std::make_unique<net::request_parser>(worker_.request_limits());
  (void)parser_->next(held_);
  arm(worker_.config().timeouts.request_head);
}

// The answer has been sent; the client may have sent its next request already.
void client_connection::next_request() {
  state_ = state::head;
  forget_request();
  arm(worker_.config().timeouts.client_idle);
  if (!held_.empty() || may_read()) loop().run_later(*this);
}

void client_connection::forget_request() noexcept {
  method_.clear();
  target_.clear();
  allow_.clear();
  began_ = now();
  body_length_ = bytes_in_ = bytes_out_ = 0;
  invoke_body_at_ = 0;
  status_ = 0;
  head_only_ = invoked_ = chunk_reply_ = false;
  body_read_ = true;
}

void client_connection::serve_held() {
  if (state_ == state::head && !held_.empty() && !parser_) {
    auto const held = std::exchange(held_, {});
    got_head(held);
  }
  read();
}

void client_connection::on_drained() {
  if (state_ == state::lingering) {
    finish_sending();
    return read();
  }
  if (call_ != nullptr) call_->resume();
}

void client_connection::on_broken() { gone(); }

void client_connection::on_peer_closed() {
  if (state_ == state::calling) gone();
}

// The client no longer wants its answer.
void client_connection::gone() {
  if (call_ != nullptr) {
    call_->abandon();
    end_record(0, reason::client_gone);
    worker_.calls().give_back(*std::exchange(call_, nullptr));
  }
  shut();
}

void client_connection::shut() noexcept {
  if (state_ == state::closed) return;
  state_ = state::closed;
  timer::cancel();
  parser_.reset();
  held_ = {};
  close();
  worker_.clients().give_back(*this);
}

// What the client still sends is read and dropped for a while: closing over it would reset the connection,
// and take the answer away.
void client_connection::linger() {
  if (!hurry() || (body_read_ && unsent() == 0)) return shut();
  state_ = state::lingering;
  lingered_ = 0;
  arm(std::chrono::seconds{2});
  if (unsent() == 0) finish_sending();
}

void client_connection::on_time() {
  switch (state_) {
    case state::head: return parser_ ? refuse(reason::request_timeout) : shut();
    case state::gathering: return refuse(reason::request_timeout);
    case state::calling: return body_late();
    case state::discarding:
    case state::lingering: return shut();
    case state::closed: return;
  }
}

// The client stopped sending in the middle of a body that is being sent on.
void client_connection::body_late() {
  if (call_->unsent() >= unsent_max)
    return arm(worker_.config().timeouts.request_body);  // it is the tool that waits
  call_->abandon();
  if (status_ != 0) return on_cut(reason::request_timeout);
  on_problem({.why = reason::request_timeout, .tool = call_->tool().state->name});
}

}  // namespace halfopen::gateway
