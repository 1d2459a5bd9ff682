#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <halfopen/tla/standard.hpp>
#include <halfopen/tla/storage.hpp>

namespace halfopen::tla {

/// Finds modules, has them parsed and resolved, each once. Collects what is wrong with any of them.
class loader {
 public:
  explicit loader(spec::storage& s);

  module_scope* root(std::string text, std::string path);

  /// The module `name`, wanted at `where`. Null if it cannot be had; that has been reported then.
  module_scope* module(std::string_view name, source_range const& where);

  void report(source_range const& where, std::string code, std::string found, std::string expected,
              std::string hint = {});
  [[nodiscard]] std::size_t error_count() const noexcept { return errors_.size(); }
  void forget_errors(std::size_t from) { errors_.resize(from); }
  [[nodiscard]] std::vector<diagnostic> take_errors() noexcept { return std::move(errors_); }

  [[nodiscard]] spec::storage& storage() noexcept { return s_; }

 private:
  void add_language();
  definition const* add_primitive(standard_operator const& op, tla::module const* owner);
  module_scope* built_in(standard_module const& m, source_range const& where);
  module_scope* from_file(std::string_view name, source_range const& where);
  module_scope* from_text(source_file const& file, std::string_view wanted, bool standard);
  module_scope* circle(std::string_view name, source_range const& where);

  struct opened {
    std::string_view name;
    source_file const* file;
  };
  spec::storage& s_;
  std::vector<opened> in_progress_;
  std::vector<diagnostic> errors_;
};

}  // namespace halfopen::tla
