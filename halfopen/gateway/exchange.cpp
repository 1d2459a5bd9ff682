#include <utility>

#include <halfopen/gateway/exchange.hpp>
#include <halfopen/gateway/upstream_pool.hpp>

namespace halfopen::gateway {

exchange::exchange() noexcept
    : ready_step{[](net::ready_step& self) { static_cast<exchange&>(self).read(); }} {}

void exchange::begin(upstream_pool& pool, passage p, exchange_order const& order, exchange_sink& sink) {
  pool_ = &pool;
  passage_.emplace(std::move(p));
  order_ = order;
  sink_ = &sink;
  state_ = state::connecting;
  request_complete_ = !order.body_follows;
  reused_ = answered_ = paused_ = false;
  interims_ = 0;
  early_body_.clear();
  partial_.clear();
}

void exchange::go() { pool_->connect(*this, !passage_->probe()); }

void exchange::dialling(upstream_connection& on) noexcept { connection_ = &on; }

void exchange::connected(upstream_connection& on, bool reused) {
  connection_ = &on;
  on.user_ = this;
  reused_ = reused;
  state_ = state::head;
  if (!on.write(order_.request, early_body_)) return lost();
  early_body_.clear();
}

void exchange::not_connected(reason why) {
  connection_ = nullptr;
  fail(why);
}

bool exchange::send_body(std::string_view bytes, bool complete) {
  request_complete_ = complete;
  order_.repeatable = false;
  if (state_ == state::connecting) {
    early_body_ += bytes;
    return true;
  }
  if (connection_ == nullptr) return false;
  if (connection_->write(bytes)) return true;
  on_broken();
  return false;
}

std::size_t exchange::unsent() const noexcept {
  return state_ == state::connecting || connection_ == nullptr ? early_body_.size() : connection_->unsent();
}

void exchange::resume() {
  if (!std::exchange(paused_, false)) return;
  read();
}

void exchange::cancel() noexcept {
  if (state_ == state::idle || state_ == state::ended) return;
  let_go(false);
  end();
}

void exchange::hand_over(exchange_sink& to) {
  sink_ = &to;
  if (state_ == state::connecting) {
    own_request_ = order_.request;
    order_.request = own_request_;
  } else {
    order_.repeatable = false;
  }
}

void exchange::on_readable() { read(); }

void exchange::on_sent() { sink_->on_request_drained(); }

// Nothing more can be sent. What the tool has said before it closed still counts: a refusal of a large body.
void exchange::on_broken() {
  read();
  if (state_ == state::head || state_ == state::body) lost();
}

void exchange::read() {
  for (int turn = 0; reads() && connection_->may_read(); ++turn) {
    if (turn == reads_max) return pool_->parts_.loop.run_later(*this);  // the others want their turn, too
    auto const r = connection_->read();
    switch (r.end) {
      case event_socket::read_end::data: got(r.bytes); break;
      case event_socket::read_end::drained: return;
      case event_socket::read_end::closed: return got_close();
      case event_socket::read_end::broken: return lost();
    }
  }
}

void exchange::got(std::string_view bytes) {
  answered_ = true;
  if (state_ == state::body) return got_body(bytes);
  if (partial_.empty()) return got_head(bytes);
  partial_ += bytes;
  got_head(partial_);
}

// `bytes` is all of the head that has come; where it is in partial_, it has been looked at before. Interim
// heads are passed over, up to a bound: a tool that sends nothing else would be read for as long as the call
// lasts.
void exchange::got_head(std::string_view bytes) {
  bool whole = bytes.data() != partial_.data();
  std::string held;  // what follows an interim head in partial_
  for (;;) {
    auto& parser = whole ? pool_->parts_.parser : *parser_;
    if (whole) parser.reset();
    auto const step = parser.next(bytes);
    if (step.is_bad()) return fail(reason::bad_reply);
    if (step.wants_more()) {
      if (whole) keep_partial(bytes);
      return;
    }
    auto const rest = bytes.substr(step.at);
    if (!parser.head().is_interim()) return got_final(parser.head(), rest);
    if (parser.head().status() == 101) return fail(reason::bad_reply);  // nobody asked for another protocol
    if (++interims_ > interims_max) return fail(reason::bad_reply);
    if (!whole) {
      held = rest;
      partial_.clear();
    }
    bytes = whole ? rest : std::string_view{held};
    whole = true;
    if (bytes.empty()) return;
  }
}

void exchange::keep_partial(std::string_view bytes) {
  partial_ = bytes;
  parser_ = std::make_unique<net::response_parser>(pool_->parts_.reply_limits);
  (void)parser_->next(partial_);
}

void exchange::got_final(net::response_head const& head, std::string_view rest) {
  framing_ = net::framing_of(head, order_.method);
  body_ = net::body_reader{framing_};
  keeps_alive_ = head.keeps_alive() && framing_.by != net::body_framing::kind::until_close;
  state_ = state::body;
  auto const p = pass(rest);
  if (!p.good) return fail(reason::bad_reply);
  if (p.complete) state_ = state::ended;
  sink_->on_reply(head, framing_, p.body, p.complete);
  if (p.complete) end();
}

void exchange::got_body(std::string_view bytes) {
  auto const p = pass(bytes);
  if (!p.good) return fail(reason::bad_reply);
  if (p.complete) state_ = state::ended;
  sink_->on_body(p.body, p.complete);
  if (p.complete) end();
}

void exchange::got_close() {
  if (state_ != state::body || !body_.close()) return lost();
  let_go(false);
  state_ = state::ended;
  sink_->on_body({}, true);
  end();
}

// Reads on in the body; where that is its end, the connection is free before anyone is told.
exchange::passed exchange::pass(std::string_view bytes) {
  std::size_t used = 0;
  bool const plain = order_.plain_body && framing_.by == net::body_framing::kind::chunked;
  auto const step = plain ? pass_plain(bytes, used) : body_.pass(bytes, used);
  if (step.is_bad()) return {{}, false, false};
  bool const complete = body_.ended();
  if (complete) let_go(keeps_alive_ && used == bytes.size() && request_sent());
  return {plain ? std::string_view{plain_} : bytes.substr(0, used), true, complete};
}

net::parse_step exchange::pass_plain(std::string_view bytes, std::size_t& used) {
  plain_.clear();
  for (;;) {
    auto const piece = body_.next(bytes.substr(used));
    used += piece.consumed;
    plain_ += piece.payload;
    if (!piece.step.wants_more() || piece.consumed == 0) return piece.step;
  }
}

void exchange::let_go(bool reusable) noexcept {
  auto* const c = std::exchange(connection_, nullptr);
  if (c == nullptr) return;
  if (reusable)
    pool_->keep(*c);
  else
    pool_->drop(*c);
}

// The connection broke. If it was a kept one that the tool had closed before it saw the request, the attempt
// has not begun yet: it goes over a new one, and nobody counts it.
void exchange::lost() {
  bool const stale = reused_ && !answered_;
  let_go(false);
  if (!stale || !order_.repeatable) return fail_as(reason::reset, stale);
  state_ = state::connecting;
  reused_ = false;
  pool_->connect_again(*this);
}

void exchange::fail(reason why) { fail_as(why, false); }

void exchange::fail_as(reason why, bool stale) {
  let_go(false);
  state_ = state::ended;
  sink_->on_failed(why, stale);
  end();
}

void exchange::end() noexcept {
  state_ = state::idle;
  passage_.reset();
  parser_.reset();
  pool_->finished(*this);
}

}  // namespace halfopen::gateway
