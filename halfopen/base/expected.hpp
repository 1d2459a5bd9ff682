#pragma once

#include <tl/expected.hpp>

namespace halfopen {

/// A value, or the reason why there is none (std::expected's shape, for C++20).
template <class T, class E>
using expected = tl::expected<T, E>;

template <class E>
using unexpected = tl::unexpected<E>;

}  // namespace halfopen
