#include <gtest/gtest.h>

#include <halfopen/gateway/storage.hpp>
#include <halfopen/gateway/storage_disk_fixture.hpp>
#include <halfopen/gateway/storage_fixture.hpp>

namespace halfopen::gateway {
namespace {

using namespace testing;

// What an operator was told to be on disk must survive a power cut; what is only recorded need not, and must
// not make the disk wait five times a second.
TEST(storage_on_a_disk, waits_for_it_with_an_operators_act_and_with_nothing_else) {
  temporary_folder folder;
  health_board board;
  failing_disk disk;
  storage s{quick_config(folder), board};
  ASSERT_TRUE(flush(s));
  disk.heal();  // counts from here
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(s.record(some_event()));
    ASSERT_TRUE(flush(s));
  }
  EXPECT_GT(disk.writes(), 0);
  EXPECT_EQ(disk.syncs(), 0);
  ASSERT_TRUE(record_durably(s, some_event("act")));
  EXPECT_GT(disk.syncs(), 0);
  disk.heal();
  ASSERT_TRUE(s.record(some_event()));
  ASSERT_TRUE(flush(s));
  EXPECT_EQ(disk.syncs(), 0);
}

}  // namespace
}  // namespace halfopen::gateway
