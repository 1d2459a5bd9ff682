#include <array>
#include <cstdint>
#include <new>

#include <halfopen/net/frame_pool.hpp>

namespace halfopen::net {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool recycle = false;  // a frame used after it was freed must be found
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool recycle = false;
#else
constexpr bool recycle = true;
#endif
#else
constexpr bool recycle = true;
#endif

constexpr std::size_t grain = 64;
constexpr std::size_t classes = 64;      // frames up to 4 kB
constexpr std::uint32_t kept_max = 256;  // of each class; a burst's memory goes back

struct free_frame_node {
  free_frame_node* next;
};

class cache {
 public:
  ~cache() {
    for (auto& list : lists_)
      while (list.first != nullptr) ::operator delete(pop(list));
  }

  void* take(std::size_t index) noexcept {
    auto& list = lists_[index];
    return list.first == nullptr ? nullptr : pop(list);
  }

  bool keep(void* frame, std::size_t index) noexcept {
    auto& list = lists_[index];
    if (list.kept == kept_max) return false;
    list.first = new (frame) free_frame_node{list.first};
    ++list.kept;
    return true;
  }

 private:
  struct list {
    free_frame_node* first = nullptr;
    std::uint32_t kept = 0;
  };

  static void* pop(list& l) noexcept {
    auto* const node = l.first;
    l.first = node->next;
    --l.kept;
    return node;
  }

  std::array<list, classes> lists_{};
};

// Thread-local because a coroutine's operator new is told nothing but a size; it holds memory, no state.
thread_local cache frames;

}  // namespace

void* allocate_frame(std::size_t size) {
  std::size_t const index = (size + grain - 1) / grain;
  if (!recycle || index >= classes) return ::operator new(size);
  if (void* const frame = frames.take(index)) return frame;
  return ::operator new(index * grain);
}

void free_frame(void* frame, std::size_t size) noexcept {
  std::size_t const index = (size + grain - 1) / grain;
  if (recycle && index < classes && frames.keep(frame, index)) return;
  ::operator delete(frame);
}

}  // namespace halfopen::net
