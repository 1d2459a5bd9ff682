#include <vector>

#include <gmock/gmock.h>

#include <halfopen/check/row_index.hpp>

namespace halfopen::check {
namespace {

struct index_of_numbers {
  row_arena rows{1};
  row_index index{rows};

  state_id find(word n) const { return index.find({&n, 1}, hash_of({&n, 1})); }

  /// One round by one thread: the numbers in order, given ids in that order.
  void round(std::vector<word> const& numbers) {
    index.begin_round();
    std::array<std::size_t, row_index::parts> count{};
    for (auto const& n : numbers) ++count[row_index::part_of(hash_of({&n, 1}))];
    for (std::uint32_t p = 0; p < row_index::parts; ++p) index.make_room(p, count[p]);
    std::vector<row_index::added> added;
    for (auto const& n : numbers) added.push_back(index.add(&n, hash_of({&n, 1})));
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (!added[k].fresh) continue;
      row const r{&numbers[k], 1};
      auto const id = rows.size();
      rows.grow(id + 1);
      rows.put(id, r);
      index.settle(hash_of(r), added[k].slot, static_cast<state_id>(id));
    }
    index.end_round();
  }
};

TEST(row_index, finds_what_it_was_given_and_nothing_else) {
  index_of_numbers i;
  std::vector<word> even;
  for (word n = 0; n < 20000; n += 2) even.push_back(n);
  i.round(even);
  for (word n = 0; n < 20000; ++n) EXPECT_EQ(i.find(n), n % 2 == 0 ? static_cast<state_id>(n / 2) : no_state);
}

TEST(row_index, of_equal_rows_in_a_round_the_first_is_new) {
  index_of_numbers i;
  i.round({7, 8, 7, 7, 9, 8});
  EXPECT_EQ(i.rows.size(), 3U);
  i.round({10, 11, 10});
  EXPECT_EQ(i.rows.size(), 5U);
  EXPECT_EQ(i.find(10), 3U);
  EXPECT_EQ(i.find(9), 2U);
}

TEST(row_index, needs_less_than_36_bytes_a_row_when_there_are_many) {
  index_of_numbers i;
  std::vector<word> some;
  for (word n = 0; n < 300000; ++n) {
    some.push_back(n);
    if (some.size() < 10000) continue;
    i.round(some);
    some.clear();
  }
  EXPECT_LT(i.index.bytes(), 36 * i.rows.size());
}

}  // namespace
}  // namespace halfopen::check
