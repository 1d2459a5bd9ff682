#include <openssl/evp.h>

#include <halfopen/base/assert.hpp>
#include <halfopen/gateway/audit_digest.hpp>

namespace halfopen::gateway {

digest sha256(std::string_view bytes) {
  digest d{};
  unsigned length = 0;
  int const ok = EVP_Digest(bytes.data(), bytes.size(), d.data(), &length, EVP_sha256(), nullptr);
  invariant(ok == 1 && length == d.size(), "SHA-256 is part of every libcrypto");
  return d;
}

std::string to_hex(std::span<std::uint8_t const> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (auto const b : bytes) {
    text += digits[b >> 4];
    text += digits[b & 15];
  }
  return text;
}

}  // namespace halfopen::gateway
