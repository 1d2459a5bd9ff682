#include <cstddef>
#include <cstdint>
#include <string>

#include <halfopen/tla/spec.hpp>

/// Any text is either a spec or errors: no crash, no hang, and never both.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string text{reinterpret_cast<char const*>(data), size};
  auto const parsed = halfopen::tla::load_text(text, "M.tla");
  if (!parsed && parsed.error().empty()) __builtin_trap();
  return 0;
}
