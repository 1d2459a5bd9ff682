#pragma once

#include <atomic>

namespace halfopen::gateway::testing {

/// Stands between SQLite and the disk of this process, and lets writes fail on demand.
///
/// Threads: fail_* and heal from any. One at a time; SQLite's own way to the disk comes back with its end.
class failing_disk {
 public:
  failing_disk();
  failing_disk(failing_disk const&) = delete;
  failing_disk& operator=(failing_disk const&) = delete;
  ~failing_disk();

  /// From the n-th write on (counting from 1), every write ends with this SQLite result, e.g. SQLITE_FULL.
  void fail_from(int n, int result);
  void heal();
  /// Writes asked for since the last fail_from or heal.
  [[nodiscard]] int writes() const;
  /// Of those, the ones that had to wait for the disk itself.
  [[nodiscard]] int syncs() const;
};

}  // namespace halfopen::gateway::testing
