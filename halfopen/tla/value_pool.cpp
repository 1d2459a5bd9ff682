#include <algorithm>
#include <new>

#include <halfopen/tla/value_pool.hpp>

namespace halfopen::tla {

namespace {

constexpr std::size_t block_size = std::size_t{1} << 18;
constexpr std::size_t counted_at_once = 64;

std::uint64_t mixed(std::uint64_t h, std::uint64_t w) noexcept {
  h = (h ^ w) * 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 32);
}

std::uint64_t hash_of(node_kind k, std::span<value const> items) noexcept {
  auto h = mixed(0x94D049BB133111EBULL, static_cast<std::uint64_t>(k) << 32 | items.size());
  for (auto v : items) h = mixed(h, v.is_node() ? v.as_node()->hash : v.word());
  return h;
}

bool same(node const& n, std::uint64_t hash, node_kind k, std::span<value const> items) noexcept {
  return n.hash == hash && n.kind == k && n.size == items.size() && std::ranges::equal(n.items(), items);
}

/// Whether a set of this kind has no end, as far as can be told without looking at elements.
bool infinite(node_kind k, std::span<value const> items) noexcept {
  switch (k) {
    case node_kind::naturals:
    case node_kind::integers:
    case node_kind::reals:
    case node_kind::strings:
    case node_kind::anything:
    case node_kind::sequences: return true;
    case node_kind::power_set:
    case node_kind::function_set:
    case node_kind::product:
    case node_kind::record_set:
    case node_kind::cup: return std::ranges::any_of(items, is_infinite);
    case node_kind::cap: return std::ranges::all_of(items, is_infinite);
    case node_kind::minus: return is_infinite(items.front());
    case node_kind::tuple:
    case node_kind::function:
    case node_kind::set:
    case node_kind::interval: return false;
  }
  return false;
}

/// What is infinite cannot be built, so it is its own normal form.
bool normal_by_kind(node_kind k, std::span<value const> items) noexcept {
  return (k <= node_kind::set || infinite(k, items)) && std::ranges::all_of(items, is_normal);
}

}  // namespace

bool is_infinite(value v) noexcept { return is_set(v) && infinite(v.as_node()->kind, items(v)); }

namespace {

bool is_consecutive(node_kind k, std::span<value const> items) noexcept {
  return k == node_kind::set && !items.empty() && items.front().is_integer() && items.back().is_integer() &&
         items.back().integer() - std::int64_t{items.front().integer()} ==
             static_cast<std::int64_t>(items.size()) - 1;
}

}  // namespace

void* value_pool::arena::take(value_pool& from, std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(end_ - at_)) {
    auto const size = std::max(block_size, bytes);
    at_ = from.block(size);
    end_ = at_ + size;
  }
  auto* const taken = at_;
  at_ += bytes;
  return taken;
}

std::byte* value_pool::block(std::size_t bytes) {
  std::lock_guard const lock{blocks_mutex_};
  block_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return blocks_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(bytes)).get();
}

value_pool::value_pool() : buckets_(std::size_t{1} << 14) {}

value value_pool::make(arena& a, node_kind k, std::span<value const> items) {
  if (crowded() && !shared_.load(std::memory_order_relaxed)) grow();
  auto const hash = hash_of(k, items);
  auto& bucket = buckets_[hash & (buckets_.size() - 1)];
  auto* head = bucket.load(std::memory_order_acquire);
  for (auto* n = head; n != nullptr; n = n->next) {
    if (same(*n, hash, k, items)) return value::of(n);
  }
  auto const bytes = sizeof(node) + items.size_bytes();
  auto* fresh = new (a.take(*this, bytes)) node{hash,
                                                head,
                                                static_cast<std::uint32_t>(items.size()),
                                                k,
                                                normal_by_kind(k, items),
                                                is_consecutive(k, items)};
  std::ranges::uninitialized_copy(items, std::span{reinterpret_cast<value*>(fresh + 1), items.size()});
  while (!bucket.compare_exchange_weak(fresh->next, fresh, std::memory_order_acq_rel)) {
    // Somebody was quicker: what came before the head that we know has been looked at.
    for (auto* n = fresh->next; n != head; n = n->next) {
      if (same(*n, hash, k, items)) {
        a.give_back(bytes);
        return value::of(n);
      }
    }
    head = fresh->next;
  }
  if (++a.uncounted_ == counted_at_once) {  // seldom: all threads meet at the counter
    count_.fetch_add(a.uncounted_, std::memory_order_relaxed);
    a.uncounted_ = 0;
  }
  return value::of(fresh);
}

void value_pool::grow() {
  std::vector<std::atomic<node*>> wider(buckets_.size() * 4);
  for (auto& bucket : buckets_) {
    for (auto* n = bucket.load(std::memory_order_relaxed); n != nullptr;) {
      auto* const rest = n->next;
      auto& home = wider[n->hash & (wider.size() - 1)];
      n->next = home.load(std::memory_order_relaxed);
      home.store(n, std::memory_order_relaxed);
      n = rest;
    }
  }
  buckets_ = std::move(wider);
}

std::uint32_t value_pool::id_of(std::string_view text) {
  std::lock_guard const lock{names_mutex_};
  if (auto const known = name_ids_.find(text); known != name_ids_.end()) return known->second;
  auto const id = static_cast<std::uint32_t>(names_.size());
  name_ids_.emplace(names_.emplace_back(text), id);
  return id;
}

value value_pool::string(std::string_view text) { return value::string(id_of(text)); }

value value_pool::model_value(std::string_view name) {
  // A typed model value is a capital, an underscore and a name; 0 stands for untyped.
  bool const typed = name.size() > 2 && name[0] >= 'A' && name[0] <= 'Z' && name[1] == '_';
  return value::model(id_of(name), typed ? name[0] : '\0');
}

std::string_view value_pool::text(value v) const {
  std::lock_guard const lock{names_mutex_};
  return names_[v.name()];
}

}  // namespace halfopen::tla
