#include <utility>

#include <halfopen/gateway/client_connection.hpp>
#include <halfopen/gateway/worker.hpp>

namespace halfopen::gateway {

// The client is answered without a tool.
void client_connection::refuse(reason why, std::string_view detail) {
  problem p{.why = why, .detail = detail};
  if (call_ != nullptr) p.tool = call_->tool().state->name;
  send_problem(p);
}

// The same for a request whose body, or what of it has come, has not been looked at.
void client_connection::refuse_unread(reason why, std::string_view rest, std::string_view detail) {
  held_ = rest;
  refuse(why, detail);
}

void client_connection::on_problem(problem const& p) { send_problem(p); }

void client_connection::send_problem(problem const& p) {
  timer::cancel();
  keep_alive_ = keep_alive_ && (body_read_ || is_worth_discarding()) && row(p.why).status != 408 &&
                p.why != reason::draining;
  auto& out = worker_.out();
  out.clear();
  append_reply(out, p,
               {.keep_alive = keep_alive_,
                .head_only = head_only_,
                .reason_header = worker_.config().log.reason_header,
                .allow = allow_});
  if (!send(out)) return;
  end_request(row(p.why).status, p.why);
}

void client_connection::on_reply(net::response_head const& head, net::body_framing framing,
                                 std::string_view body, bool complete) {
  using kind = net::body_framing::kind;
  status_ = head.status();
  bool const old = minor_ == 0;
  chunk_reply_ = framing.by == kind::until_close && !old;
  bool const ends_by_closing = old && (framing.by == kind::until_close || framing.by == kind::chunked);
  keep_alive_ = keep_alive_ && body_read_ && !ends_by_closing && !worker_.draining();
  auto& out = worker_.out();
  out.clear();
  auto& reasons = worker_.reasons();
  reasons.clear();
  if (worker_.config().log.reason_header) {
    reasons += "HalfOpen-Attempts: ";
    append_reasons(reasons, call_->attempts());
    reasons += "\r\n";
  }
  reply_edit const edit{.keep_alive = keep_alive_,
                        .says_keep_alive = old,
                        .drop_framing = old,
                        .add_chunked = chunk_reply_,
                        .added = reasons};
  bool const as_it_is = stays_as_it_is(head, edit);
  if (!as_it_is) append_reply_head(out, head, edit);
  if (chunk_reply_) append_chunk(out, body, complete);
  if (!send(as_it_is ? head.bytes() : std::string_view{out}, chunk_reply_ ? std::string_view{} : body))
    return;
  if (complete) end_request(status_, call_->why());
}

void client_connection::on_reply_body(std::string_view body, bool complete) {
  if (chunk_reply_) {
    auto& out = worker_.out();
    out.clear();
    append_chunk(out, body, complete);
    body = out;
  }
  if (!body.empty() && !send(body)) return;
  if (complete) return end_request(status_, call_->why());
  if (unsent() > unsent_max) call_->pause();
}

// The client must see that its reply is not whole: what there is of it is sent, then the connection breaks.
void client_connection::on_cut(reason why) {
  end_record(status_, why);
  worker_.calls().give_back(*std::exchange(call_, nullptr));
  (void)hurry();
  reset();
  shut();
}

bool client_connection::on_taken_back() {
  if (bytes_out_ == 0 || !take_back(static_cast<std::size_t>(bytes_out_))) return false;
  bytes_out_ = 0;
  status_ = 0;
  return true;
}

void client_connection::on_request_drained() {
  if (state_ == state::calling && !body_read_ && may_read()) loop().run_later(*this);
}

// False: the client has gone, and so has the request.
bool client_connection::send(std::string_view a, std::string_view b) {
  bytes_out_ += a.size() + b.size();
  if (write(a, b)) return true;
  gone();
  return false;
}

void client_connection::end_request(int status, reason why) {
  end_record(status, why);
  if (call_ != nullptr) worker_.calls().give_back(*std::exchange(call_, nullptr));
  if (!keep_alive_) return linger();
  if (body_read_) return next_request();
  state_ = state::discarding;
  discard(std::exchange(held_, {}));
}

void client_connection::end_record(int status, reason why) {
  request_record r{.client = address_,
                   .method = method_,
                   .target = target_,
                   .status = status,
                   .why = why,
                   .bytes_in = bytes_in_,
                   .bytes_out = bytes_out_,
                   .began = began_,
                   .through = call_,
                   .invoked = invoked_};
  if (invoked_ && call_ != nullptr && invoke_body_at_ != 0)
    r.arguments = std::string_view{call_->request().bytes}.substr(invoke_body_at_);
  worker_.ended(r);
  if (call_ != nullptr) call_->close();
}

}  // namespace halfopen::gateway
