#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <halfopen/gateway/admin_token.hpp>
#include <halfopen/gateway/audit_digest.hpp>
#include <halfopen/net/unique_fd.hpp>

namespace halfopen::gateway {
namespace {

unexpected<std::string> failed(std::filesystem::path const& file, std::string_view what) {
  return unexpected<std::string>{file.string() + ": " + std::string{what}};
}

bool same(std::string_view a, std::string_view b) noexcept {
  auto differs = static_cast<unsigned>(a.size() != b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    differs |=
        static_cast<unsigned>(static_cast<std::uint8_t>(a[i]) ^ static_cast<std::uint8_t>(b[i % b.size()]));
  return differs == 0;
}

expected<admin_token, std::string> create(std::filesystem::path const& file) {
  std::array<std::uint8_t, 32> bits{};
  if (::getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size()))
    return failed(file, "no random bits for a new token");
  auto const text = to_hex(bits);
  net::unique_fd const fd{::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (!fd) return failed(file, std::strerror(errno));
  auto const line = text + '\n';
  if (::write(fd.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    return failed(file, std::strerror(errno));
  return admin_token{text};
}

expected<admin_token, std::string> read(std::filesystem::path const& file, int fd) {
  struct stat about{};
  if (::fstat(fd, &about) != 0) return failed(file, std::strerror(errno));
  if ((about.st_mode & 077) != 0) return failed(file, "others may read or write it; chmod 600 it");
  std::array<char, 4096> bytes{};
  auto const n = ::read(fd, bytes.data(), bytes.size());
  if (n < 0) return failed(file, std::strerror(errno));
  std::string_view text{bytes.data(), static_cast<std::size_t>(n)};
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  if (text.size() < admin_token::length_min) return failed(file, "a token has at least 16 characters");
  return admin_token{std::string{text}};
}

}  // namespace

expected<admin_token, std::string> admin_token::load_or_create(std::filesystem::path const& file) {
  net::unique_fd const fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (fd) return read(file, fd.get());
  return errno == ENOENT ? create(file) : failed(file, std::strerror(errno));
}

bool admin_token::authorizes(std::string_view field) const noexcept {
  constexpr std::string_view scheme = "bearer ";
  if (field.size() < scheme.size()) return false;
  for (std::size_t i = 0; i < scheme.size(); ++i)
    if ((field[i] | 0x20) != (scheme[i] | 0x20)) return false;
  return same(field.substr(scheme.size()), text_);
}

}  // namespace halfopen::gateway
