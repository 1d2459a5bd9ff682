#include <algorithm>
#include <utility>

#include <halfopen/gateway/worker.hpp>

namespace halfopen::gateway {

/// What is done every now and then: old connections, old configurations, the log.
class worker::housekeeping final : private net::timer {
 public:
  static constexpr duration every = std::chrono::milliseconds{500};
  static constexpr duration often = std::chrono::milliseconds{10};  // while the worker drains

  explicit housekeeping(worker& w) noexcept
      : timer{[](net::timer& self, instant) { static_cast<housekeeping&>(self).run(); }}, worker_{w} {
    arm(every);
  }
  void hurry() noexcept { arm(often); }

 private:
  void arm(duration d) noexcept { worker_.loop().timers().arm(*this, worker_.loop().now() + d); }
  void run() {
    worker_.keep_house();
    arm(worker_.draining() ? often : every);
  }
  worker& worker_;
};

namespace {

std::size_t bytes_of(config::byte_count limit) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(limit.value, net::message_head::size_max));
}

}  // namespace

worker::worker(worker_parts parts, std::shared_ptr<gateway_plan const> in_force)
    : parts_{parts},
      request_head_max_{bytes_of(in_force->config().limits.request_head_max)},
      pool_parts_{
          parts.loop, parts.resolver, {.head_max = bytes_of(in_force->config().limits.reply_head_max)}},
      current_{make_generation(in_force)},
      parser_{request_limits()},
      log_{parts.access, clock_},
      sampler_{parts.index},
      calls_{parts.loop},
      orphans_{parts.loop},
      clients_{parts.loop},
      housekeeping_{std::make_unique<housekeeping>(*this)} {}

worker::~worker() { cut(); }

void worker::serve(net::listener l) {
  listeners_.push_back(std::make_unique<net::listener>(std::move(l)));
  accepting_.spawn(accept(*listeners_.back()));
}

net::task<> worker::accept(net::listener& l) {
  for (;;) {
    auto accepted = co_await l.accept();
    if (!accepted) co_return;
    greet(*std::move(accepted));
  }
}

void worker::greet(net::unique_fd fd) {
  counts_.accepted.add();
  auto address = net::peer_endpoint(fd.get()).host();
  auto const share = std::max<std::size_t>(1, config().limits.connections_max / parts_.loops);
  bool const room = clients_.out() < share;
  auto& c = clients_.take(*this);
  if (room) return c.begin(std::move(fd), std::move(address));
  counts_.turned_away.add();
  c.turn_away(std::move(fd), std::move(address));
}

void worker::put_in_force(std::shared_ptr<gateway_plan const> r) {
  before_.push_back(std::exchange(current_, make_generation(std::move(r))));
  retire();
}

std::unique_ptr<generation> worker::make_generation(std::shared_ptr<gateway_plan const> r) {
  auto made = std::make_unique<generation>();
  made->in_force = std::move(r);
  auto const limits = limits_of(made->in_force->config());
  for (auto const& tool : made->in_force->tools()) {
    auto& row = made->pools.emplace_back();
    for (auto const& host : tool.hosts) row.push_back(&pool_for(host.state->where, limits));
    made->turns.push_back(static_cast<std::uint32_t>(parts_.index));
  }
  return made;
}

upstream_pool& worker::pool_for(config::upstream_host const& where, pool_limits const& limits) {
  auto& pool = pools_[where.url];
  if (pool == nullptr) pool = std::make_unique<upstream_pool>(pool_parts_, limits, where.host, where.port);
  pool->set_limits(limits);
  return *pool;
}

pool_limits worker::limits_of(config::gateway_config const& c) const noexcept {
  auto const loops = static_cast<std::uint32_t>(parts_.loops);
  return {.connections_max = std::max(1U, c.limits.upstream_connections_max / loops),
          .idle_max = std::max(1U, c.limits.upstream_idle_max / loops),
          .idle = c.timeouts.upstream_idle,
          .connect = c.timeouts.connect};
}

void worker::keep_house() {
  log_.flush();
  for (auto& [url, pool] : pools_) pool->sweep(loop().now());
  retire();
  count_house();
  if (drained_ && (idle() || loop().now() >= drain_until_)) std::exchange(drained_, nullptr)();
}

