#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <halfopen/net/call_batch.hpp>
#include <halfopen/net/list_link.hpp>
#include <halfopen/net/scratch_area.hpp>

namespace halfopen::net {

/// Small sends of one turn of a loop, which leave together when the turn ends.
///
/// On loopback a send is most of what a request costs: it wakes the peer, and the peer takes the processor
/// away from us as soon as we return to user space. Sends that leave in one call wake and switch less (a
/// sixth of a proxy's CPU time here; docs/decisions/0301). Where the kernel does not allow that, they leave
/// one by one. Threads: the loop's.
class send_queue {
 public:
  static constexpr std::size_t entries_max = call_ring::calls_max;
  static constexpr std::size_t copy_max = 4096;            // of one; copying more costs more than it saves
  static constexpr std::size_t storage_size = 128 * 1024;  // of all

  /// One socket's bytes on their way. Destroying it drops them.
  class entry : private list_link {
   public:
    entry() noexcept = default;
    [[nodiscard]] bool waiting() const noexcept { return !alone(); }

   protected:
    ~entry() { unlink(); }

   private:
    friend class send_queue;
    /// Not all of it has left. `a` and `b` are what has not (gone when this returns); error = errno, or 0: no
    /// room. May destroy this entry, and any other.
    virtual void on_unsent(std::string_view a, std::string_view b, int error) = 0;

    int fd_ = -1;
    int error_ = 0;
    std::string_view a_;
    std::string_view b_;
  };

  /// The bytes of an entry, in the order in which they are sent.
  struct bytes {
    std::string_view a;
    std::string_view b;
  };

  send_queue(scratch_area& scratch, call_batch& together) noexcept : scratch_{scratch}, together_{together} {}
  send_queue(send_queue const&) = delete;
  send_queue& operator=(send_queue const&) = delete;
  ~send_queue();

  /// Takes the bytes: those in the scratch area as they lie there, others by copy. `e` must not be waiting.
  /// False: too many, or no room; send them yourself.
  [[nodiscard]] bool add(entry& e, int fd, std::string_view a, std::string_view b = {}) noexcept;

  /// Takes an entry out. Its bytes stay where they are until the next flush().
  [[nodiscard]] bytes withdraw(entry& e) noexcept;

  /// Sends all. What is added meanwhile is left for the next time.
  void flush();

  /// Whether it holds so much that it should not wait for the turn's end.
  [[nodiscard]] bool is_full() const noexcept {
    return count_ > entries_max / 2 || scratch_.kept() > scratch_area::kept_max / 2;
  }

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

 private:
  [[nodiscard]] bool place(std::string_view& piece, std::size_t& used) noexcept;
  void call_for(entry& e, call_ring::call& call) noexcept;

  scratch_area& scratch_;
  call_batch& together_;
  list_link waiting_;
  std::size_t count_ = 0;
  std::size_t used_ = 0;  // of storage_, by copies
  std::unique_ptr<char[]> storage_;
  std::array<call_ring::call, entries_max> calls_;
  std::array<entry*, entries_max> owners_;
};

}  // namespace halfopen::net
