#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include <unistd.h>

namespace halfopen {

[[nodiscard]] inline std::string contents(std::filesystem::path const& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline void write(std::filesystem::path const& file, std::string_view text) {
  std::ofstream{file, std::ios::binary} << text;
}

/// A folder of a test's own that goes away with it, however many tests run beside it.
class temporary_folder {
 public:
  temporary_folder() {
    // In memory where there is such a place: the tests open hundreds of databases, and a disk syncs in
    // milliseconds.
    std::filesystem::path const memory = "/dev/shm";
    bool const usable = ::access(memory.c_str(), W_OK) == 0;
    auto name =
        ((usable ? memory : std::filesystem::temp_directory_path()) / "halfopen-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"mkdtemp"};
    path_ = name;
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  void write(std::string_view name, std::string_view text) const { halfopen::write(path_ / name, text); }
  [[nodiscard]] std::string read(std::string_view name) const { return contents(path_ / name); }

 private:
  std::filesystem::path path_;
};

}  // namespace halfopen
