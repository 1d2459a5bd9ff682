#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halfopen::gateway {

/// A whole request to the admin API, taken apart.
struct admin_request {
  std::string method;
  std::string path;                                        // still percent-encoded, without the query
  std::vector<std::string> segments;                       // of the path, decoded
  std::vector<std::pair<std::string, std::string>> query;  // decoded
  std::string authorization;
  std::string last_event_id;
  std::string accept;
  std::string body;
  std::string client;  // its address

  /// Empty where it is not given.
  [[nodiscard]] std::string_view parameter(std::string_view name) const noexcept;
  [[nodiscard]] bool has(std::string_view name) const noexcept;
};

/// Fills in path, segments and query. False: an escape is malformed, or a segment is not text.
[[nodiscard]] bool take_target(admin_request& r, std::string_view target);

struct admin_reply {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::string fields;  // further header lines, each with its end
};

/// A problem document (RFC 9457) of the admin API.
[[nodiscard]] admin_reply admin_problem(int status, std::string_view code, std::string_view detail);

[[nodiscard]] inline admin_reply no_such_tool() {
  return admin_problem(404, "unknown_tool",
                       "there is no tool of this name; GET /v1/tools lists those there are");
}

/// The client's side of a request that is being answered. Exists only while the client is there.
class admin_conversation {
 public:
  virtual void reply(admin_reply const& r) = 0;
  /// Instead of a reply: a head, and then pieces as they come.
  virtual void begin_stream(std::string_view content_type) = 0;
  /// False: the client has gone, or does not keep up and has been cut off.
  virtual bool push(std::string_view piece) = 0;
  virtual void end_stream() = 0;
  [[nodiscard]] virtual std::size_t waiting() const noexcept = 0;  // bytes pushed and not sent yet

 protected:
  ~admin_conversation() = default;
};

}  // namespace halfopen::gateway
