#include <halfopen/base/json_text.hpp>
#include <halfopen/gateway/storage_watch.hpp>

namespace halfopen::gateway {

storage_watch::storage_watch(net::event_loop& loop, storage const& store, event_hub& hub,
                             std::function<void(log_message const&)> const& log)
    : timer{[](net::timer& self, instant) { static_cast<storage_watch&>(self).look(); }},
      loop_{loop},
      store_{store},
      hub_{hub},
      log_{log} {
  loop_.timers().arm(*this, loop_.now() + every);
}

void storage_watch::look() {
  loop_.timers().arm(*this, loop_.now() + every);
  auto const health = store_.health();
  bool const failing = health.failing_since.has_value();
  if (failing == failing_) return;
  failing_ = failing;
  tell(health);
}

void storage_watch::tell(storage_health const& health) {
  std::string fields = failing_ ? "{\"ok\":false,\"error\":" : "{\"ok\":true,\"last_error\":";
  append_json_string(fields, health.last_error);
  fields += ",\"rows_waiting\":";
  append_number(fields, health.rows_waiting);
  fields += ",\"rows_dropped\":";
  append_number(fields, health.rows_dropped);
  fields += '}';
  hub_.publish("storage", fields);
  if (!log_) return;
  log_({.level = failing_ ? log_level::error : log_level::info,
        .text = failing_ ? "storage fails; calls go on, rows wait" : "storage works again",
        .fields = fields});
}

}  // namespace halfopen::gateway
