#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <halfopen/app/init.hpp>
#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/config/load.hpp>

namespace halfopen::app {
namespace {

namespace fs = std::filesystem;

class init : public ::testing::Test {
 protected:
  temporary_folder folder_;
  std::ostringstream out_, err_;
  terminal t_{out_, err_};
};

TEST_F(init, writes_a_file_that_is_right_and_gives_no_cause_for_a_warning) {
  auto const file = folder_ / "gateway.yaml";
  EXPECT_EQ(run(init_command{file, false}, t_), exit_code::done);
  auto const read = config::load(file);
  ASSERT_TRUE(read) << to_string(read.error().at(0));
  EXPECT_THAT(read->warnings, ::testing::IsEmpty());
  EXPECT_EQ(contents(file), starting_config());
  EXPECT_THAT(out_.str(), ::testing::HasSubstr("halfopen serve --config " + file.string()));
}

TEST_F(init, never_overwrites_without_force) {
  auto const file = folder_ / "gateway.yaml";
  std::ofstream{file} << "mine";
  EXPECT_EQ(run(init_command{file, false}, t_), exit_code::failed);
  EXPECT_EQ(contents(file), "mine");
  EXPECT_EQ(err_.str(), "halfopen: error: " + file.string() + " is already there; --force overwrites it\n");
  EXPECT_EQ(run(init_command{file, true}, t_), exit_code::done);
  EXPECT_EQ(contents(file), starting_config());
}

TEST_F(init, says_why_it_cannot_write) {
  auto const file = folder_ / "none" / "gateway.yaml";
  EXPECT_EQ(run(init_command{file, false}, t_), exit_code::failed);
  EXPECT_EQ(err_.str(), "halfopen: error: cannot write " + file.string() + ": No such file or directory\n");
}

}  // namespace
}  // namespace halfopen::app
