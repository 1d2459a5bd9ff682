#include <halfopen/gateway/audit_event.hpp>

namespace halfopen::gateway {

std::string_view name(audit_kind k) noexcept {
  switch (k) {
    case audit_kind::call: return "call";
    case audit_kind::refusal: return "refusal";
    case audit_kind::admin: return "admin";
    case audit_kind::config: return "config";
    case audit_kind::gateway: return "gateway";
  }
  return "unknown";
}

std::optional<audit_kind> audit_kind_of(std::string_view text) noexcept {
  for (auto const k :
       {audit_kind::call, audit_kind::refusal, audit_kind::admin, audit_kind::config, audit_kind::gateway}) {
    if (name(k) == text) return k;
  }
  return {};
}

}  // namespace halfopen::gateway
