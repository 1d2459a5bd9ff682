// The one file that knows spdlog.
#include <mutex>

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <halfopen/app/event_log.hpp>
#include <halfopen/config/tree.hpp>
#include <halfopen/gateway/log_writer.hpp>

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

// Breakers tell their changes from the loops: whoever reads stderr, or does not, must not stop one.
class standard_error final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit standard_error(bool colours) : colours_{colours} {}

 private:
  static constexpr std::size_t lines_max = 4096;  // that wait

  void sink_it_(spdlog::details::log_msg const& m) override {
    spdlog::memory_buf_t formatted;
    formatter_->format(m, formatted);
    std::string line{formatted.data(), formatted.size()};
    if (colours_ && m.color_range_end > m.color_range_start) {
      line.insert(m.color_range_end, "\x1b[m");
      line.insert(m.color_range_start, colour_of(m.level));
    }
    writer_.submit(std::move(line), 1);
  }
  void flush_() override {}

  static char const* colour_of(spdlog::level::level_enum l) {
    if (l == spdlog::level::info) return "\x1b[32m";
    return l == spdlog::level::warn ? "\x1b[33m\x1b[1m" : "\x1b[31m\x1b[1m";
  }

  bool colours_;
  gateway::log_writer writer_{STDERR_FILENO, false, lines_max};
};

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
  sink_ = std::make_unique<sink>(
      sink{json, spdlog::logger{"halfopen", std::make_shared<standard_error>(t.err_colours && !json)}});
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
