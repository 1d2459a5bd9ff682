#include <halfopen/gateway/reason.hpp>

namespace halfopen::gateway {

reason from(errc e) noexcept {
  switch (e) {
    case errc::open: return reason::open;
    case errc::probe_in_flight: return reason::probe_in_flight;
    case errc::ramping: return reason::ramping;
    case errc::forced_open: return reason::forced_open;
    case errc::rate_limited: return reason::overloaded;
    case errc::timed_out: return reason::timed_out;
    case errc::cancelled: return reason::client_gone;
    case errc::threw:
    case errc::failed: return reason::internal;
  }
  return reason::internal;
}

}  // namespace halfopen::gateway
