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

/// The word whose row has that hash: each step of the hash can be undone.
word with_hash(std::uint64_t h) {
  auto const inverse = [](std::uint64_t odd) {
    auto x = odd;
    for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
    return x;
  };
  h ^= (h >> 29) ^ (h >> 58);
  h *= inverse(0x94D049BB133111EBULL);
  h ^= h >> 32;
  return (h * inverse(0xBF58476D1CE4E5B9ULL)) ^ 0x9E3779B97F4A7C15ULL;
}

TEST(row_index, tells_rows_apart_whose_hashes_are_alike) {
  index_of_numbers i;
  std::vector<word> alike;  // in the part and in the tag
  for (std::uint64_t n = 0; n < 50; ++n)
    alike.push_back(with_hash(0x1234567800000005ULL + n * row_index::parts));
  ASSERT_EQ(hash_of({&alike[3], 1}), 0x1234567800000005ULL + 3 * row_index::parts);
  i.round(alike);
  EXPECT_EQ(i.rows.size(), 50U);
  for (state_id n = 0; n < 50; ++n) EXPECT_EQ(i.find(alike[n]), n);
  i.round({with_hash(0x1234567800000005ULL + 50 * row_index::parts)});
  EXPECT_EQ(i.rows.size(), 51U);
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
