#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <halfopen/base/diagnostic.hpp>
#include <halfopen/base/expected.hpp>
#include <halfopen/tla/ast.hpp>

namespace halfopen::tla {

/// What a name of the root module means; all null where it means nothing.
struct symbol {
  definition const* def = nullptr;
  declaration const* decl = nullptr;
  std::vector<instance_use> through;  // to the definition

  explicit operator bool() const noexcept { return def != nullptr || decl != nullptr; }
};

/// A root module with all that it extends and instances, names resolved. Owns every node.
class spec {
 public:
  struct storage;
  explicit spec(std::unique_ptr<storage> s) noexcept;
  spec(spec&&) noexcept;
  spec& operator=(spec&&) noexcept;
  ~spec();

  [[nodiscard]] module const& root() const noexcept;
  [[nodiscard]] std::vector<module const*> modules() const;
  [[nodiscard]] std::vector<diagnostic> const& warnings() const noexcept;
  [[nodiscard]] std::vector<std::string_view> texts()
      const;  // of all files, in the order in which they were read

  /// A name as a configuration writes it: "Init", or "I!Spec" through an instance without parameters.
  [[nodiscard]] symbol find(std::string_view name) const;
  [[nodiscard]] module const* find_module(std::string_view name) const;

  /// A name as the text of a module sees it, what is LOCAL there included.
  [[nodiscard]] symbol find_in(module const& m, std::string_view name) const;

  /// Every definition and declaration that the root module sees, for suggestions.
  [[nodiscard]] std::vector<std::string> names() const;

  /// Parses and resolves an expression in the root module's scope: for --eval and --trace-expr. Its binders'
  /// slots count from 0 in a frame of the returned definition's own.
  [[nodiscard]] expected<definition const*, std::vector<diagnostic>> parse_expression(std::string text);

 private:
  std::unique_ptr<storage> s_;
};

struct load_options {
  std::vector<std::string>
      search_path;  // where modules are looked for after the folder of the file that wants them
};

/// Reads, parses and resolves a file and every module it needs. On failure: every problem found, in order.
[[nodiscard]] expected<spec, std::vector<diagnostic>> load(std::string const& path,
                                                           load_options const& options = {});

/// The same from text, for tests: `path` names the text in messages.
[[nodiscard]] expected<spec, std::vector<diagnostic>> load_text(std::string text, std::string path,
                                                                load_options const& options = {});

}  // namespace halfopen::tla
