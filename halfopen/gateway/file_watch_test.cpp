#include <atomic>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include <halfopen/base/becomes_true_fixture.hpp>
#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/gateway/file_watch.hpp>

namespace halfopen::gateway {
namespace {

namespace fs = std::filesystem;

void replace(fs::path const& file, std::string_view text) {
  write(file.string() + ".new", text);
  fs::rename(file.string() + ".new", file);
}

/// Turns a link the way in which Kubernetes does: a new one takes its name.
void turn(fs::path const& link, fs::path const& to) {
  fs::create_symlink(to, link.string() + "_tmp");
  fs::rename(link.string() + "_tmp", link);
}

/// Watches, and keeps what the file said each time that it was told.
class watcher {
 public:
  explicit watcher(fs::path const& file) : watch_{file} {
    watch_.start([this, file] {
      std::lock_guard const lock{mutex_};
      told_.push_back(contents(file));
    });
  }
  [[nodiscard]] bool sees(std::string const& text) {
    return becomes_true([&] {
      std::lock_guard const lock{mutex_};
      return !told_.empty() && told_.back() == text;
    });
  }
  [[nodiscard]] std::size_t times() {
    std::lock_guard const lock{mutex_};
    return told_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> told_;
  file_watch watch_;  // last: it uses what is above
};

TEST(file_watch, tells_of_a_file_written_in_place_and_of_one_replaced) {
  temporary_folder f;
  auto const file = f / "c.yaml";
  write(file, "one");
  watcher w{file};
  write(file, "two");
  EXPECT_TRUE(w.sees("two"));
  replace(file, "three");
  EXPECT_TRUE(w.sees("three"));
  write(file, "four");  // the new file, not the one that is gone
  EXPECT_TRUE(w.sees("four"));
  EXPECT_EQ(w.times(), 3U);
}

TEST(file_watch, tells_of_a_change_between_its_making_and_its_start) {
  temporary_folder f;
  auto const file = f / "c.yaml";
  write(file, "one");
  file_watch watch{file};
  write(file, "two");
  std::atomic<int> told{0};
  watch.start([&] { ++told; });
  EXPECT_TRUE(becomes_true([&] { return told == 1; }));
}

// A ConfigMap: the file is a link through `..data`, which is turned to a new folder as a whole.
TEST(file_watch, follows_the_links_of_a_config_map) {
  temporary_folder f;
  for (auto const* version : {"1", "2", "3"}) {
    fs::create_directory(f / version);
    write(f / version / "c.yaml", version);
  }
  fs::create_symlink("1", f / "..data");
  fs::create_symlink("..data/c.yaml", f / "c.yaml");
  watcher w{f / "c.yaml"};
  turn(f / "..data", "2");
  fs::remove_all(f / "1");
  EXPECT_TRUE(w.sees("2"));
  turn(f / "..data", "3");
  EXPECT_TRUE(w.sees("3"));
}

TEST(file_watch, follows_a_link_on_the_way_to_the_files_folder) {
  temporary_folder f;
  for (auto const* release : {"old", "new"}) {
    fs::create_directory(f / release);
    write(f / release / "c.yaml", release);
  }
  fs::create_symlink(f / "old", f / "current");
  watcher w{f / "current" / "c.yaml"};
  turn(f / "current", f / "new");
  EXPECT_TRUE(w.sees("new"));
}

TEST(file_watch, tells_that_the_file_has_gone_and_that_it_is_back) {
  temporary_folder f;
  auto const file = f / "c.yaml";
  write(file, "one");
  watcher w{file};
  fs::remove(file);
  EXPECT_TRUE(w.sees(""));
  write(file, "one");
  EXPECT_TRUE(w.sees("one"));
}

TEST(file_watch, sees_a_folder_that_comes_back) {
  temporary_folder f;
  auto const file = f / "etc" / "c.yaml";
  fs::create_directory(f / "etc");
  write(file, "one");
  watcher w{file};
  fs::remove_all(f / "etc");
  EXPECT_TRUE(w.sees(""));
  fs::create_directory(f / "etc");
  write(file, "two");
  EXPECT_TRUE(w.sees("two"));
}

TEST(file_watch, what_is_as_it_was_is_no_news) {
  temporary_folder f;
  auto const file = f / "c.yaml";
  write(file, "one");
  watcher w{file};
  replace(file, "one");
  write(f / "other", "x");
  write(file, "two");
  EXPECT_TRUE(w.sees("two"));
  EXPECT_EQ(w.times(), 1U);
}

TEST(file_watch, many_changes_at_once_are_told_together) {
  temporary_folder f;
  auto const file = f / "c.yaml";
  write(file, "0");
  watcher w{file};
  for (int i = 1; i <= 200; ++i) replace(file, std::to_string(i));
  EXPECT_TRUE(w.sees("200"));
  EXPECT_LT(w.times(), 20U);
}

TEST(file_watch, ends_while_it_waits_and_without_having_begun) {
  temporary_folder f;
  write(f / "c.yaml", "one");
  watcher const waiting{f / "c.yaml"};
  file_watch const never_started{f / "c.yaml"};
}

}  // namespace
}  // namespace halfopen::gateway
