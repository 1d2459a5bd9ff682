#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include <halfopen/gateway/passage.hpp>
#include <halfopen/gateway/upstream_pool.hpp>

namespace halfopen::gateway {
namespace {

// The ways in which code that has not asked the policies might try to reach a tool. None compiles. That the
// questions themselves are well put is shown by the one way that does.
template <class Pool>
concept enters_without_a_passage =
    requires(Pool& p, exchange_order const& o, exchange_sink& s) { p.enter(o, s); };

template <class Pool>
concept enters_with_a_passage = requires(Pool& p, passage by, exchange_order const& o, exchange_sink& s) {
  p.enter(std::move(by), o, s);
};

template <class Pool>
concept enters_with_a_kept_passage =
    requires(Pool& p, passage& by, exchange_order const& o, exchange_sink& s) { p.enter(by, o, s); };

template <class Passage>
concept made_by_anyone = requires(host_plan const& h, attempt const& a) { Passage{h, std::size_t{0}, a}; };

template <class Pool>
concept dials_for_anyone = requires(Pool& p, exchange& e) { p.connect(e, true); };

static_assert(enters_with_a_passage<upstream_pool>);
static_assert(!enters_without_a_passage<upstream_pool>);
static_assert(!enters_with_a_kept_passage<upstream_pool>, "a passage is used up");
static_assert(!made_by_anyone<passage>, "only a call makes one");
static_assert(!std::is_default_constructible_v<passage>);
static_assert(!std::is_copy_constructible_v<passage>, "one attempt a passage");
static_assert(!dials_for_anyone<upstream_pool>);

TEST(passage, is_the_only_way_to_a_tool) { SUCCEED() << "held by the assertions above: this file compiles"; }

}  // namespace
}  // namespace halfopen::gateway
