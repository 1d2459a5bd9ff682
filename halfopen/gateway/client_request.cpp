#include <algorithm>
#include <tuple>

#include <nlohmann/json.hpp>

#include <halfopen/gateway/client_connection.hpp>
#include <halfopen/gateway/worker.hpp>

namespace halfopen::gateway {
namespace {

constexpr std::string_view reserved = "/v1/tools/";
constexpr std::string_view invoke = "/invoke";

reason reason_of(net::http_fault why) {
  switch (net::rule_of(why).status) {
    case 414: return reason::target_too_long;
    case 431: return reason::head_too_large;
    case 501: return reason::unknown_coding;
    case 505: return reason::unsupported_version;
    default: return reason::malformed;
  }
}

std::string most(std::uint64_t bytes) { return "at most " + std::to_string(bytes) + " bytes are taken"; }

/// Where and why a text is no JSON, in the parser's words.
std::string json_fault(std::string_view text) {
  auto const keep_nothing = [](int, nlohmann::json::parse_event_t, nlohmann::json&) { return false; };
  try {
    std::ignore = nlohmann::json::parse(text, keep_nothing);
  } catch (nlohmann::json::exception const& e) {
    std::string_view const what{e.what()};
    return std::string{what.substr(what.find("] ") + 2)};
  }
  return {};
}

}  // namespace

void client_connection::fault(net::http_fault why) {
  body_read_ = false;  // where the request ends is not known
  body_length_ = 0;
  refuse(reason_of(why), net::rule_of(why).because);
}

// For whoever wonders what about this very request is wrong.
std::string client_connection::detail_of(reason why, net::request_head const& head) const {
  switch (why) {
    case reason::no_route:
      return "nothing is routed for " + method_ + ' ' + std::string{head.host()} + std::string{head.path()};
    case reason::unknown_tool: {
      auto name = head.path().substr(reserved.size());
      name.remove_suffix(invoke.size());
      return "no tool is named \"" + std::string{name} + '"';
    }
    case reason::method_not_allowed:
      return allow_.empty() ? method_ + " is not taken" : method_ + " is not among " + allow_;
    case reason::expectation_failed: return "the only expectation that is met is 100-continue";
    case reason::malformed: return "a path with . or .. segments means different things to different readers";
    default: return {};
  }
}

void client_connection::begin_request(net::request_head const& head, std::string_view rest) {
  timer::cancel();
  began_ = now();
  method_ = head.method_text();
  target_ = head.target();
  minor_ = head.minor_version();
  keep_alive_ = head.keeps_alive() && !worker_.draining();
  head_only_ = head.method() == net::http_method::head;
  auto const framing = net::framing_of(head);
  body_ = net::body_reader{framing};
  body_read_ = framing.by == net::body_framing::kind::none;
  if (!head.expects_continue()) body_length_ = framing.length;
  if (body_read_) held_ = rest;
  auto why = check(head);
  auto const tool = why == reason::none ? find_tool(head, why) : 0;
  if (why != reason::none) return refuse_unread(why, rest, detail_of(why, head));
  body_max_ = worker_.current().tool(tool).config.request_body_max.value;
  if (framing.by == net::body_framing::kind::length && framing.length > body_max_)
    return refuse_unread(reason::body_too_large, rest, most(body_max_));
  prepare_call(head, tool);
  if (body_read_) return body_complete();
  await_body(head, rest);
}

reason client_connection::check(net::request_head const& head) {
  if (worker_.draining()) return reason::draining;
  if (head.method() == net::http_method::connect) return reason::method_not_allowed;
  if (has_dot_segments(head.path())) return reason::malformed;
  bool const expects = head.minor_version() >= 1 && head.find(net::known_field::expect).has_value();
  if (expects && !head.expects_continue()) return reason::expectation_failed;
  return reason::none;
}

// The place where a tool is called by its name is the gateway's own; all others are the routes'.
std::size_t client_connection::find_tool(net::request_head const& head, reason& why) {
  auto const path = head.path();
  auto const& routes = worker_.current().in_force->routes();
  if (path.starts_with(reserved)) {
    auto name = path.substr(reserved.size());
    if (!name.ends_with(invoke)) {
      why = reason::no_route;
      return 0;
    }
    name.remove_suffix(invoke.size());
    invoked_ = true;
    auto const tool = routes.tool(name);
    if (tool == route_table::none) why = reason::unknown_tool;
    if (tool == route_table::none || head.method() == net::http_method::post) return tool;
    allow_ = "POST";
    why = reason::method_not_allowed;
    return tool;
  }
  auto const found = routes.find(head.method_text(), head.host(), path);
  if (found.tool != route_table::none) return allowed_tool(found.tool, why);
  why = found.method_known ? reason::no_route : reason::method_not_allowed;
  if (!found.method_known) allow_ = routes.allowed(head.host(), path);
  return 0;
}

std::size_t client_connection::allowed_tool(std::size_t tool, reason& why) {
  auto const& methods = worker_.current().tool(tool).config.methods;
  if (methods.empty() || std::ranges::find(methods, method_) != methods.end()) return tool;
  why = reason::method_not_allowed;
  for (auto const& m : methods) (allow_ += allow_.empty() ? "" : ", ") += m;
  return 0;
}

void client_connection::prepare_call(net::request_head const& head, std::size_t tool) {
  auto& g = worker_.current();
  call_ = &worker_.calls().take(worker_);
  call_->open(g, tool, *this);
  auto& r = call_->request();
  request_edit edit{.client = address_};
  std::string first_line;
  if (invoked_) {
    first_line = "POST " + g.tool(tool).config.path + " HTTP/1.1\r\n";
    edit.first_line = first_line;
    edit.drop_framing = true;
  }
  edit.drop_host = invoked_ || head.host().empty();
  auto const first = append_request_head(r.bytes, head, edit);
  if (edit.drop_host) r.host_at = first;
  if (!invoked_) r.bytes += "\r\n";
  r.method = invoked_ ? net::http_method::post : head.method();
  auto const& idempotent = g.tool(tool).config.idempotent;
  r.repeatable = !invoked_ && std::ranges::find(idempotent, method_) != idempotent.end();
  r.plain_body = minor_ == 0;
}

// A body that will be refused is not waited for, and not asked for.
void client_connection::await_body(net::request_head const& head, std::string_view rest) {
  state_ = state::gathering;
  arm(worker_.config().timeouts.request_body);
  bool const asks = head.expects_continue() && rest.empty();
  if (!rest.empty()) got_body(rest);
  if (state_ != state::gathering || call_->refuse_early()) return;
  if (asks && !send("HTTP/1.1 100 Continue\r\n\r\n")) return;
  bytes_out_ = 0;
}

void client_connection::got_body(std::string_view bytes) {
  arm(worker_.config().timeouts.request_body);
  std::size_t used = 0;
  net::parse_step step;
  do {
    auto const piece = body_.next(bytes.substr(used));
    auto const raw = bytes.substr(used, piece.consumed);
    used += piece.consumed;
    step = piece.step;
    if (step.is_bad()) return bad_body(step.why);
    bytes_in_ += piece.payload.size();
    if (bytes_in_ > body_max_) return bad_body(std::nullopt);
    body_read_ = body_.ended();
    if (!take_body(raw, piece.payload)) {
      if (state_ == state::discarding) discard(bytes.substr(used));
      return;
    }
    if (piece.consumed == 0) break;
  } while (!body_read_ && used < bytes.size());
  if (!body_read_) return;
  held_ = bytes.substr(used);
  timer::cancel();
  if (state_ == state::gathering) body_complete();
}

// What is left of a body that nobody wants any more, so that the connection can go on.
void client_connection::discard(std::string_view bytes) {
  std::size_t used = 0;
  if (body_.pass(bytes, used).is_bad()) return shut();
  if (!body_.ended()) return arm(worker_.config().timeouts.request_body);
  held_ = bytes.substr(used);
  next_request();
}

bool client_connection::is_worth_discarding() const noexcept {
  return body_length_ > bytes_in_ && body_length_ - bytes_in_ <= gathered_max;
}

// False: the call is over.
bool client_connection::take_body(std::string_view raw, std::string_view payload) {
  auto& r = call_->request();
  if (state_ == state::calling) {
    call_->send_body(raw, body_read_);
    return call_ != nullptr;
  }
  r.bytes += invoked_ ? payload : raw;
  if (invoked_ || body_read_ || r.bytes.size() < gathered_max) return true;
  r.body_follows = true;
  state_ = state::calling;
  call_->begin();
  return call_ != nullptr;
}

void client_connection::bad_body(std::optional<net::http_fault> why) {
  auto const as = why ? reason_of(*why) : reason::body_too_large;
  auto const detail = why ? std::string{net::rule_of(*why).because} : most(body_max_);
  body_read_ = false;
  body_length_ = 0;
  if (state_ == state::calling) call_->abandon();
  if (status_ != 0) return on_cut(as);
  refuse(as, detail);
}

void client_connection::body_complete() {
  if (invoked_ && !frame_invocation()) {
    auto const& bytes = call_->request().bytes;
    auto const body = std::string_view{bytes}.substr(bytes.size() - static_cast<std::size_t>(bytes_in_));
    return refuse(reason::invalid_json, json_fault(body));
  }
  state_ = state::calling;
  call_->begin();
}

// Puts the framing between the head and the body of an invocation: the body is whole, whatever it came in.
bool client_connection::frame_invocation() {
  auto& bytes = call_->request().bytes;
  auto const body_size = static_cast<std::size_t>(bytes_in_);
  auto const head_size = bytes.size() - body_size;
  if (!nlohmann::json::accept(std::string_view{bytes}.substr(head_size))) return false;
  auto const framing = "Content-Length: " + std::to_string(body_size) + "\r\n\r\n";
  bytes.insert(head_size, framing);
  invoke_body_at_ = head_size + framing.size();
  return true;
}

}  // namespace halfopen::gateway
