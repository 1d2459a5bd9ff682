#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

#include <halfopen/base/random.hpp>
#include <halfopen/gateway/audit_field.hpp>

namespace halfopen::gateway {
namespace {

using nlohmann::json;

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// How long the well-formed character at the start of `s` is; 0 if there is none (Unicode 15, table 3-7).
std::size_t character_length(std::string_view s) noexcept {
  auto const byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0U; };
  auto const tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  auto const first = byte(0);
  auto const second = byte(1);
  if (first < 0x80) return first == 0 ? 0 : 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    bool const overlong = first == 0xE0 && second < 0xA0;
    bool const surrogate = first == 0xED && second > 0x9F;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    bool const overlong = first == 0xF0 && second < 0x90;
    bool const too_high = first == 0xF4 && second > 0x8F;
    return tail(1) && tail(2) && tail(3) && !overlong && !too_high ? 4 : 0;
  }
  return 0;
}

void cut_field(std::string& text, std::string_view field, std::size_t bytes_max,
               std::vector<audit_cut>& cuts) {
  auto kept = cut_utf8(text, bytes_max);
  if (kept == text) return;
  cuts.push_back({.field = std::string{field}, .bytes = text.size(), .sha256 = to_hex(sha256(text))});
  text = std::move(kept);
}

bool is_secret(std::string_view key, audit_redaction const& r) {
  auto const same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::any_of(r.keys.begin(), r.keys.end(),
                     [&](std::string const& k) { return std::ranges::equal(key, k, same); });
}

json redacted(json const& value, audit_redaction const& r, std::size_t depth) {
  if (!value.is_structured()) return value;
  if (depth == r.depth_max) return "(too deep)";
  json copy = value.is_array() ? json::array() : json::object();
  if (value.is_array()) {
    for (auto const& item : value) copy.push_back(redacted(item, r, depth + 1));
  } else {
    for (auto const& [key, item] : value.items())
      copy[key] = is_secret(key, r) ? json{"(redacted)"} : redacted(item, r, depth + 1);
  }
  return copy;
}

}  // namespace

std::string cut_utf8(std::string_view raw, std::size_t bytes_max) {
  std::string text;
  text.reserve(std::min(raw.size(), bytes_max));
  while (!raw.empty()) {
    auto const length = character_length(raw);
    auto const next = length == 0 ? replacement : raw.substr(0, length);
    if (text.size() + next.size() > bytes_max) break;
    text += next;
    raw.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

std::vector<audit_cut> cut_fields(audit_event& e, std::size_t bytes_max) {
  std::vector<audit_cut> cuts;
  cut_field(e.who, "who", bytes_max, cuts);
  cut_field(e.what, "what", bytes_max, cuts);
  cut_field(e.tool, "tool", bytes_max, cuts);
  cut_field(e.host, "host", bytes_max, cuts);
  cut_field(e.outcome, "outcome", bytes_max, cuts);
  if (e.arguments) cut_field(*e.arguments, "arguments", bytes_max, cuts);
  cut_field(e.detail, "detail", bytes_max, cuts);
  return cuts;
}

std::string audit_arguments(json const& value, audit_redaction const& r) {
  // replace: a string that is not UTF-8 must not throw here, on its way to a log
  return redacted(value, r, 0).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string audit_arguments_of_body(std::string_view body, audit_redaction const& r) {
  auto const note = [&](char const* why) {
    return std::string{why} + std::to_string(body.size()) + " bytes)";
  };
  // The parser keeps its own stack, but what it builds is destroyed by recursion of a kind: look at depth
  // first.
  bool too_deep = false;
  auto const shallow = [&](int depth, json::parse_event_t, json&) {
    too_deep = too_deep || depth > 1000;
    return !too_deep;
  };
  auto const value = json::parse(body, shallow, /*allow_exceptions=*/false);
  if (too_deep) return note("(nested too deeply, ");
  if (value.is_discarded()) return note("(not JSON, ");
  return audit_arguments(value, r);
}

bool audit_sampler::next(percent share) noexcept { return below(mix(seed_, n_++), 100) < share.value; }

}  // namespace halfopen::gateway
