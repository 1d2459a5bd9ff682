#include <utility>

#include <halfopen/base/assert.hpp>
#include <halfopen/gateway/orphan.hpp>
#include <halfopen/gateway/worker.hpp>

namespace halfopen::gateway {

orphan::orphan(worker& w) noexcept
    : timer{[](net::timer& self, instant now) { static_cast<orphan&>(self).on_time(now); }}, worker_{w} {}

void orphan::adopt(any_call stack, exchange& e, generation& g, std::size_t tool, std::size_t host,
                   attempt_epochs began) {
  ++g.users;
  stack_.emplace(std::move(stack));
  exchange_ = &e;
  generation_ = &g;
  tool_ = tool;
  host_ = host;
  began_ = began;
  e.hand_over(*this);
  g.tool(tool).hosts[host].state->meters[worker_.index()].orphans.add();
  worker_.loop().timers().arm(*this, stack_->wake_at());
  e.resume();
}

void orphan::on_reply(net::response_head const& head, net::body_framing, std::string_view, bool complete) {
  auto const& by = generation_->tool(tool_).config.classify;
  good_ = by.of_status(head.status());
  if (!complete && is_good(good_)) return;
  auto* const mine = exchange_;
  decide(outcome_of(by, head), reason::none);
  if (!complete) mine->cancel();
}

void orphan::on_body(std::string_view, bool complete) {
  if (complete) decide({.result = good_, .why = errc::failed}, reason::none);
}

void orphan::on_failed(reason why, bool stale) {
  decide(outcome_of(generation_->tool(tool_).config.classify, why, stale), why);
}

void orphan::on_time(instant now) {
  ended e;
  if (stack_->wake(now, e) != step::abort_below) return worker_.loop().timers().arm(*this, stack_->wake_at());
  exchange_->cancel();
  decide(ended::called_off(), reason::timed_out);
}

void orphan::decide(ended e, reason why) {
  auto const now = worker_.loop().now();
  auto const& tool = generation_->tool(tool_);
  auto const& host = tool.hosts[host_];
  host.state->meters[worker_.index()].ended[static_cast<std::size_t>(why)].add();
  auto const counted = why == reason::timed_out ? tool.config.classify.timeout : e.result;
  count_health(tool, host, worker_.index(), began_, counted, now);
  auto const s = stack_->done(now, e);
  invariant(s == step::complete, "an orphan is not retried");
  end();
}

void orphan::abandon() {
  timer::cancel();
  exchange_->cancel();
  stack_->abandon(worker_.loop().now());
  end();
}

void orphan::end() noexcept {
  timer::cancel();
  stack_.reset();
  --generation_->users;
  worker_.orphans().give_back(*this);
}

}  // namespace halfopen::gateway
