#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
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
  std::size_t queue_max = 256;                     // names waiting for the thread
  std::size_t cache_max = 1024;

  /// Looks a name up, blocking. For tests; the system's by default.
  expected<std::vector<endpoint>, io_error> (*look_up)(std::string const& host) = nullptr;
};

/// Turns host names into addresses on a thread of its own; the loops never wait for it.
///
/// Numeric addresses are answered at once. One lookup serves all who ask for the same name meanwhile.
/// Threads: resolve() from any loop's thread; the resolver must outlive the loops' use of it.
class resolver {
 public:
  explicit resolver(resolver_options = {});
  ~resolver();  // waits for the lookup that runs, if any
  resolver(resolver const&) = delete;
  resolver& operator=(resolver const&) = delete;

  using answer = expected<std::vector<endpoint>, io_error>;  // at least one address, each with the port

  [[nodiscard]] task<answer> resolve(event_loop& loop, std::string host, std::uint16_t port,
                                     instant deadline);

 private:
  struct shared;
  std::shared_ptr<shared> shared_;
};

}  // namespace halfopen::net
