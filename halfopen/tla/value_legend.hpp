#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include <halfopen/check/model.hpp>
#include <halfopen/tla/value_pool.hpp>

namespace halfopen::tla {

/// Writes values so that another process can read them: a node as its place in a list of nodes, a name as its
/// place in a list of names. The legend is both lists; each node names only nodes before it.
class value_writer final : public check::word_writer {
 public:
  explicit value_writer(value_pool const& pool) : pool_{pool} {}

  [[nodiscard]] check::word written(check::word w) override;
  [[nodiscard]] std::vector<check::word> legend() override;

 private:
  [[nodiscard]] std::uint32_t name(std::uint32_t id, value of);

  value_pool const& pool_;
  std::unordered_map<std::uint64_t, std::uint32_t> nodes_;
  std::unordered_map<std::uint32_t, std::uint32_t> names_;
  std::vector<check::word> of_nodes_, of_names_;
};

/// The way back. Throws checkpoint_refused for what is no such legend.
[[nodiscard]] check::word_reader value_reader(value_pool& pool, std::span<check::word const> legend);

}  // namespace halfopen::tla
