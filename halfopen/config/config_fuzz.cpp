#include <cstddef>
#include <cstdint>
#include <string_view>

#include <halfopen/base/assert.hpp>
#include <halfopen/config/describe.hpp>
#include <halfopen/config/load.hpp>

// Any text: an answer, no crash, no exception. What is accepted is shown, and what is shown is read back to
// the same.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace halfopen;
  auto const first = config::read({reinterpret_cast<char const*>(data), size}, "fuzz.yaml");
  if (!first) {
    invariant(!first.error().empty(), "a refusal has a reason");
    return 0;
  }
  auto const shown = to_yaml(*config::effective(first->config));
  auto const second = config::read(shown, "fuzz.yaml");
  invariant(second.has_value(), "what is shown is read back");
  invariant(to_yaml(*config::effective(second->config)) == shown, "to the same settings");
  return 0;
}
