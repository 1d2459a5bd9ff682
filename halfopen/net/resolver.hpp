#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <halfopen/base/expected.hpp>
#include <halfopen/base/time.hpp>
#include <halfopen/net/endpoint.hpp>
#include <halfopen/net/event_loop.hpp>
#include <halfopen/net/io_error.hpp>
#include <halfopen/net/task.hpp>

namespace halfopen::net {

struct resolver_options {
  duration ttl = std::chrono::seconds{30};         // an answer is used for so long
  duration failure_ttl = std::chrono::seconds{1};  // and the lack of one
  duration stale_max =
      std::chrono::hours{1};  // an old answer is used for so long while no new one can be had
  duration wait_max = std::chrono::seconds{30};  // for one lookup, whatever the caller's deadline
  std::size_t queue_max = 256;                   // names waiting for the thread
  std::size_t cache_max = 1024;

  /// Looks a name up, blocking. The system's where empty; for tests.
  std::function<expected<std::vector<endpoint>, io_error>(std::string const& host)> look_up;
};

/// Turns host names into addresses on a thread of its own; the loops never wait for it.
///
/// Numeric addresses are answered at once. One lookup serves all who ask for the same name meanwhile.
/// Threads: resolve() from any loop's thread. The resolver must outlive the tasks it gave.
class resolver {
 public:
  using answer = expected<std::vector<endpoint>, io_error>;  // at least one address, each with the port

  explicit resolver(resolver_options = {});
  ~resolver();  // does not wait for a lookup that runs
  resolver(resolver const&) = delete;
  resolver& operator=(resolver const&) = delete;

  [[nodiscard]] task<answer> resolve(event_loop& loop, std::string host, std::uint16_t port,
                                     instant deadline);

 private:
  class shared;
  class lookup;
  std::shared_ptr<shared> shared_;
  std::thread worker_;
};

}  // namespace halfopen::net
