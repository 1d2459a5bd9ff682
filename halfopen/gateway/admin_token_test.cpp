#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/gateway/admin_token.hpp>

namespace halfopen::gateway {
namespace {

void write(std::filesystem::path const& file, char const* text, mode_t mode) {
  std::ofstream{file} << text;
  ::chmod(file.c_str(), mode);
}

TEST(admin_token, is_made_for_its_owner_alone_and_found_again) {
  temporary_folder const folder;
  auto const file = folder / "made.token";
  auto const made = admin_token::load_or_create(file);
  ASSERT_TRUE(made.has_value()) << made.error();
  struct stat about{};
  ASSERT_EQ(::stat(file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  EXPECT_EQ(made->text().size(), 64u);
  EXPECT_EQ(admin_token::load_or_create(file).value().text(), made->text());
}

TEST(admin_token, is_not_taken_from_a_file_that_others_may_read) {
  temporary_folder const folder;
  auto const file = folder / "open.token";
  write(file, "0123456789abcdef\n", 0644);
  EXPECT_FALSE(admin_token::load_or_create(file).has_value());
}

TEST(admin_token, is_not_empty_or_short) {
  temporary_folder const folder;
  auto const file = folder / "short.token";
  write(file, "\n", 0600);
  EXPECT_FALSE(admin_token::load_or_create(file).has_value());
  write(file, "123456789012345\n", 0600);
  EXPECT_FALSE(admin_token::load_or_create(file).has_value());
}

TEST(admin_token, authorizes_itself_and_nothing_else) {
  admin_token const t{"0123456789abcdef"};
  EXPECT_TRUE(t.authorizes("Bearer 0123456789abcdef"));
  EXPECT_TRUE(t.authorizes("bearer 0123456789abcdef"));
  for (auto const* wrong : {"", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0",
                            "Bearer 0123456789abcdeF", "Basic 0123456789abcdef", "0123456789abcdef"})
    EXPECT_FALSE(t.authorizes(wrong)) << wrong;
}

}  // namespace
}  // namespace halfopen::gateway
