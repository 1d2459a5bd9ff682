#include <cerrno>
#include <cstring>
#include <ostream>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <halfopen/app/init.hpp>

namespace halfopen::app {
namespace {

constexpr std::string_view text = R"(# HalfOpen: what is protected, and how.
#
#   halfopen serve --config THIS_FILE --check-config     is it right?
#   halfopen serve --config THIS_FILE                    run it; what you save here then comes into force by itself
#   halfopen config show --effective THIS_FILE           every setting that is in force, with its default
#
# Numbers that could be misread carry their unit: 200ms, 5s, 4kB, 50%. Paths start from this file's folder.

listen: 127.0.0.1:8080            # where your clients call
admin:
  listen: 127.0.0.1:9090          # breakers, metrics and audit; needs the token in the file below
  token_file: admin.token         # made at the first start
storage:
  sqlite: halfopen.db             # counts, changes of state, audit log
  audit: {successes: 1%}          # refusals, failures and operators' acts are always written; all is counted

# Pipelines by name. Each call passes the layers from the first to the last.
policies:
  careful:
    - timeout: 2s                 # the whole call
    - circuit_breaker:
        window: {time: 10s}       # looks at the last ten seconds, or {calls: 100}, or {consecutive: 5}
        minimum_calls: 5          # says nothing while there are fewer; 20 is better where traffic allows
        failure_rate: 50%         # opens at this share of failures
        open_for: {initial: 1s, multiplier: 2, maximum: 60s}   # then one probe; longer each time it fails
    - timeout: 1s                 # each attempt: what is slower counts as a failure

# What is behind the gateway. Change the host to your service's.
tools:
  example:
    hosts: [http://127.0.0.1:9001]
    policy: careful
    # classify: {failure: [5xx, timeout], ignored: [4xx], throttled: [429]}    # what counts as what

# Which requests go where; the first that matches. A path with a slash at its end means all below it.
# Every tool also answers POST /v1/tools/NAME/invoke.
routes:
  - {match: {path: /}, tool: example}
)";

// Exclusive creation, so that a file that is there is never touched, not even in a race.
int open_new(std::filesystem::path const& file, bool force) {
  int const exclusive = force ? O_TRUNC : O_EXCL;
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | exclusive, 0644);
}

bool write_all(int fd, std::string_view what) {
  while (!what.empty()) {
    auto const n = ::write(fd, what.data(), what.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    what.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

std::string_view starting_config() { return text; }

exit_code run(init_command const& c, terminal& t) {
  auto const name = c.file.string();
  int const fd = open_new(c.file, c.force);
  if (fd < 0 && errno == EEXIST) {
    complain(t, name + " is already there; --force overwrites it");
    return exit_code::failed;
  }
  bool const written = fd >= 0 && write_all(fd, text);
  int const why = errno;
  bool const closed = fd >= 0 && ::close(fd) == 0;
  if (!written || !closed) {
    complain(t, "cannot write " + name + ": " + std::strerror(written ? errno : why));
    return exit_code::failed;
  }
  t.out << "wrote " << name << "\n"
        << "next:\n"
        << "  1. change the host under `tools` to your service's\n"
        << "  2. halfopen serve --config " << name << "\n";
  return exit_code::done;
}

}  // namespace halfopen::app
