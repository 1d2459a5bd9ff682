// A proxy that does nothing but carry: the least that halfopen/net can cost. No policy, no log, no retry.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <halfopen/net/http_body.hpp>
#include <halfopen/net/http_forward.hpp>
#include <halfopen/net/http_parser.hpp>
#include <halfopen/net/listener.hpp>
#include <halfopen/net/stream.hpp>
#include <halfopen/net/task_set.hpp>

namespace {

using namespace halfopen;
using namespace halfopen::net;
using namespace std::chrono_literals;

struct proxy {
  event_loop& loop;
  endpoint upstream;
  std::vector<stream> idle{};  // the last one used is the next one to be used

  task<expected<stream, io_error>> dial(instant deadline) {
    while (!idle.empty()) {
      stream s = std::move(idle.back());
      idle.pop_back();
      if (s.quiet()) co_return s;
    }
    co_return co_await connect(loop, upstream, deadline);
  }

  task<bool> reply(stream& client, stream& up, http_method method, instant deadline) {
    response_parser parser;
    auto bytes = co_await up.receive(deadline);
    if (!bytes || bytes->empty()) co_return false;
    auto const step = parser.next({bytes->data(), bytes->size()});
    if (!step.is_complete()) co_return false;
    body_reader body{framing_of(parser.head(), method)};
    std::size_t used = 0;
    (void)body.pass({bytes->data() + step.at, bytes->size() - step.at}, used);
    auto sent = co_await client.send({bytes->data(), step.at + used}, deadline);
    while (sent && !body.ended()) {
      bytes = co_await up.receive(deadline);
      if (!bytes || bytes->empty()) co_return false;
      (void)body.pass({bytes->data(), bytes->size()}, used);
      sent = co_await client.send({bytes->data(), used}, deadline);
    }
    co_return sent.has_value();
  }

  task<bool> exchange(stream& client, std::string_view bytes) {
    instant const deadline = loop.now() + 5s;
    request_parser parser;
    auto const step = parser.next(bytes);
    if (!step.is_complete()) co_return false;
    forwarded_head const head{parser.head()};
    auto made = co_await dial(deadline);
    if (!made) co_return false;
    stream up = std::move(*made);
    auto const sent = co_await up.send(head.pieces(), deadline);
    if (!sent) co_return false;
    bool const done = co_await reply(client, up, parser.head().method(), deadline);
    if (done) idle.push_back(std::move(up));
    co_return done;
  }

  task<> serve(unique_fd fd) {
    auto made = stream::adopt(loop, std::move(fd));
    if (!made) co_return;
    stream client = std::move(*made);
    for (;;) {
      auto const bytes = co_await client.receive(loop.now() + 60s);
      if (!bytes || bytes->empty()) co_return;
      bool const go_on = co_await exchange(client, {bytes->data(), bytes->size()});
      if (!go_on) co_return;
    }
  }

  task<> accept(listener& from, task_set& tasks) {
    for (;;) {
      auto fd = co_await from.accept();
      if (!fd) co_return;
      tasks.spawn(serve(std::move(*fd)));
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  auto const port = [&](int i) { return static_cast<std::uint16_t>(std::atoi(argv[i])); };
  auto loop = event_loop::make().value();
  auto listening = listener::bind(*loop, endpoint::loopback(port(1))).value();
  proxy p{*loop, endpoint::loopback(port(2))};
  task_set tasks;
  tasks.spawn(p.accept(listening, tasks));
  loop->run();
}
