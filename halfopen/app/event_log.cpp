// The one file that knows spdlog.
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <halfopen/app/event_log.hpp>
#include <halfopen/config/tree.hpp>

namespace halfopen::app {
namespace {

spdlog::level::level_enum level_of(gateway::log_level l) {
  switch (l) {
    case gateway::log_level::info: return spdlog::level::info;
    case gateway::log_level::warning: return spdlog::level::warn;
    case gateway::log_level::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

spdlog::sink_ptr standard_error(bool colours) {
  if (colours) return std::make_shared<spdlog::sinks::stderr_color_sink_mt>(spdlog::color_mode::always);
  return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

std::string json_string(std::string_view s) {
  auto out = config::to_json(*config::text(std::string{s}));
  out.pop_back();  // the end of the line
  return out;
}

}  // namespace

struct event_log::sink {
  bool json;
  spdlog::logger logger;
};

event_log::event_log(log_format f, terminal const& t) {
  bool const json = f == log_format::json || (f == log_format::automatic && !t.err_is_terminal);
  sink_ =
      std::make_unique<sink>(sink{json, spdlog::logger{"halfopen", standard_error(t.err_colours && !json)}});
  if (json)
    sink_->logger.set_pattern(R"({"at":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})",
                              spdlog::pattern_time_type::utc);
  else
    sink_->logger.set_pattern("%H:%M:%S.%e %^%l%$ %v");
  sink_->logger.flush_on(spdlog::level::info);
}

event_log::~event_log() = default;

void event_log::operator()(gateway::log_message const& m) {
  std::string line;
  if (sink_->json)
    line =
        "\"text\":" + json_string(m.text) + (m.fields.empty() ? "" : ",\"fields\":" + std::string{m.fields});
  else
    line = std::string{m.text} + (m.fields.empty() ? "" : "  " + std::string{m.fields});
  sink_->logger.log(level_of(m.level), spdlog::string_view_t{line.data(), line.size()});
}

void event_log::info(std::string_view text) { (*this)({gateway::log_level::info, text, {}}); }
void event_log::warning(std::string_view text) { (*this)({gateway::log_level::warning, text, {}}); }
void event_log::error(std::string_view text) { (*this)({gateway::log_level::error, text, {}}); }

}  // namespace halfopen::app
