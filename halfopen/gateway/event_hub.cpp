#include <algorithm>
#include <charconv>
#include <utility>

#include <halfopen/base/json_text.hpp>
#include <halfopen/gateway/event_hub.hpp>

namespace halfopen::gateway {

std::string event_place::text() const { return std::to_string(run) + '-' + std::to_string(number); }

std::optional<event_place> event_place::parse(std::string_view text) noexcept {
  event_place p;
  auto const* const end = text.data() + text.size();
  auto const run_end = std::from_chars(text.data(), end, p.run);
  if (run_end.ec != std::errc{} || run_end.ptr == end || *run_end.ptr != '-') return std::nullopt;
  auto const number_end = std::from_chars(run_end.ptr + 1, end, p.number);
  if (number_end.ec != std::errc{} || number_end.ptr != end) return std::nullopt;
  return p;
}

void event_hub::publish(std::string kind, std::string data) {
  std::shared_ptr<notice const> told;
  {
    std::lock_guard const lock{mutex_};
    if (events_.size() == events_max) events_.pop_front();
    events_.push_back({{run_, ++published_}, std::move(kind), std::move(data)});
    told = notice_;
  }
  if (told && *told) (*told)();
}

event_hub::batch event_hub::read(event_place after, std::size_t at_most) const {
  std::lock_guard const lock{mutex_};
  auto const known = after.run == run_ ? std::min(after.number, published_) : 0;
  batch b{{}, {run_, known}, after.run != run_ && after.number != 0};
  auto const first = published_ - events_.size() + 1;  // the oldest that is kept
  if (known + 1 < first) b.gap = true;
  auto const skip = known + 1 > first ? known + 1 - first : 0;
  for (auto i = static_cast<std::size_t>(skip); i < events_.size() && b.events.size() < at_most; ++i)
    b.events.push_back(events_[i]);
  if (!b.events.empty()) b.last = b.events.back().at;
  return b;
}

event_place event_hub::newest() const {
  std::lock_guard const lock{mutex_};
  return {run_, published_};
}

void event_hub::tell(notice n) {
  auto made = std::make_shared<notice const>(std::move(n));
  std::lock_guard const lock{mutex_};
  notice_ = std::move(made);
}

void append_sse(std::string& out, hub_event const& e) {
  out += "id: ";
  out += e.at.text();
  ((out += "\nevent: ") += e.kind) += "\ndata: ";
  (out += e.data) += "\n\n";
}

}  // namespace halfopen::gateway
