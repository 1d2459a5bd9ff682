#include <cerrno>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <halfopen/policy/breaker_shell.hpp>
#include <halfopen/policy/shared_breaker.hpp>

namespace halfopen {

// --- the lock and the journal

robust_mutex::robust_mutex() noexcept {
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex_, &how);
  pthread_mutexattr_destroy(&how);
}

bool robust_mutex::lock() noexcept {
  int const how = pthread_mutex_lock(&mutex_);
  if (how != EOWNERDEAD) {
    invariant(how == 0, "a robust lock can always be taken");
    return true;
  }
  // At once: if we die during the repair, the next one finds a dead holder again, and repairs again.
  pthread_mutex_consistent(&mutex_);
  return false;
}

void robust_mutex::unlock() noexcept { pthread_mutex_unlock(&mutex_); }

template <class Block>
void breaker_journal::open(Block const& b, breaker_storage const& s) noexcept {
  word_ = b.word.load(std::memory_order_relaxed);
  deadline_ = b.deadline.load(std::memory_order_relaxed);
  latest_ = b.latest.load(std::memory_order_relaxed);
  since_ = b.since.load(std::memory_order_relaxed);
  lease_ = b.lease;
  openings_ = b.openings;
  neutrals_ = b.neutrals;
  successes_ = b.successes;
  ramp_credit_ = b.ramp_credit;
  would_trip_ = b.would_trip;
  cause_ = b.cause;
  if (s.slots > 1) std::copy_n(s.leases, s.slots, s.leases + s.slots);
  armed_.exchange(1, std::memory_order_acq_rel);  // not a store: what follows must not move before it
}

template <class Block>
bool breaker_journal::restore(Block& b, breaker_storage const& s) noexcept {
  if (armed_.load(std::memory_order_acquire) == 0) return false;
  if (b.word.load(std::memory_order_relaxed) != word_) return false;  // the step is whole
  b.deadline.store(deadline_, std::memory_order_relaxed);
  b.latest.store(latest_, std::memory_order_relaxed);
  b.since.store(since_, std::memory_order_relaxed);
  b.lease = lease_;
  b.openings = openings_;
  b.neutrals = neutrals_;
  b.successes = successes_;
  b.ramp_credit = ramp_credit_;
  b.would_trip = would_trip_;
  b.cause = cause_;
  if (s.slots > 1) std::copy_n(s.leases + s.slots, s.slots, s.leases);
  return true;
}

template class breaker_core<shared_runtime>;

// --- the file

namespace {

using block = breaker_block<shared_runtime>;

constexpr std::uint64_t layout = 0x68616C666F700003;  // raise it whenever the block's meaning changes

// Of the settings, what the processes must agree on: how many failures in a row trip is each one's own.
window_config shape(window_config w) {
  if (w.kind == window_kind::consecutive) w.count = 0;
  return w;
}

struct header {
  std::uint64_t layout_version;
  char boot_id[40];
  window_config window;  // its shape
  std::uint32_t slots;
  std::uint32_t is_ready;

  friend bool operator==(header const&, header const&) = default;
};

// One after the other, without pointers: every process finds the parts by the same sums.
struct parts {
  std::size_t block_at = (sizeof(header) + 63) / 64 * 64;
  std::size_t leases_at;
  std::size_t words_at;
  std::size_t bytes;

  explicit parts(breaker_config const& c)
      : leases_at{(block_at + sizeof(block) + 63) / 64 * 64},
        words_at{leases_at + (c.probes > 1 ? 2 * c.probes * sizeof(lease) : 0)},  // twice: the journal's copy
        bytes{words_at + breaker_window::words_needed(c.window) * sizeof(std::uint32_t)} {}
};

header description(breaker_config const& c) {
  header h{
      .layout_version = layout, .boot_id = {}, .window = shape(c.window), .slots = c.probes, .is_ready = 1};
  if (int const fd = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC); fd >= 0) {
    if (::read(fd, h.boot_id, sizeof h.boot_id - 1) < 0) h.boot_id[0] = '?';
    ::close(fd);
  }
  return h;
}

