#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <halfopen/gateway/audit_event.hpp>
#include <halfopen/gateway/storage_time.hpp>

namespace halfopen::gateway {

/// Counts in the window at the moment a breaker changed state: what justified the change.
struct transition_event {
  wall_time at = wall_now();
  std::string tool{};
  std::string host{};  // empty for the tool's own breaker
  std::uint64_t epoch = 0;
  std::string from{};
  std::string to{};
  std::string cause{};
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;
  std::uint64_t slow = 0;
};

struct transition_row {
  std::int64_t id = 0;
  transition_event event;
};

enum class row_order : std::uint8_t { oldest_first, newest_first };

/// Which rows. An empty text or optional matches everything.
struct row_query {
  static constexpr std::uint32_t rows_most = 1000;

  std::string tool{};
  std::optional<wall_time> from{};   // inclusive
  std::optional<wall_time> until{};  // exclusive
  std::int64_t after = 0;            // the last id of the page before; 0 = the first page
  row_order order = row_order::newest_first;
  std::uint32_t limit = 100;  // at most rows_most
};

struct audit_query : row_query {
  std::optional<audit_kind> kind{};
  std::string outcome{};
  std::string who{};
};

struct transition_query : row_query {
  std::optional<std::string> host{};
};

/// One page. An export is page after page, oldest first, until `next` is empty.
template <class Row>
struct page {
  std::vector<Row> rows;
  std::optional<std::int64_t> next;   // the next page's `after`
  std::vector<std::string> problems;  // rows that could not be read and were left out, each with its id
};

using audit_page = page<audit_row>;
using transition_page = page<transition_row>;

}  // namespace halfopen::gateway
