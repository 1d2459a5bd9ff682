#include <algorithm>
#include <utility>

#include <halfopen/gateway/call.hpp>
#include <halfopen/gateway/host_choice.hpp>
#include <halfopen/gateway/orphan.hpp>
#include <halfopen/gateway/upstream_pool.hpp>
#include <halfopen/gateway/worker.hpp>

namespace halfopen::gateway {

call::call(worker& w) noexcept
    : timer{[](net::timer& self, instant now) { static_cast<call&>(self).on_time(now); }}, worker_{w} {}

instant call::now() const noexcept { return worker_.loop().now(); }

void call::open(generation& g, std::size_t tool, call_owner& owner) noexcept {
  ++g.users;
  generation_ = &g;
  tool_index_ = tool;
  plan_ = &g.tool(tool);
  owner_ = &owner;
  exchange_ = nullptr;
  tried_ = 0;
  noted_ = begun_ = 0;
  why_ = last_ = reason::none;
  probed_ = settled_ = committed_ = deciding_ = accepted_ = false;
  request_.bytes.clear();
  request_.host_at = call_request::no_host;
  request_.body_follows = request_.repeatable = request_.plain_body = false;
  started_ = now();
}

void call::close() noexcept {
  timer::cancel();
  stack_.reset();
  --generation_->users;
  constexpr std::size_t room_kept = 256 * 1024;
  if (request_.bytes.capacity() > room_kept) request_.bytes = {};
}

bool call::refuse_early() {
  ended no;
  if (!refuses_now(*plan_, worker_.index(), now(), no)) return false;
  answer_problem(from(no.why), no.retry_after);
  return true;
}

void call::begin() {
  if (!may_ask(plan_->gate.get())) return answer_problem(reason::open, duration{0});
  stack_.emplace(plan_->pipeline.make_call(this, worker_.index()));
  attempt a;
  ended e;
  act(stack_->start(now(), a, e), e);
}

void call::send_body(std::string_view bytes, bool complete) {
  request_.body_follows = !complete;
  if (exchange_ != nullptr) exchange_->send_body(bytes, complete);
}

void call::pause() noexcept {
  if (exchange_ != nullptr) exchange_->pause();
}

void call::resume() {
  if (exchange_ != nullptr) exchange_->resume();
}

void call::abandon() {
  timer::cancel();
  why_ = reason::client_gone;
  take_attempt_away(reason::client_gone);
  if (stack_ && !stack_->over()) stack_->abandon(now());
}

// What the pipeline wants next. After a reply's head has been sent on there is no other attempt.
void call::act(step s, ended& e) {
  if (committed_ && (s == step::descend || s == step::stay) && exchange_ == nullptr) {
    stack_->abandon(now());
    s = step::complete;
  }
  switch (s) {
    case step::descend: return begin_attempt();
    case step::stay: return worker_.loop().timers().arm(*this, stack_->wake_at());
    case step::complete: return complete(e);
    case step::abort_below: return abort_attempt();
    case step::divert:
    case step::fork: break;  // the stack's own
  }
}

void call::complete(ended const& e) {
  timer::cancel();
  bool const by_the_tool = e.who.empty() && e.result != result_class::refused;
  if (!by_the_tool) why_ = reason_of(e);
  if (deciding_ && (by_the_tool || committed_)) {
    accepted_ = true;
    return;
  }
  why_ = reason_of(e);
  if (committed_) return owner_->on_cut(why_);
  answer_problem(why_, e.retry_after);
}

reason call::reason_of(ended const& e) const noexcept {
  if (e.result == result_class::refused || !e.who.empty()) return from(e.why);
  return last_ == reason::none ? reason::internal : last_;
}

void call::answer_problem(reason why, duration retry_after) {
  why_ = why;
  auto& meter = plan_->state->meters[worker_.index()];
  meter.answers[static_cast<std::size_t>(why)].add();
  if (is_refusal(why)) meter.health->rejected();
  owner_->on_problem(
      {.why = why, .tool = plan_->state->name, .attempts = attempts(), .retry_after = retry_after});
}

void call::begin_attempt() {
  worker_.loop().timers().arm(*this, stack_->wake_at());
  auto const& a = stack_->below();
  if (!plan_->host_gates)
    pass_to(next_host(*plan_, generation_->turns[tool_index_], tried_, now()).value_or(0));
  auto const& host = plan_->hosts[host_];
  ++begun_;
  probed_ = probed_ || a.probe;
  noted_ = std::min(noted_ + 1, notes_max);
  note() = {.number = begun_, .host = host.name(), .probe = a.probe};
  attempt_started_ = now();
  epochs_ = epochs_of(*plan_, host, now());
  if (a.probe) host.state->meters[worker_.index()].probes.add();
  auto& pool = *generation_->pools[tool_index_][host_];
  exchange_ = pool.enter(passage{host, worker_.index(), a}, order_for(host), *this);
  if (exchange_ != nullptr) return exchange_->go();
  auto e = outcome_of(plan_->config.classify, reason::upstream_full, false);
  end_attempt(e, reason::upstream_full, 0);
}

exchange_order call::order_for(host_plan const& host) {
  exchange_order order{.request = request_.bytes,
                       .body_follows = request_.body_follows,
                       .repeatable = request_.repeatable && !request_.body_follows,
                       .method = request_.method,
                       .plain_body = request_.plain_body};
  if (request_.host_at == call_request::no_host) return order;
  with_host_.assign(request_.bytes, 0, request_.host_at);
  ((with_host_ += "Host: ") += host.state->authority) += "\r\n";
  with_host_.append(request_.bytes, request_.host_at);
  order.request = with_host_;
  return order;
}

void call::end_attempt(ended& e, reason why, int status) {
  auto const& host = plan_->hosts[host_];
  last_ = why;
  note().why = why;
  note().status = status;
  note().took = now() - attempt_started_;
  host.state->meters[worker_.index()].ended[static_cast<std::size_t>(why)].add();
  count_health(*plan_, host, worker_.index(), epochs_, e.result, now());
  act(stack_->done(now(), e), e);
}

// A policy no longer waits for the attempt: its time is up. A client that is slow to send its own request, or
// to take the reply, is not the tool's fault, and nobody counts it.
void call::abort_attempt() {
  if (request_.body_follows && exchange_ != nullptr) return blame_client(reason::request_timeout);
  if (!part_probe()) {
    if (exchange_ != nullptr && exchange_->is_paused()) return blame_client(reason::client_slow);
    take_attempt_away(reason::timed_out);
  }
  auto e = ended::called_off();
  act(stack_->done(now(), e), e);
}

void call::blame_client(reason why) {
  take_attempt_away(why);
  stack_->abandon(now());
  why_ = why;
  committed_ ? owner_->on_cut(why_) : answer_problem(why_, duration{0});
}

bool call::part_probe() {
  if (exchange_ == nullptr || !stack_->probe_can_outlive(now())) return false;
  note().why = last_ = reason::timed_out;
  note().took = now() - attempt_started_;
  auto& o = worker_.orphans().take(worker_);
  o.adopt(stack_->part_probe(), *std::exchange(exchange_, nullptr), *generation_, tool_index_, host_,
          epochs_);
  return true;
}

void call::take_attempt_away(reason why) noexcept {
  auto* const taken = std::exchange(exchange_, nullptr);
  if (taken == nullptr) return;
  taken->cancel();
  if (settled_) return;
  auto const& host = plan_->hosts[host_];
  note().why = last_ = why;
  note().took = now() - attempt_started_;
  host.state->meters[worker_.index()].ended[static_cast<std::size_t>(why)].add();
  auto const result = why == reason::timed_out ? plan_->config.classify.timeout : result_class::cancelled;
  count_health(*plan_, host, worker_.index(), epochs_, result, now());
}

// A good reply is sent on while it comes and counts when it is whole. A bad one counts at once, and is the
// answer unless the pipeline tries again.
void call::on_reply(net::response_head const& head, net::body_framing framing, std::string_view body,
                    bool complete) {
  auto e = outcome_of(plan_->config.classify, head);
  note().status = head.status();
  good_ = e.result;
  auto* const mine = exchange_;
  if (!complete && is_good(plan_->config.classify.of_status(head.status()))) {
    committed_ = true;
    return owner_->on_reply(head, framing, body, false);
  }
  exchange_ = nullptr;
  deciding_ = true;
  accepted_ = false;
  end_attempt(e, reason::none, head.status());
  deciding_ = false;
  if (!accepted_) return complete ? void() : mine->cancel();
  settled_ = committed_ = true;
  if (!complete) {
    exchange_ = mine;
    worker_.loop().timers().arm(*this, started_ + generation_->in_force->config().timeouts.call);
  }
  owner_->on_reply(head, framing, body, complete);
}

void call::on_body(std::string_view body, bool complete) {
  if (!complete) return owner_->on_reply_body(body, false);
  exchange_ = nullptr;
  if (!settled_) {
    ended e{.result = good_, .why = errc::failed};
    deciding_ = true;
    end_attempt(e, reason::none, note().status);
    deciding_ = false;
  }
  timer::cancel();
  owner_->on_reply_body(body, true);
}

void call::on_failed(reason why, bool stale) {
  exchange_ = nullptr;
  bool const unseen = committed_ && owner_->on_taken_back();
  if (unseen) committed_ = false;
  if (settled_) {
    timer::cancel();
    why_ = note().why = why;
    return unseen ? answer_problem(why, duration{0}) : owner_->on_cut(why);
  }
  auto e = outcome_of(plan_->config.classify, why, stale);
  end_attempt(e, why, 0);
}

breaker_choice::chosen call::choose(instant now, attempt const&, ended& why_not) {
  if (auto const found = next_host(*plan_, generation_->turns[tool_index_], tried_, now)) {
    pass_to(*found);
    auto& gate = *plan_->hosts[*found].gate;
    return {&gate.breaker(), &gate.cells()[worker_.index()]};
  }
  auto const kept = host_to_keep(*plan_, now, why_not);
  if (!kept) return {nullptr};
  pass_to(*kept);
  plan_->state->meters[worker_.index()].last_host_kept.add();
  return {&plan_->state->open_door};
}

void call::pass_to(std::size_t host) noexcept {
  host_ = host;
  tried_ |= std::uint64_t{1} << (host % 64);
}

void call::on_time(instant now) {
  if (settled_) {
    take_attempt_away(reason::timed_out);
    why_ = reason::timed_out;
    return owner_->on_cut(why_);
  }
  ended e;
  act(stack_->wake(now, e), e);
}

}  // namespace halfopen::gateway
