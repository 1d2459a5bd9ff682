// What the proxies under test stand in front of: answers GET /N with N bytes, as cheaply as it can.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include <halfopen/net/http_parser.hpp>
#include <halfopen/net/listener.hpp>
#include <halfopen/net/stream.hpp>
#include <halfopen/net/task_set.hpp>

namespace {

using namespace halfopen;
using namespace halfopen::net;

std::string const& reply_of(std::size_t size) {
  static std::map<std::size_t, std::string> replies;
  auto& reply = replies[size];
  if (reply.empty())
    reply = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(size) +
            "\r\n\r\n" + std::string(size, 'x');
  return reply;
}

task<> serve(event_loop& loop, unique_fd fd) {
  auto made = stream::adopt(loop, std::move(fd));
  if (!made) co_return;
  stream client = std::move(*made);
  request_parser parser;
  for (;;) {
    auto const bytes = co_await client.receive(instant::max());
    if (!bytes || bytes->empty()) co_return;
    parser.reset();
    auto const step = parser.next({bytes->data(), bytes->size()});
    if (!step.is_complete()) co_return;  // the load generator sends whole heads
    auto const path = parser.head().path().substr(1);
    std::size_t size = 0;
    std::from_chars(path.data(), path.data() + path.size(), size);
    auto const sent = co_await client.send(reply_of(size), instant::max());
    if (!sent) co_return;
  }
}

task<> accept(event_loop& loop, listener& from, task_set& tasks) {
  for (;;) {
    auto fd = co_await from.accept();
    if (!fd) co_return;
    tasks.spawn(serve(loop, std::move(*fd)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto loop = event_loop::make().value();
  auto listening =
      listener::bind(*loop, endpoint::loopback(static_cast<std::uint16_t>(std::atoi(argv[1])))).value();
  task_set tasks;
  tasks.spawn(accept(*loop, listening, tasks));
  loop->run();
}
