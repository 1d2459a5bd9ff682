// What a healthy call does not do: write what others share, take a locked instruction, call anybody.
#include <new>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <halfopen/policy/basic_circuit_breaker.hpp>

namespace halfopen {
namespace {

using namespace std::chrono_literals;

constexpr instant now{1h};

template <class Breaker>
void call(Breaker& b) {
  if (auto permit = b.try_acquire(now)) std::move(*permit).success(now);
}

// Memory that can be made read-only.
class page {
 public:
  page() : at_{::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)} {}
  ~page() { ::munmap(at_, bytes); }
  page(page const&) = delete;
  page& operator=(page const&) = delete;

  [[nodiscard]] void* begin() const { return at_; }
  void allow(int what) const { ASSERT_EQ(::mprotect(at_, bytes, what), 0); }

 private:
  static constexpr std::size_t bytes = 4096;
  void* at_;
};

template <class Window>
class healthy_call : public ::testing::Test {};
using silent_windows = ::testing::Types<consecutive, call_window<100>>;
TYPED_TEST_SUITE(healthy_call, silent_windows);

TYPED_TEST(healthy_call, writes_nothing_that_others_share) {
  using breaker = basic_circuit_breaker<TypeParam>;
  static_assert(sizeof(breaker) <= 4096);
  page const memory;
  auto* const b = ::new (memory.begin()) breaker{{.minimum_calls = 10}, {.now = now}};
  for (int i = 0; i < 100; ++i) call(*b);  // a window that is filling is written to
  memory.allow(PROT_READ);
  for (int i = 0; i < 100; ++i) call(*b);  // a write would end the process
  memory.allow(PROT_READ | PROT_WRITE);
  EXPECT_EQ(b->state(), breaker_state::closed);
  b->~breaker();
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HALFOPEN_INSTRUMENTED
#endif
#endif

#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(HALFOPEN_INSTRUMENTED)

// As much of an instruction as these claims need.
struct instruction {
  bool is_locked = false;
  bool is_call = false;

  explicit instruction(std::uint8_t const* at) {
    bool is_prefix = true;
    for (; is_prefix; at += is_prefix ? 1 : 0) {
      is_prefix = *at == 0xF0 || *at == 0x66 || *at == 0xF2 || *at == 0xF3 || (*at & 0xF0) == 0x40;
      is_locked = is_locked || *at == 0xF0;
    }
    bool const in_memory = at[1] >> 6 != 3;
    bool const is_xchg = *at == 0x86 || *at == 0x87;
    is_locked = is_locked || (is_xchg && in_memory);  // needs no prefix
    is_call = *at == 0xE8 || (*at == 0xFF && (at[1] >> 3 & 7) == 2);
  }
};

struct path {
  int instructions = 0;
  int locked = 0;
  int calls = 0;
};

// Follows a child, instruction by instruction, through one call of a function; both have the same code.
template <class Act>
path followed(void (*function)(Act&), Act& act) {
  pid_t const pid = ::fork();
  if (pid == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    function(act);
    ::_exit(0);
  }
  path seen;
  std::uint64_t entry = 0;  // the stack there
  int how = 0;
  ::waitpid(pid, &how, 0);
  while (WIFSTOPPED(how)) {
    user_regs_struct r{};
    ::ptrace(PTRACE_GETREGS, pid, nullptr, &r);
    if (r.rip == reinterpret_cast<std::uint64_t>(function)) entry = r.rsp;
    if (entry != 0 && r.rsp > entry) break;  // returned
    if (entry != 0) {
      instruction const i{reinterpret_cast<std::uint8_t const*>(r.rip)};
      ++seen.instructions;
      seen.locked += i.is_locked ? 1 : 0;
      seen.calls += i.is_call ? 1 : 0;
    }
    ::ptrace(PTRACE_SINGLESTEP, pid, nullptr, nullptr);
    ::waitpid(pid, &how, 0);
  }
  ::kill(pid, SIGKILL);
  ::waitpid(pid, &how, 0);
  return seen;
}

[[gnu::noinline]] void one_call(circuit_breaker& b) { call(b); }
[[gnu::noinline]] void one_failure(circuit_breaker& b) {
  if (auto permit = b.try_acquire(now)) std::move(*permit).failure(now);
}

bool may_trace() {
  pid_t const pid = ::fork();
  if (pid == 0) ::_exit(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  int how = 0;
  ::waitpid(pid, &how, 0);
  return WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

TEST(healthy_path, takes_no_locked_instruction_and_calls_nobody) {
  if (!may_trace()) GTEST_SKIP() << "ptrace is not allowed here";
  for (window_config const w : {window_config{consecutive{5}}, window_config{call_window{.size = 100}}}) {
    circuit_breaker b{{.window = w}, {.now = now}};
    for (int i = 0; i < 100; ++i) call(b);
    path const healthy = followed(&one_call, b);
    EXPECT_EQ(healthy.locked, 0);
    EXPECT_EQ(healthy.calls, 0);
    EXPECT_GT(healthy.instructions, 8);
    EXPECT_LT(healthy.instructions, 60);
    path const failing = followed(&one_failure, b);  // what is looked for can be seen
    EXPECT_GT(failing.locked, 0);
    EXPECT_GT(failing.calls, 0);
  }
}

TEST(healthy_path, of_a_time_window_takes_one_locked_instruction) {
  if (!may_trace()) GTEST_SKIP() << "ptrace is not allowed here";
  circuit_breaker b{{.window = time_window{}}, {.now = now}};
  for (int i = 0; i < 100; ++i) call(b);
  EXPECT_EQ(followed(&one_call, b).locked, 1);
}

#endif

}  // namespace
}  // namespace halfopen
