#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <halfopen/config/gateway_config.hpp>
#include <halfopen/config/scalars.hpp>

namespace halfopen::config {

/// What one word under `classify` stands for: statuses first..last, or one way in which there is no reply.
struct outcome {
  enum class kind : std::uint8_t { status, timeout, reset, unreachable, bad_reply };
  kind is = kind::status;
  std::uint16_t first = 0;
  std::uint16_t last = 0;

  friend bool operator==(outcome const&, outcome const&) = default;
};

template <>
struct codec<outcome> {
  static constexpr char const* what = "an outcome, such as 5xx, 404, 500-504, timeout or reset";
  static constexpr char const* pattern =
      "^([1-5]xx|[1-5][0-9]{2}(-[1-5][0-9]{2})?|timeout|reset|unreachable|bad_reply)$";
  static constexpr char const* json_type = "string";
  static parsed<outcome> parse(std::string_view text);
  static std::string print(outcome const& o);
};

/// The keys under `classify`, and the class that each gives.
struct outcome_list {
  char const* key;
  result_class gives;
  char const* help;
};
constexpr std::array<outcome_list, 4> outcome_lists{{
    {"failure", result_class::failure,
     "Counts against the tool. By default: `5xx`, `timeout`, `reset`, `unreachable`, `bad_reply`."},
    {"ignored", result_class::ignored,
     "The caller's own mistake; says nothing about the tool. By default: `4xx`."},
    {"throttled", result_class::throttled, "The tool asks for less. By default: `429`."},
    {"success", result_class::success, "Counts for the tool. By default: all other statuses."},
}};

/// 5xx and every way of no reply are failures, 429 is throttled, the rest of 4xx is ignored, all else
/// success.
[[nodiscard]] classification default_classification();

void classify(classification& c, outcome const& o, result_class as);
/// The fewest words, from wide to narrow, that give this classification.
[[nodiscard]] std::vector<outcome> outcomes_of(classification const& c, result_class as);

}  // namespace halfopen::config
