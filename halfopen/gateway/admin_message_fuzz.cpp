#include <cstddef>
#include <cstdint>
#include <string_view>

#include <halfopen/base/assert.hpp>
#include <halfopen/gateway/admin_message.hpp>
#include <halfopen/gateway/event_hub.hpp>
#include <halfopen/gateway/route_table.hpp>

// What a client of the admin API can choose freely: the target, and the id of the event that it saw last.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace halfopen::gateway;
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  admin_request r;
  if (take_target(r, text))
    for (auto const& [name, value] : r.query)
      halfopen::invariant(r.has(name), "a parameter that was read is there");
  if (auto const place = event_place::parse(text))
    halfopen::invariant(event_place::parse(place->text()) == place,
                        "a place survives the way there and back");
  (void)has_dot_segments(path_of(text));
  return 0;
}
