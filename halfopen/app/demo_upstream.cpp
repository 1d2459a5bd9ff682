#include <halfopen/app/demo_upstream.hpp>

namespace halfopen::app {

expected<std::unique_ptr<demo_upstream>, std::string> demo_upstream::start(
    net::endpoint at, std::function<void(bool failing)> told) {
  std::unique_ptr<demo_upstream> u{new demo_upstream{std::move(told)}};
  auto const handler = [raw = u.get()](net::whole_request const& r) { return raw->answer(r); };
  auto server = net::http_server::start(handler, at);
  if (!server) server = net::http_server::start(handler, net::endpoint::loopback(0));
  if (!server)
    return unexpected<std::string>{"cannot start the demo's service: " +
                                   std::string{net::name(server.error().why)}};
  u->server_ = std::move(*server);
  return u;
}

void demo_upstream::set_failing(bool failing) {
  if (failing_.exchange(failing) != failing) told_(failing);
}

net::whole_reply demo_upstream::answer(net::whole_request const& r) {
  net::whole_reply reply;
  reply.fields.emplace_back("Content-Type", "text/plain");
  bool const order = r.method == "POST" && (r.target == "/break" || r.target == "/heal");
  if (order) set_failing(r.target == "/break");
  bool const failing = failing_.load();
  if (order)
    reply.body = failing ? "the service now fails every call\n" : "the service works again\n";
  else if (failing)
    reply.body = "the service is broken\n";
  else
    reply.body = "the service is fine\n";
  reply.status = failing && !order ? 500 : 200;
  return reply;
}

}  // namespace halfopen::app
