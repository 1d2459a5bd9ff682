#include <cerrno>

#include <halfopen/net/io_error.hpp>

namespace halfopen::net {

io_error from_errno(int code) noexcept {
  switch (code) {
    case ETIMEDOUT: return {io_errc::timed_out, code};
    case ECANCELED: return {io_errc::cancelled, code};
    case ECONNRESET:
    case EPIPE:
    case ECONNABORTED: return {io_errc::reset, code};
    case ECONNREFUSED: return {io_errc::refused, code};
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ENETDOWN:
    case EHOSTDOWN: return {io_errc::unreachable, code};
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case ENOSPC:
    case EADDRNOTAVAIL: return {io_errc::no_descriptors, code};
    case EINVAL:
    case EAFNOSUPPORT:
    case EDESTADDRREQ: return {io_errc::bad_address, code};
    default: return {io_errc::other, code};
  }
}

}  // namespace halfopen::net
