#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halfopen::app {

/// What `halfopen help TOPIC` tells; empty where there is no such topic.
[[nodiscard]] std::string topic_text(std::string_view topic);
[[nodiscard]] std::vector<std::string> topic_names();

}  // namespace halfopen::app
