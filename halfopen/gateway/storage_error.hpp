#pragma once

#include <cstdint>
#include <string>

#include <halfopen/base/expected.hpp>

namespace halfopen::gateway {

enum class storage_fault : std::uint8_t {
  busy,     // another process or a long read holds it; comes back by itself
  claimed,  // another gateway writes this file, for as long as it lives
  full,     // no room on the disk
  corrupt,  // not a database, or a damaged one
  newer,    // written by a later version of this program; never touched
  refused,  // this row or question is at fault, not the database
  closed,   // the writer has ended
  broken,   // anything else: permissions, I/O errors, memory
};

struct storage_error {
  storage_fault fault = storage_fault::broken;
  std::string message{};
};

template <class T = void>
using stored = expected<T, storage_error>;

}  // namespace halfopen::gateway
