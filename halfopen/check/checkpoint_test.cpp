#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/check/checkpoint.hpp>
#include <halfopen/check/typed_model.hpp>

namespace halfopen::check {
namespace {

namespace fs = std::filesystem;

/// Pairs of numbers below `limit`; the greatest pair goes back to the least.
struct pairs {
  struct state {
    std::uint32_t x, y;
  };
  std::uint32_t limit = 30;
  void initial(auto emit) const { emit(state{0, 0}, 0); }
  void next(state s, auto emit) const {
    if (s.x < limit) emit(state{s.x + 1, s.y}, 1);
    if (s.y < limit) emit(state{s.x, s.y + 1}, 2);
    if (s.x == limit && s.y == limit) emit(state{0, 0}, 3);
  }
  static std::string action_name(action_id a) { return std::to_string(a); }
  static std::string show(state) { return {}; }
  static constexpr auto invariants() {
    return std::array{state_property<pairs>{"True", [](auto&, auto&) { return true; }}};
  }
};

class checkpoint : public testing::Test {
 protected:
  result explored(options how) const {
    how.checkpoint.file = file;
    how.checkpoint.model = model_number;
    typed_model<pairs> m;
    return explore(m, how);
  }
  std::string content() const {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  void write(std::string const& text) const { std::ofstream{file, std::ios::binary} << text; }

  temporary_folder const folder;
  std::string const file = folder / "search";
  word model_number = 7;
};

TEST_F(checkpoint, a_search_that_was_stopped_again_and_again_ends_like_one_that_was_not) {
  typed_model<pairs> m;
  auto const whole = explore(m, {.keep_graph = true});
  for (unsigned n : {1U, 2U}) {
    result r;
    int runs = 0;
    for (std::uint64_t most = 100;; most += 100, ++runs) {
      r = explored(
          {.keep_graph = true, .stop_at = {.states_max = most}, .workers = {.count = n, .from_round = 0}});
      if (r.found != verdict::not_finished) break;
      EXPECT_TRUE(r.checkpoint.written) << r.checkpoint.failed;
      EXPECT_LE(r.checkpoint.resumed_at, r.counts.distinct);
    }
    EXPECT_EQ(runs, 9);
    EXPECT_GT(r.checkpoint.resumed_at, 800U) << "a run goes on from the one before it";
    EXPECT_EQ(r.counts, whole.counts);
    for (state_id s = 0; s < whole.states->size(); ++s) {
      EXPECT_THAT(r.states->state(s), testing::ElementsAreArray(whole.states->state(s)));
      EXPECT_EQ(r.states->parent(s), whole.states->parent(s));
      EXPECT_THAT(r.states->steps(s), testing::ElementsAreArray(whole.states->steps(s)));
    }
    fs::remove(file);
  }
}

TEST_F(checkpoint, is_written_when_it_is_due) {
  int asked = 0;
  auto const r = explored({.checkpoint = {.due = [&] { return ++asked == 3; }}});
  EXPECT_EQ(r.found, verdict::holds);
  EXPECT_TRUE(r.checkpoint.written);
  auto const again = explored({});
  EXPECT_GT(again.checkpoint.resumed_at, 0U);
  EXPECT_EQ(again.counts, r.counts);
}

TEST_F(checkpoint, of_another_model_or_with_other_questions_is_refused) {
  (void)explored({.stop_at = {.states_max = 50}});
  EXPECT_THROW((void)explored({.keep_graph = true}), checkpoint_refused);
  model_number = 8;
  EXPECT_THROW((void)explored({}), checkpoint_refused);
}

TEST_F(checkpoint, that_is_torn_or_changed_anywhere_is_refused) {
  (void)explored({.keep_graph = true, .stop_at = {.states_max = 12}});
  auto const good = content();
  for (std::size_t length = 0; length < good.size(); ++length) {
    write(good.substr(0, length));
    EXPECT_THROW((void)explored({.keep_graph = true}), checkpoint_refused) << length;
  }
  for (std::size_t i = 0; i < good.size(); i += 3) {
    auto bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 4);
    write(bad);
    EXPECT_THROW((void)explored({.keep_graph = true}), checkpoint_refused) << i;
  }
  write(good);
  EXPECT_EQ(explored({.keep_graph = true}).found, verdict::holds);
}

TEST_F(checkpoint, that_cannot_be_written_does_not_change_what_is_found) {
  fs::remove_all(folder.path());
  auto const r = explored({.checkpoint = {.due = [] { return true; }}});
  EXPECT_EQ(r.found, verdict::holds);
  EXPECT_EQ(r.counts.distinct, 31U * 31U);
  EXPECT_FALSE(r.checkpoint.written);
  EXPECT_THAT(r.checkpoint.failed, testing::HasSubstr("cannot be written"));
}

TEST_F(checkpoint, that_fails_half_way_leaves_the_one_before_it) {
  (void)explored({.stop_at = {.states_max = 50}});
  auto const before = content();
  fs::create_directories(file + ".new");  // nothing can be written there
  auto const r = explored({.stop_at = {.states_max = 500}});
  EXPECT_FALSE(r.checkpoint.written);
  EXPECT_EQ(content(), before);
}

}  // namespace
}  // namespace halfopen::check
