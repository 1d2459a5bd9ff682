#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include <sys/socket.h>

#include <halfopen/net/event_loop.hpp>
#include <halfopen/net/http_body.hpp>
#include <halfopen/net/http_parser.hpp>
#include <halfopen/net/http_server.hpp>
#include <halfopen/net/listener.hpp>
#include <halfopen/net/reason_phrase.hpp>
#include <halfopen/net/stream.hpp>
#include <halfopen/net/task_set.hpp>

namespace halfopen::net {
namespace {

constexpr duration idle_max = std::chrono::minutes{10};
constexpr std::size_t body_max = 64 * 1024 * 1024;

std::string hex(std::size_t n) {
  char text[20];
  int const size = std::snprintf(text, sizeof text, "%zx", n);
  return {text, static_cast<std::size_t>(size)};
}

whole_request copy_of(request_head const& head) {
  whole_request r;
  r.method = head.method_text();
  r.target = head.target();
  for (std::size_t i = 0; i < head.size(); ++i) r.fields.emplace_back(head.name(i), head.value(i));
  return r;
}

/// Head and body as bytes, and where the body begins.
struct rendered {
  std::string bytes;
  std::size_t body_at = 0;
};

rendered render(whole_reply const& reply, std::string_view method, bool keep) {
  if (reply.raw) return {*reply.raw, 0};
  bool const bodiless = reply.status < 200 || reply.status == 204 || reply.status == 304;
  std::string out =
      "HTTP/1.1 " + std::to_string(reply.status) + " " + std::string{reason_phrase(reply.status)} + "\r\n";
  for (auto const& [name, value] : reply.fields) out += name + ": " + value + "\r\n";
  if (reply.chunked)
    out += "Transfer-Encoding: chunked\r\n";
  else if (!bodiless)
    out += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n";
  if (!keep) out += "Connection: close\r\n";
  out += "\r\n";
  std::size_t const body_at = out.size();
  if (bodiless || method == "HEAD") return {std::move(out), body_at};
  if (!reply.chunked) return {out + reply.body, body_at};
  std::size_t const slice = reply.slice == 0 ? std::max<std::size_t>(reply.body.size(), 1) : reply.slice;
  for (std::size_t at = 0; at < reply.body.size(); at += slice) {
    auto const part = reply.body.substr(at, slice);
    out += hex(part.size()) + "\r\n" + part + "\r\n";
  }
  return {out + "0\r\n\r\n", body_at};
}

void close_with_reset(stream& s) {
  struct ::linger const at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(s.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  s.abort();
}

}  // namespace

std::optional<std::string_view> find_field(field_list const& fields, std::string_view name) {
  for (auto const& [n, v] : fields)
    if (same_token(n, name)) return v;
  return std::nullopt;
}

std::optional<std::string_view> whole_request::field(std::string_view name) const {
  return find_field(fields, name);
}

/// One connection from accept to close.
class http_server::connection {
 public:
  connection(state& server, stream s, std::uint64_t id) : server_{server}, stream_{std::move(s)}, id_{id} {}
  task<> serve();

 private:
  [[nodiscard]] instant later() const { return stream_.loop().now() + idle_max; }
  task<std::optional<whole_request>> read_request();
  task<bool> read_body(body_reader body, std::string& into);
  task<bool> more();
  task<bool> answer(whole_request const& request, whole_reply const& reply);
  task<bool> write(std::string_view bytes);
  task<> hang();

  state& server_;
  stream stream_;
  std::uint64_t id_;
  std::uint64_t number_ = 0;
  std::string arrived_;
  bool keep_ = true;
};

struct http_server::state {
  handler handle;
  std::unique_ptr<event_loop> loop;
  std::optional<listener> listening;
  endpoint local;
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::size_t> open{0};
  std::thread thread;

  static task<> serve(state& self, unique_fd fd) {
    auto made = stream::adopt(*self.loop, std::move(fd));
    if (!made) co_return;
    struct counted {
      std::atomic<std::size_t>& n;
      ~counted() { --n; }
    };
    ++self.open;
    counted const guard{self.open};
    connection c{self, std::move(*made), ++self.accepted};
    co_await c.serve();
  }

  static task<> accept(state& self, task_set& tasks) {
    for (;;) {
      auto fd = co_await self.listening->accept();
      if (!fd) co_return;
      tasks.spawn(serve(self, std::move(*fd)));
    }
  }

