#pragma once

#include <functional>
#include <memory>

#include <halfopen/app/command.hpp>
#include <halfopen/app/terminal.hpp>
#include <halfopen/gateway/server.hpp>

namespace halfopen::app {

/// The gateway's log on stderr: a line a message, for a person or as JSON.
/// Threads: any.
class event_log {
 public:
  event_log(log_format f, terminal const& t);
  ~event_log();

  void operator()(gateway::log_message const& m);
  void info(std::string_view text);
  void warning(std::string_view text);
  void error(std::string_view text);

 private:
  struct sink;
  std::unique_ptr<sink> sink_;
};

}  // namespace halfopen::app
