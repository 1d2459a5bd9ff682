#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include <halfopen/base/random.hpp>
#include <halfopen/tla/ast.hpp>
#include <halfopen/tla/values.hpp>

namespace halfopen::tla {

struct code;

/// An argument of a call that nobody has looked at yet, and the frame in which to look.
struct thunk {
  code const* run;
  value* frame;
};

/// What compiled code runs on: values, the frame of bound names, the current and the next state. One a
/// thread.
class machine {
 public:
  explicit machine(value_pool& pool, std::size_t stack_bytes = std::size_t{6} << 20);

  values v;
  value* frame;                // where bound names live
  value* top;                  // the first slot beyond the frame
  value const* now = nullptr;  // the variables' values in the current state
  value* next = nullptr;       // in the next one, as far as they are known; in Init, the state being built
  std::size_t variables = 0;

  expr const* at = nullptr;  // what is being evaluated, for messages; kept up by whatever can fail
  std::uint64_t state_number =
      0;  // changes whenever `now` does: what was computed for another state is stale
  std::uint64_t states_between = std::uint64_t{1} << 63;  // numbers of the states inside A \cdot B
  std::uint32_t action = 0;                               // the label of the action that is running
  std::uint32_t level = 0;                                // TLCGet("level"): the depth of the current state
  std::unordered_map<std::int32_t, value> registers{};    // TLCSet
  std::array<std::uint64_t, 4> statistics{};  // TLCGet("distinct"), "generated", "queue", "diameter"
  random_stream chance{0};                    // RandomElement: the same choices on every run
  std::vector<value> lists{};                 // of value_list
  std::string printed{};                      // what Print and PrintT said

  [[nodiscard]] bool stack_is_low() const noexcept {
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < stack_end_;
  }
  [[nodiscard]] bool has_room(std::size_t slots) const noexcept {
    return slots < static_cast<std::size_t>(end_ - top);
  }

 private:
  struct free_slots {
    void operator()(value* p) const noexcept { ::operator delete(p); }
  };
  std::unique_ptr<value, free_slots> slots_;  // not initialised: whatever enters a frame sets what it reads
  value* end_;
  std::uintptr_t stack_end_;
};

/// A list of values that grows while other code runs, on the machine's own stack of such lists: no allocation
/// in the end.
class value_list {
 public:
  explicit value_list(machine& m) noexcept : all_{m.lists}, first_{m.lists.size()} {}
  value_list(value_list const&) = delete;
  value_list& operator=(value_list const&) = delete;
  ~value_list() { all_.resize(first_); }

  void push_back(value v) { all_.push_back(v); }
  [[nodiscard]] std::span<value> get() noexcept { return std::span{all_}.subspan(first_); }

 private:
  std::vector<value>& all_;
  std::size_t first_;
};

/// An expression, ready to run.
struct code {
  virtual ~code() = default;
  virtual value run(machine& m) const = 0;
};

/// An action or an initial predicate, ready to run: finds each way to make it true and goes on with what
/// follows it. Returns true to stop looking (ENABLED has seen enough).
struct act {
  virtual ~act() = default;
  virtual bool run(machine& m) const = 0;
};

/// Thrown with the place of what failed.
struct evaluation_error {
  std::string what;
  expr const* at = nullptr;
};

[[noreturn]] inline void fail(machine& m, expr const& at, std::string what) {
  m.at = &at;
  throw value_error{std::move(what)};
}

/// The truth of a value that must be a boolean.
[[nodiscard]] inline bool truth(machine& m, value v, expr const& at) {
  if (!v.is_boolean()) [[unlikely]]
    fail(m, at, "expected a boolean, found " + m.v.described(v));
  return v.truth();
}
[[nodiscard]] inline bool truth(machine& m, code const& c, expr const& at) { return truth(m, c.run(m), at); }

}  // namespace halfopen::tla
