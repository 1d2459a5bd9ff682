#pragma once

#include <string>

namespace halfopen::bench {

struct include_cost {
  double seconds = 0;     // of processor time, beyond that of an empty file
  bool has_asio = false;  // any Asio header among what it pulls in
};

/// What including `header` costs a user, with the compiler that built this program; median of five.
[[nodiscard]] include_cost cost_of_including(std::string const& header);

}  // namespace halfopen::bench
