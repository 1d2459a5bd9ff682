#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <halfopen/base/assert.hpp>
#include <halfopen/base/json_text.hpp>

// Whatever the bytes, the string that is written is JSON, and means the same where it was UTF-8.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  std::string out;
  halfopen::append_json_string(out, text);
  auto const read = nlohmann::json::parse(out, nullptr, false);
  halfopen::invariant(read.is_string(), "what is written is a JSON string");
  auto const replaced = read.get<std::string>().find("\xEF\xBF\xBD") != std::string::npos;
  halfopen::invariant(replaced || read.get<std::string>() == text, "text that is UTF-8 comes back as it was");
  return 0;
}