  void run() {
    task_set tasks;
    tasks.spawn(accept(*this, tasks));
    loop->run();
    listening->close();
    tasks.cancel_all();
  }
};

task<> http_server::connection::serve() {
  while (keep_) {
    auto request = co_await read_request();
    if (!request) co_return;
    whole_reply reply;
    try {
      reply = server_.handle(*request);
    } catch (std::exception const& e) {
      reply = {.status = 500, .body = e.what()};
    }
    bool const go_on = co_await answer(*request, reply);
    if (!go_on) co_return;
  }
  co_await net::linger(stream_, 1 << 20, stream_.loop().now() + std::chrono::seconds{2});
}

task<bool> http_server::connection::more() {
  auto const bytes = co_await stream_.receive(later());
  if (!bytes || bytes->empty()) co_return false;
  arrived_.append(bytes->data(), bytes->size());
  co_return true;
}

task<std::optional<whole_request>> http_server::connection::read_request() {
  request_parser parser{{.head_max = message_head::size_max}};
  auto step = parser.next(arrived_);
  while (step.wants_more()) {
    bool const got = co_await more();
    if (!got) co_return std::nullopt;
    step = parser.next(arrived_);
  }
  if (step.is_bad()) {
    keep_ = false;
    whole_request const none{};
    whole_reply const refusal{.status = rule_of(step.why).status,
                              .body = std::string{rule_of(step.why).because}};
    (void)co_await answer(none, refusal);
    co_await net::linger(stream_, 1 << 20, stream_.loop().now() + std::chrono::seconds{2});
    co_return std::nullopt;
  }
  server_.requests.fetch_add(1, std::memory_order_relaxed);
  keep_ = parser.head().keeps_alive();
  auto request = copy_of(parser.head());
  request.connection = id_;
  request.number = ++number_;
  body_reader const body{framing_of(parser.head())};
  bool const waits = parser.head().expects_continue() && !body.ended();
  arrived_.erase(0, step.at);
  if (waits) {
    bool const sent = co_await write("HTTP/1.1 100 Continue\r\n\r\n");
    if (!sent) co_return std::nullopt;
  }
  bool const whole = co_await read_body(body, request.body);
  if (!whole) co_return std::nullopt;
  co_return request;
}

task<bool> http_server::connection::read_body(body_reader body, std::string& into) {
  while (!body.ended()) {
    if (arrived_.empty()) {
      bool const got = co_await more();
      if (!got) co_return false;
    }
    auto const piece = body.next(arrived_);
    if (piece.step.is_bad() || into.size() > body_max) co_return false;
    into += piece.payload;
    arrived_.erase(0, piece.consumed);
  }
  co_return true;
}

task<bool> http_server::connection::write(std::string_view bytes) {
  auto const sent = co_await stream_.send(bytes, later());
  co_return sent.has_value();
}

task<> http_server::connection::hang() {
  for (;;) {
    auto const bytes = co_await stream_.receive(instant::max());
    if (!bytes || bytes->empty()) co_return;
  }
}

task<bool> http_server::connection::answer(whole_request const& request, whole_reply const& reply) {
  if (reply.delay > duration{}) co_await sleep_until{stream_.loop(), stream_.loop().now() + reply.delay};
  if (reply.hang) {
    co_await hang();
    co_return false;
  }
  keep_ = keep_ && !reply.close;
  auto const whole = render(reply, request.method, keep_);
  auto bytes = std::string_view{whole.bytes}.substr(0, reply.cut_after.value_or(std::string::npos));
  bool const cut = reply.cut_after.has_value() || (reply.reset && !reply.cut_after);
  if (reply.reset && !reply.cut_after) bytes = {};
  bool const sliced = reply.slice != 0 && reply.pause > duration{};
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t const next = !sliced ? bytes.size() : at < whole.body_at ? whole.body_at : at + reply.slice;
    auto const part = bytes.substr(at, next - at);
    bool const sent = co_await write(part);
    if (!sent) co_return false;
    at += part.size();
    if (sliced && at < bytes.size()) co_await sleep_until{stream_.loop(), stream_.loop().now() + reply.pause};
  }
  if (reply.reset) close_with_reset(stream_);
  co_return !cut;
}

expected<std::unique_ptr<http_server>, io_error> http_server::start(handler h, endpoint at) {
  auto s = std::make_unique<state>();
  s->handle = std::move(h);
  auto loop = event_loop::make();
  if (!loop) return unexpected{loop.error()};
  s->loop = std::move(*loop);
  auto bound = listener::bind(*s->loop, at, {.reuse_port = false});
  if (!bound) return unexpected{bound.error()};
  s->listening.emplace(std::move(*bound));
  s->local = s->listening->local();
  s->thread = std::thread{[raw = s.get()] { raw->run(); }};
  return std::unique_ptr<http_server>{new http_server{std::move(s)}};
}

http_server::http_server(std::unique_ptr<state> s) noexcept : state_{std::move(s)} {}

http_server::~http_server() {
  state_->loop->stop();
  state_->thread.join();
}

endpoint http_server::local() const noexcept { return state_->local; }
std::uint64_t http_server::requests() const noexcept { return state_->requests; }
std::uint64_t http_server::connections() const noexcept { return state_->accepted; }
std::size_t http_server::open_connections() const noexcept { return state_->open; }

}  // namespace halfopen::net
