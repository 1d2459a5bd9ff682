#include <algorithm>

#include <halfopen/base/json_text.hpp>
#include <halfopen/gateway/problem.hpp>
#include <halfopen/gateway/status_line.hpp>

namespace halfopen::gateway {
namespace {

void append_attempt(std::string& out, attempt_note const& a) {
  out += "{\"number\":";
  append_number(out, a.number);
  if (!a.host.empty()) append_json_member(out, "host", a.host);
  if (a.why != reason::none) append_json_member(out, "reason", code(a.why));
  if (a.status != 0) append_json_member(out, "status", a.status);
  if (a.probe) out += ",\"probe\":true";
  append_json_member(out, "duration_ms",
                     std::chrono::duration_cast<std::chrono::milliseconds>(a.took).count());
  out += '}';
}

void append_attempts(std::string& out, std::span<attempt_note const> attempts) {
  out += ",\"attempts\":[";
  for (auto const& a : attempts) {
    if (&a != attempts.data()) out += ',';
    append_attempt(out, a);
  }
  out += ']';
}

void append_fields(std::string& out, problem const& p, reply_frame const& frame) {
  out += "Content-Type: application/problem+json\r\nCache-Control: no-store\r\n";
  if (row(p.why).retry_after) {
    out += "Retry-After: ";
    append_number(out, retry_after_seconds(p.retry_after));
    out += "\r\n";
  }
  if (!frame.allow.empty()) ((out += "Allow: ") += frame.allow) += "\r\n";
  if (frame.reason_header && !p.attempts.empty()) {
    out += "HalfOpen-Attempts: ";
    append_reasons(out, p.attempts);
    out += "\r\n";
  }
  if (!frame.keep_alive) out += "Connection: close\r\n";
}

/// The length stands before a document whose length is known only once it is written.
void insert_number(std::string& out, std::size_t at, std::size_t n) {
  char digits[24];
  auto const end = std::to_chars(digits, digits + sizeof digits, n).ptr;
  out.insert(at, digits, static_cast<std::size_t>(end - digits));
}

}  // namespace

std::int64_t retry_after_seconds(duration d) noexcept {
  constexpr std::int64_t day = 24 * 60 * 60;
  auto const whole = std::chrono::duration_cast<std::chrono::seconds>(d);
  auto const up = whole.count() + (whole < d ? 1 : 0);
  return std::clamp<std::int64_t>(up, 1, day);
}

void append_document(std::string& out, problem const& p) {
  auto const& r = row(p.why);
  ((out += "{\"type\":\"urn:halfopen:problem:") += r.code) += '"';
  append_json_member(out, "title", r.title);
  append_json_member(out, "status", r.status);
  append_json_member(out, "reason", r.code);
  if (!p.detail.empty()) append_json_member(out, "detail", p.detail);
  if (!p.tool.empty()) append_json_member(out, "tool", p.tool);
  if (r.retry_after) append_json_member(out, "retry_after", retry_after_seconds(p.retry_after));
  if (!p.tool.empty()) append_attempts(out, p.attempts);
  out += "}\n";
}

void append_reply(std::string& out, problem const& p, reply_frame frame) {
  append_status_line(out, row(p.why).status);
  append_fields(out, p, frame);
  out += "Content-Length: ";
  auto const at = out.size();
  out += "\r\n\r\n";
  auto const body = out.size();
  append_document(out, p);
  auto const length = out.size() - body;
  if (frame.head_only) out.resize(body);
  insert_number(out, at, length);
}

void append_reasons(std::string& out, std::span<attempt_note const> attempts) {
  for (auto const& a : attempts) {
    if (&a != attempts.data()) out += ", ";
    append_number(out, a.number);
    out += '=';
    if (a.why != reason::none)
      out += code(a.why);
    else
      append_number(out, a.status);
  }
}

}  // namespace halfopen::gateway
