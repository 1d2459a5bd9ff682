#include <utility>

#include <halfopen/gateway/access_log.hpp>
#include <halfopen/gateway/json_text.hpp>

namespace halfopen::gateway {
namespace {

void text(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  ((out += ",\"") += name) += "\":";
  append_json_string(out, value);
}

template <std::integral T>
void number(std::string& out, std::string_view name, T value) {
  ((out += ",\"") += name) += "\":";
  append_number(out, value);
}

}  // namespace

void access_log::add(access_entry const& e) {
  if (writer_ == nullptr) return;
  append_time(e.at);
  text(buffer_, "client", e.client);
  text(buffer_, "method", e.method);
  text(buffer_, "target", e.target);
  number(buffer_, "status", e.status);
  text(buffer_, "tool", e.tool);
  text(buffer_, "host", e.host);
  text(buffer_, "reason", code(e.why));
  number(buffer_, "attempts", e.attempts);
  if (e.probe) buffer_ += ",\"probe\":true";
  number(buffer_, "bytes_in", e.bytes_in);
  number(buffer_, "bytes_out", e.bytes_out);
  number(buffer_, "duration_us", std::chrono::duration_cast<std::chrono::microseconds>(e.took).count());
  buffer_ += "}\n";
  ++lines_;
  if (buffer_.size() >= chunk_size) flush();
}

void access_log::flush() {
  if (lines_ == 0) return;
  writer_->submit(std::move(buffer_), std::exchange(lines_, 0));
  buffer_ = writer_->take();
  buffer_.reserve(chunk_size + 4096);
}

void access_log::append_time(instant at) {
  auto const ms = clock_.at(at).time_since_epoch().count();
  auto const second = ms / 1000;
  if (second != second_) {
    second_ = second;
    second_text_ = to_text(wall_time{std::chrono::milliseconds{second * 1000}});
  }
  auto const part = static_cast<int>(ms % 1000);
  buffer_ += "{\"time\":\"";
  buffer_.append(second_text_, 0, 20);  // up to and with the point
  buffer_ += static_cast<char>('0' + part / 100);
  buffer_ += static_cast<char>('0' + part / 10 % 10);
  buffer_ += static_cast<char>('0' + part % 10);
  buffer_ += "Z\"";
}

}  // namespace halfopen::gateway