// An open, locked file. The kernel lets go of the lock if we die with it.
class locked_file {
 public:
  explicit locked_file(std::string const& path)
      : fd_{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)} {
    if (fd_ >= 0 && ::flock(fd_, LOCK_EX) != 0) close();
  }
  ~locked_file() { close(); }
  locked_file(locked_file const&) = delete;
  locked_file& operator=(locked_file const&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  [[nodiscard]] std::size_t size() const {
    struct stat s{};
    return ::fstat(fd_, &s) == 0 ? static_cast<std::size_t>(s.st_size) : 0;
  }
  // Somebody may have put another file in its place while we waited for the lock.
  [[nodiscard]] bool is_still(std::string const& path) const {
    struct stat ours{};
    struct stat theirs{};
    return ::fstat(fd_, &ours) == 0 && ::stat(path.c_str(), &theirs) == 0 && ours.st_ino == theirs.st_ino &&
           ours.st_dev == theirs.st_dev;
  }

 private:
  void close() {
    if (fd_ < 0) return;
    ::flock(fd_, LOCK_UN);  // by hand: a mapping keeps the open file, and with it the lock, beyond close()
    ::close(fd_);
    fd_ = -1;
  }
  int fd_;
};

std::byte* map(locked_file const& file, std::size_t bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

breaker_storage storage_in(std::byte* memory, parts const& p, breaker_config const& c) {
  return {c.probes > 1 ? reinterpret_cast<lease*>(memory + p.leases_at) : nullptr, c.probes,
          reinterpret_cast<std::uint32_t*>(memory + p.words_at)};
}

// The header comes last: whoever dies in here leaves a file that nobody joins.
void prepare(std::byte* at, parts const& p, header const& h, breaker_config const& c, instant now) {
  auto& b = *::new (at + p.block_at) block{};
  breaker_core<shared_runtime> const starter{{&b}, storage_in(at, p, c), c, {.now = now}, true};
  std::memcpy(at, &h, sizeof h);
}

// The file's memory; or nothing, and errno. A file of another boot, layout or shape makes way for a new one:
// who still uses it goes on with it.
std::byte* enter(std::string const& path, parts const& p, breaker_config const& c, instant now) {
  header const wanted = description(c);
  for (;;) {
    locked_file const file{path};
    if (!file.is_open()) return nullptr;
    if (!file.is_still(path)) continue;
    bool const fresh = file.size() == 0;
    if (fresh && ::ftruncate(file.fd(), static_cast<off_t>(p.bytes)) != 0) return nullptr;
    std::byte* const at = fresh || file.size() == p.bytes ? map(file, p.bytes) : nullptr;
    if (fresh && at != nullptr) prepare(at, p, wanted, c, now);
    if (fresh || (at != nullptr && *reinterpret_cast<header*>(at) == wanted)) return at;
    if (at != nullptr) ::munmap(at, p.bytes);
    ::unlink(path.c_str());
  }
}

}  // namespace

expected<shared_breaker, std::string> shared_breaker::open(std::string const& path,
                                                           breaker_config const& config,
                                                           breaker_options const& options) {
  if (auto const problems = validate(config); has_errors(problems)) {
    return unexpected<std::string>{to_string(problems)};
  }
  parts const p{config};
  instant const now = options.now == instant::min() ? options.clock.now() : options.now;
  std::byte* const at = enter(path, p, config, now);
  if (at == nullptr) return unexpected<std::string>{path + ": " + std::strerror(errno)};
  auto& b = *reinterpret_cast<block*>(at + p.block_at);
  auto* const core =
      new breaker_core<shared_runtime>{{&b}, storage_in(at, p, config), config, options, false};
  return shared_breaker{at, p.bytes, core};
}

expected<void, std::vector<config_problem>> shared_breaker::reconfigure(breaker_config const& config,
                                                                        instant now) {
  auto problems = validate(config);
  auto const old = core_->config();
  if (shape(config.window) != shape(old.window)) {
    problems.push_back(
        {"window", "has another shape than the file that the processes share; open a new file for it"});
  }
  if (config.probes != old.probes) {
    problems.push_back({"probes", "is " + std::to_string(config.probes) +
                                      "; the file that the processes share has room for " +
                                      std::to_string(old.probes) + "; open a new file for it"});
  }
  if (has_errors(problems)) return unexpected<std::vector<config_problem>>{std::move(problems)};
  (void)core_->reconfigure(config, {}, now);
  return {};
}

shared_breaker::shared_breaker(shared_breaker&& other) noexcept
    : memory_{std::exchange(other.memory_, nullptr)},
      bytes_{other.bytes_},
      core_{std::exchange(other.core_, nullptr)} {}

shared_breaker& shared_breaker::operator=(shared_breaker&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  std::swap(core_, other.core_);
  return *this;
}

shared_breaker::~shared_breaker() {
  delete core_;
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

}  // namespace halfopen
