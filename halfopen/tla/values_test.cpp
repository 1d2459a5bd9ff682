#include <gmock/gmock.h>

#include <halfopen/tla/values.hpp>

namespace halfopen::tla {
namespace {

class values_of : public testing::Test {
 protected:
  value_pool pool;
  values v{pool};

  value n(std::int32_t i) { return value::of(i); }
  value set(std::vector<value> all) { return v.set(all); }
  value tuple(std::vector<value> all) { return v.tuple(all); }
  value lazy(node_kind k, std::vector<value> all) { return v.lazy(k, all); }
};

TEST_F(values_of, equal_values_are_the_same_word) {
  EXPECT_EQ(set({n(3), n(1), n(2), n(1)}), set({n(1), n(2), n(3)}));
  EXPECT_NE(set({n(1)}), tuple({n(1)}));
  EXPECT_EQ(v.normal(v.interval(1, 3)), set({n(1), n(2), n(3)}));
}

TEST_F(values_of, a_function_on_1_to_n_is_a_tuple) {
  std::vector<value> results{n(7), n(8)};
  EXPECT_EQ(v.function(set({n(1), n(2)}), results), tuple({n(7), n(8)}));
  EXPECT_EQ(v.function(set({}), {}), tuple({}));
  EXPECT_FALSE(is_tuple(v.function(set({n(0), n(1)}), results)));
}

TEST_F(values_of, a_record_is_a_function_on_strings_whatever_the_order_of_its_fields) {
  std::vector<std::pair<value, value>> ab{{v.string("a"), n(1)}, {v.string("b"), n(2)}};
  std::vector<std::pair<value, value>> ba{{v.string("b"), n(2)}, {v.string("a"), n(1)}};
  EXPECT_EQ(v.record(ab), v.record(ba));
  EXPECT_EQ(v.text(v.record(ab)), "[a |-> 1, b |-> 2]");
}

TEST_F(values_of, what_cannot_be_compared_is_refused) {
  EXPECT_THROW((void)v.equal(n(1), v.string("a")), value_error);
  EXPECT_THROW((void)v.equal(set({n(1)}), set({v.string("a")})), value_error);
  EXPECT_THROW((void)v.member(v.string("a"), set({n(1), n(2)})), value_error);
  EXPECT_FALSE(v.equal(pool.model_value("m"), n(1)));
  EXPECT_THROW((void)v.equal(pool.model_value("T_m"), n(1)), value_error);
  EXPECT_THROW((void)v.equal(pool.model_value("T_m"), pool.model_value("S_m")), value_error);
}

TEST_F(values_of, lazy_sets_answer_as_the_built_ones_do) {
  auto const base = set({n(1), n(2), n(3)});
  auto const pairs = set({tuple({n(1), n(1)}), tuple({n(2), n(3)})});
  for (auto lazy_set :
       {lazy(node_kind::power_set, {base}), lazy(node_kind::function_set, {base, v.interval(0, 1)}),
        lazy(node_kind::product, {base, v.interval(1, 2)}), lazy(node_kind::power_set, {pairs})}) {
    auto const built = v.explicit_set(lazy_set);
    EXPECT_EQ(v.cardinality(lazy_set), static_cast<std::int64_t>(items(built).size()));
    std::vector<value> seen;
    v.each(lazy_set, [&](value e) { return seen.push_back(e), false; });
    EXPECT_TRUE(std::ranges::equal(seen, items(built)))
        << "in the order of the built set: " << v.text(lazy_set);
    for (auto e : items(built)) EXPECT_TRUE(v.member(e, lazy_set));
    EXPECT_TRUE(v.equal(lazy_set, built));
  }
  EXPECT_FALSE(v.member(set({n(4)}), lazy(node_kind::power_set, {base})));
}

TEST_F(values_of, a_large_codomain_is_not_built_to_count_or_to_look_inside) {
  std::vector<value> many;
  for (std::int32_t i = 0; i < 40; ++i) many.push_back(n(i));
  auto const subsets = lazy(node_kind::power_set, {v.set(many)});
  auto const functions = lazy(node_kind::function_set, {set({n(1)}), subsets});
  EXPECT_EQ(v.cardinality(functions), std::int64_t{1} << 40);
  EXPECT_TRUE(v.member(tuple({set({n(3), n(39)})}), functions));
}

TEST_F(values_of, infinite_sets_answer_membership_and_refuse_enumeration) {
  auto const nat = lazy(node_kind::naturals, {});
  EXPECT_TRUE(v.member(n(5), nat));
  EXPECT_FALSE(v.member(n(-5), nat));
  EXPECT_TRUE(v.member(n(-1), v.cup(nat, set({n(-1)}))));
  EXPECT_FALSE(v.member(n(0), v.minus(nat, set({n(0)}))));
  EXPECT_TRUE(v.member(tuple({n(1), n(2)}), lazy(node_kind::sequences, {nat})));
  EXPECT_THROW((void)v.explicit_set(nat), value_error);
  EXPECT_THROW((void)v.cardinality(nat), value_error);
}

TEST_F(values_of, the_pool_finds_what_it_has_after_it_has_grown) {
  std::vector<value> made;
  for (std::int32_t i = 0; i < 40000; ++i) made.push_back(tuple({n(i)}));
  EXPECT_FALSE(pool.crowded()) << "40000 nodes, and it began with 16384 chains";
  for (std::int32_t i = 0; i < 40000; ++i) ASSERT_EQ(tuple({n(i)}), made[static_cast<std::size_t>(i)]);
}

}  // namespace
}  // namespace halfopen::tla
