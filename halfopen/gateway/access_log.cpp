#include <utility>

#include <halfopen/base/json_text.hpp>
#include <halfopen/gateway/access_log.hpp>

namespace halfopen::gateway {
namespace {

/// What is not known is left out.
void append_known(std::string& out, std::string_view name, std::string_view value) {
  if (!value.empty()) append_json_member(out, name, value);
}

}  // namespace

void access_log::add(access_entry const& e) {
  if (writer_ == nullptr) return;
  append_time(e.at);
  append_known(buffer_, "client", e.client);
  append_known(buffer_, "method", e.method);
  append_known(buffer_, "target", e.target);
  append_json_member(buffer_, "status", e.status);
  append_known(buffer_, "tool", e.tool);
  append_known(buffer_, "host", e.host);
  append_known(buffer_, "reason", code(e.why));
  append_json_member(buffer_, "attempts", e.attempts);
  if (e.probe) buffer_ += ",\"probe\":true";
  append_json_member(buffer_, "bytes_in", e.bytes_in);
  append_json_member(buffer_, "bytes_out", e.bytes_out);
  append_json_member(buffer_, "duration_us",
                     std::chrono::duration_cast<std::chrono::microseconds>(e.took).count());
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
