#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <halfopen/gateway/audit_event.hpp>
#include <halfopen/gateway/health_counts.hpp>
#include <halfopen/gateway/storage_database.hpp>
#include <halfopen/gateway/storage_query.hpp>

/// Rows as the tables hold them. What stands in a file may have been written by anyone: each value is
/// checked, and a row that makes no sense is a problem to report, never a reason to stop.
namespace halfopen::gateway {

/// Why a row could not be read, for a person: "row 17: at is no time: \"yesterday\"".
using row_problem = std::string;
template <class Row>
using read_row = expected<Row, row_problem>;

inline constexpr std::string_view audit_columns =
    "id, at, kind, who, what, tool, host, outcome, status, attempts, duration_us, arguments, detail, cuts, "
    "previous, "
    "hash";
inline constexpr std::string_view transition_columns =
    R"(id, at, tool, host, epoch, "from", "to", cause, calls, failures, slow)";
inline constexpr std::string_view health_columns =
    "tool, host, success_count, failure_count, ignored_count, abandoned_count, slow_count, late_count, "
    "rejected_count, last_success_at, last_failure_at";

[[nodiscard]] read_row<audit_row> read_audit_row(statement const& s);
[[nodiscard]] read_row<transition_row> read_transition_row(statement const& s);

/// A date that is no date is left out and told in `problems`; the counts beside it still count.
[[nodiscard]] read_row<health_row> read_health_row(statement const& s, std::vector<row_problem>& problems);

// Into the columns above, in their order, all but a transition's id.
[[nodiscard]] stored<> insert(statement& s, audit_row const& row);
[[nodiscard]] stored<> insert(statement& s, transition_event const& e);
[[nodiscard]] stored<> insert(statement& s, health_row const& row);

[[nodiscard]] std::string to_text(std::vector<audit_cut> const& cuts);

}  // namespace halfopen::gateway
