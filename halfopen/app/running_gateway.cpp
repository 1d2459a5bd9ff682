#include <cerrno>
#include <cstring>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

#include <halfopen/app/command.hpp>
#include <halfopen/app/running_gateway.hpp>
#include <halfopen/config/scalars.hpp>
#include <halfopen/gateway/wiring_fault.hpp>
#include <halfopen/net/endpoint.hpp>
#include <halfopen/net/unique_fd.hpp>

namespace halfopen::app {
namespace {

using namespace std::chrono_literals;

constexpr duration load_limit = 2s;  // for counts of earlier runs; the gateway starts without them after that
constexpr duration claim_limit = 1s;  // for a gateway before this one that is about to end
constexpr duration close_limit = 5s;  // for the last rows to reach the disk

gateway::storage_config storage_of(config::storage_config const& c) {
  gateway::storage_config s;
  s.file = c.sqlite;
  s.flush_every = c.flush;
  s.retention = c.audit.retention;
  s.field_bytes_max = c.audit.field_max.value;
  return s;
}

unexpected<start_failure> cannot_start(std::string why, exit_code code = exit_code::failed) {
  return unexpected<start_failure>{{std::move(why), code}};
}

/// Who else writes the database, or an empty text. Two gateways with one file would each serve, and one of
/// them keep no counts and no audit log: that is a configuration at fault.
std::string other_writer(gateway::storage const& s) {
  auto const until = std::chrono::steady_clock::now() + claim_limit;
  for (;;) {
    auto const health = s.health();
    if (health.fault != gateway::storage_fault::claimed) return "";
    if (std::chrono::steady_clock::now() > until)
      return "the database " + health.last_error +
             ", most likely another gateway; end that one, or give this one a file of its own "
             "(storage.sqlite)";
    std::this_thread::sleep_for(10ms);
  }
}

}  // namespace

expected<std::unique_ptr<running_gateway>, start_failure> running_gateway::make(
    config::gateway_config c, std::filesystem::path const& file, log_sink log) {
  if (auto why = unusable_database(c.storage.sqlite); !why.empty()) return cannot_start(std::move(why));
  for (auto const& a : {c.listen, c.admin.listen})
    if (auto why = unusable_address(a); !why.empty()) return cannot_start(std::move(why));
  std::unique_ptr<running_gateway> g{new running_gateway};
  g->board_ = std::make_unique<gateway::health_board>();
  auto kept = storage_of(c.storage);
  kept.told = [log](std::string const& fault) {
    if (fault.empty()) return log({gateway::log_level::info, "the database is written again", {}});
    log({gateway::log_level::warning, "database: " + fault, {}});
  };
  g->storage_ = std::make_unique<gateway::storage>(std::move(kept), *g->board_);
  bool const loaded = g->storage_->wait_until_loaded(load_limit);
  if (auto why = other_writer(*g->storage_); !why.empty())
    return cannot_start(std::move(why), exit_code::usage);
  if (!loaded && !g->storage_->health().ok)
    log({gateway::log_level::warning,
         "the counts of earlier runs are not there yet; serving without them",
         {}});
  if constexpr (gateway::wired_with == gateway::wiring_fault::writer_gone) g->storage_->close({});
  auto made = gateway::server::make(std::move(c), {.store = *g->storage_,
                                                   .board = *g->board_,
                                                   .log = std::move(log),
                                                   .config_file = file,
                                                   .version = version_line(),
                                                   .gate = {}});
  if (!made) return cannot_start(std::move(made.error()));
  g->server_ = std::move(*made);
  return g;
}

running_gateway::~running_gateway() {
  server_.reset();
  if (storage_) storage_->close(close_limit);
}

std::string unusable_address(config::listen_address const& a) {
  auto const name = config::codec<config::listen_address>::print(a);
  auto const at = net::endpoint::parse(a.host, a.port);
  if (!at) return "cannot listen on " + name + ": not an address";
  net::unique_fd const fd{::socket(at->family(), SOCK_STREAM | SOCK_CLOEXEC, 0)};
  int const on = 1;
  // SO_REUSEADDR: connections of an earlier run that linger in the kernel are no reason.
  if (fd && ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      ::bind(fd.get(), at->data(), at->size()) == 0)
    return "";
  return "cannot listen on " + name + ": " + std::strerror(errno) +
         (errno == EADDRINUSE ? "; is another gateway running?" : "");
}

std::string unusable_database(std::filesystem::path const& file) {
  auto const folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
  auto const because = [&](std::filesystem::path const& p) {
    return "cannot write the database " + file.string() + ": " + p.string() + ": " + std::strerror(errno);
  };
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return because(folder);
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    return "cannot write the database " + file.string() + ": it is a folder";
  if (::access(file.c_str(), F_OK) == 0 && ::access(file.c_str(), R_OK | W_OK) != 0) return because(file);
  return "";
}

}  // namespace halfopen::app
