#include <halfopen/tla/machine.hpp>

namespace halfopen::tla {

namespace {
constexpr std::size_t slots_max = std::size_t{1} << 23;  // 64 MB of addresses; touched as recursion goes deep
}

machine::machine(value_pool& pool, std::size_t stack_bytes)
    : v{pool},
      slots_{static_cast<value*>(::operator new(slots_max * sizeof(value)))},
      end_{slots_.get() + slots_max},
      stack_end_{reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - stack_bytes} {
  frame = slots_.get();
  top = frame;
}

}  // namespace halfopen::tla
