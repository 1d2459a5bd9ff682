#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <halfopen/base/assert.hpp>
#include <halfopen/net/http_body.hpp>

using namespace halfopen;
using namespace halfopen::net;

namespace {

struct outcome {
  std::string payload;
  parse_step step;
  bool operator==(outcome const&) const = default;
};

outcome read(std::string_view bytes, std::size_t cut) {
  chunk_reader reader;
  outcome all;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t const end = at < cut ? cut : bytes.size();
    auto const piece = reader.next(bytes.substr(at, end - at));
    all.payload += piece.payload;
    if (piece.step.is_bad()) {
      all.step = parse_step::bad(piece.step.why, at + piece.step.at);
      return all;
    }
    invariant(piece.consumed > 0 && piece.consumed <= end - at,
              "a reader that wants more has read something");
    at += piece.consumed;
    if (piece.step.is_complete()) {
      all.step = parse_step::complete(at);
      return all;
    }
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view const bytes{reinterpret_cast<char const*>(data) + 1, size - 1};
  auto const whole = read(bytes, 0);
  invariant(whole.step.at <= bytes.size(), "an answer lies within the bytes");
  invariant(read(bytes, data[0] * bytes.size() / 256) == whole, "the pieces do not matter");
  return 0;
}
