#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <halfopen/base/becomes_true_fixture.hpp>
#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/gateway/access_log.hpp>
#include <halfopen/net/unique_fd.hpp>

namespace halfopen::gateway {
namespace {

using namespace std::chrono_literals;

std::vector<nlohmann::json> lines_of(std::filesystem::path const& file) {
  std::ifstream in{file};
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

wall_clock clock_at(wall_time date) { return wall_clock{date, instant{}}; }

TEST(access_log, writes_one_json_object_a_line) {
  temporary_folder const folder;
  auto const file = folder / "access.log";
  {
    auto writer = log_writer::open(file).value();
    access_log log{writer.get(), clock_at(parse_wall_time("2026-06-24T10:00:00.000Z").value())};
    log.add({.at = instant{1234ms},
             .client = "127.0.0.1",
             .method = "GET",
             .target = "/a\"b\xFF",
             .tool = "payments",
             .why = reason::open,
             .status = 503,
             .took = 1500us});
    log.add({.at = instant{1235ms}, .client = "127.0.0.1", .method = "GET", .target = "/", .status = 200});
  }
  auto const lines = lines_of(file);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["time"], "2026-06-24T10:00:01.234Z");
  EXPECT_EQ(lines[0]["reason"], "open");
  EXPECT_EQ(lines[0]["duration_us"], 1500);
  EXPECT_EQ(lines[1]["time"], "2026-06-24T10:00:01.235Z");
  EXPECT_FALSE(lines[1].contains("reason"));
}

TEST(access_log, loses_no_line_over_many_chunks) {
  temporary_folder const folder;
  auto const file = folder / "chunks.log";
  {
    auto writer = log_writer::open(file).value();
    access_log log{writer.get(), clock_at({})};
    for (int i = 0; i < 5000; ++i) log.add({.target = "/", .status = i});
    EXPECT_EQ(writer->dropped(), 0u);
  }
  auto const lines = lines_of(file);
  ASSERT_EQ(lines.size(), 5000u);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(lines[static_cast<std::size_t>(i)]["status"], i);
}

TEST(access_log, a_pipe_that_nobody_reads_stops_nobody_not_even_at_the_end) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  net::unique_fd const reader{ends[0]};
  auto writer = std::make_unique<log_writer>(ends[1], true);
  for (int i = 0; i < 10; ++i) writer->submit(std::string(20'000, 'x'), 1);
  writer.reset();
  SUCCEED() << "it ended";
}

TEST(access_log, a_disk_that_is_full_costs_lines_and_nothing_else) {
  log_writer writer{::open("/dev/full", O_WRONLY | O_CLOEXEC), true};
  {
    access_log log{&writer, clock_at({})};
    for (int i = 0; i < 10; ++i) log.add({.target = "/", .status = 200});
  }
  EXPECT_TRUE(becomes_true([&] { return writer.dropped() == 10; })) << writer.dropped();
}

TEST(access_log, tells_why_a_file_cannot_be_opened) {
  auto const writer = log_writer::open("/nowhere/at/all.log");
  ASSERT_FALSE(writer.has_value());
  EXPECT_NE(writer.error().find("/nowhere/at/all.log"), std::string::npos);
}

}  // namespace
}  // namespace halfopen::gateway
