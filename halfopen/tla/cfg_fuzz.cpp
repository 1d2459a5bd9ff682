#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <halfopen/tla/config.hpp>

namespace {

halfopen::tla::spec const& sample() {
  static auto const s = halfopen::tla::load_text(
      "---- MODULE M ----\nEXTENDS Naturals\nCONSTANTS N, Op(_)\nVARIABLE x\nInit == x = 0\nNext == x' = "
      "Op(x)\n"
      "Spec == Init /\\ [][Next]_x\nInv == x < N\nPlus(k) == k + 1\n====\n",
      "M.tla");
  if (!s) std::abort();
  return *s;
}

}  // namespace

/// Any text is either a configuration or errors, and binding it to a spec gives names or errors.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const c = halfopen::tla::parse_config({reinterpret_cast<char const*>(data), size}, "M.cfg");
  if (!c) return c.error().empty() ? (__builtin_trap(), 0) : 0;
  auto const b = halfopen::tla::bind(*c, sample());
  if (!b && b.error().empty()) __builtin_trap();
  return 0;
}