void worker::count_house() noexcept {
  std::uint64_t open = 0;
  std::uint64_t unused = 0;
  for (auto const& [url, pool] : pools_) {
    open += pool->open();
    unused += pool->idle();
  }
  counts_.clients.set(clients_.out());
  counts_.upstream_open.set(open);
  counts_.upstream_idle.set(unused);
}

// Configurations that no call needs any more, and pools that none names.
void worker::retire() {
  std::erase_if(before_, [](auto const& g) { return g->users == 0; });
  if (!before_.empty()) return;
  std::erase_if(pools_, [&](auto& entry) {
    auto const named = [&](auto const& row) {
      return std::ranges::find(row, entry.second.get()) != row.end();
    };
    if (std::ranges::any_of(current_->pools, named)) return false;
    entry.second->drop_idle();
    return entry.second->open() == 0;
  });
}

void worker::drain(instant until, std::function<void()> drained) {
  draining_ = true;
  drain_until_ = until;
  drained_ = std::move(drained);
  for (auto const& c : clients_.all()) c->drain();
  housekeeping_->hurry();
}

bool worker::idle() const noexcept {
  return std::ranges::none_of(clients_.all(), [](auto const& c) { return c->busy(); });
}

void worker::cut() {
  accepting_.cancel_all();
  listeners_.clear();
  for (auto const& c : clients_.all()) c->cut();
  for (auto const& o : orphans_.all())
    if (o->alive()) o->abandon();
  for (auto& [url, pool] : pools_) pool->drop_idle();
  log_.flush();
}

void worker::drop_idle(std::string const& tool, std::string const& host) {
  auto const t = current_->in_force->routes().tool(tool);
  if (t == route_table::none) return;
  auto const& hosts = current_->tool(t).hosts;
  for (std::size_t h = 0; h < hosts.size(); ++h)
    if (host.empty() || hosts[h].name() == host) current_->pools[t][h]->drop_idle();
}

void worker::ended(request_record const& r) {
  auto const at = loop().now();
  access_entry e{.at = at,
                 .client = r.client,
                 .method = r.method,
                 .target = r.target,
                 .why = r.why,
                 .status = r.status,
                 .bytes_in = r.bytes_in,
                 .bytes_out = r.bytes_out,
                 .took = at - r.began};
  if (r.through == nullptr) {
    counts_.refused[static_cast<std::size_t>(r.why)].add();
  } else {
    auto const& c = *r.through;
    e.tool = c.tool().state->name;
    e.host = c.last_host();
    e.attempts = c.attempt_count();
    e.probe = c.probed();
    auto& meter = c.tool().state->meters[parts_.index];
    meter.by_status[static_cast<std::size_t>(r.status / 100) % 6].add();
    meter.took.add(e.took);
    audit(r, at);
  }
  log_.add(e);
}

// Successes are sampled by setting, everything else is always written.
void worker::audit(request_record const& r, instant at) {
  bool const good = r.why == reason::none && r.status < 400;
  auto const& shares = config().storage.audit;
  if (good && !sampler_.next(r.invoked ? shares.invocations : shares.successes)) return;
  parts_.store.record(audit_of(r, at));
}

audit_event worker::audit_of(request_record const& r, instant at) const {
  auto const& c = *r.through;
  auto const& settings = config().storage.audit;
  audit_event e;
  e.kind = is_refusal(r.why) ? audit_kind::refusal : audit_kind::call;
  e.at = clock_.at(at);
  e.who = r.client;
  ((e.what = r.method) += ' ') += r.target;
  e.tool = c.tool().state->name;
  e.host = c.last_host();
  e.outcome = r.why != reason::none ? code(r.why) : r.status < 400 ? "success" : "failed";
  e.status = static_cast<std::uint32_t>(r.status);
  e.attempts = c.attempt_count();
  e.took = at - r.began;
  if (settings.arguments && r.invoked)
    e.arguments = audit_arguments_of_body(r.arguments, {.keys = settings.redact});
  return e;
}

}  // namespace halfopen::gateway
