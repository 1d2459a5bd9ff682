#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <tuple>

#include <halfopen/config/check.hpp>
#include <halfopen/config/load.hpp>
#include <halfopen/config/reader.hpp>
#include <halfopen/config/yaml.hpp>

namespace halfopen::config {
namespace {

void resolve(std::filesystem::path& p, std::filesystem::path const& folder) {
  if (p.is_relative() && !folder.empty()) p = (folder / p).lexically_normal();
}

// Host names know no case (RFC 9110, 4.2.3).
void lower_hosts(gateway_config& c) {
  auto const lower = [](char x) { return x >= 'A' && x <= 'Z' ? static_cast<char>(x + 32) : x; };
  for (auto& r : c.routes) std::ranges::transform(r.host, r.host.begin(), lower);
}

// A small window of calls is not asked for more calls than it holds, unless the file asks.
void fit_minimum_calls(gateway_config& c, reader const& places) {
  for (auto& p : c.policies) {
    for (std::size_t i = 0; i < p.layers.size(); ++i) {
      auto* const b = std::get_if<circuit_breaker_spec>(&p.layers[i]);
      if (b == nullptr || b->settings.window.kind != window_kind::calls) continue;
      if (places.is_set("policies." + p.name + "[" + std::to_string(i) + "].circuit_breaker.minimum_calls"))
        continue;
      b->settings.minimum_calls = std::clamp(b->settings.window.count, 1U, b->settings.minimum_calls);
    }
  }
}

// Fills in what one setting takes from another, and what is relative to where the file stands.
void complete(gateway_config& c, reader const& places, std::filesystem::path const& file) {
  auto const folder = file.parent_path();
  resolve(c.admin.token_file, folder);
  resolve(c.storage.sqlite, folder);
  if (c.log.access != "stdout" && c.log.access != "stderr" && c.log.access != "off") {
    std::filesystem::path p{c.log.access};
    resolve(p, folder);
    c.log.access = p.string();
  }
  for (auto& t : c.tools)
    if (!places.is_set("tools." + t.name + ".request_body_max"))
      t.request_body_max = c.limits.request_body_max;
}

bool has_error(problems const& p) {
  return std::ranges::find(p, severity::error, &diagnostic::level) != p.end();
}

void sort_by_place(problems& p) {
  std::ranges::sort(p, {},
                    [](diagnostic const& d) { return std::tie(d.at.line, d.at.column, d.code, d.found); });
}

unexpected<problems> unreadable(std::filesystem::path const& file, std::string why) {
  return unexpected<problems>{problems{{file.string(),
                                        {},
                                        severity::error,
                                        "config.unreadable",
                                        std::move(why),
                                        "a file that can be read",
                                        "`halfopen init` writes one to start from"}}};
}

}  // namespace

expected<loaded, problems> read(std::string_view text, std::filesystem::path const& file) {
  problems found;
  auto const name = file.string();
  auto const tree = parse_yaml(text, name, found);
  if (tree == nullptr) return unexpected<problems>{std::move(found)};
  loaded out;
  out.written = tree;
  reader r{name, found};
  r.section_from(*tree, out.config);
  lower_hosts(out.config);
  fit_minimum_calls(out.config, r);
  check_references(out.config, r, name, found);
  if (!has_error(found)) {
    complete(out.config, r, file);
    check_sense(out.config, r, name, found);
  }
  sort_by_place(found);
  if (has_error(found)) return unexpected<problems>{std::move(found)};
  out.warnings = std::move(found);
  return out;
}

expected<loaded, problems> load(std::filesystem::path const& file) {
  std::error_code fault;
  auto const status = std::filesystem::status(file, fault);
  if (!std::filesystem::exists(status)) return unreadable(file, "no such file");
  if (std::filesystem::is_directory(status)) return unreadable(file, "a folder");
  errno = 0;
  std::ifstream in{file, std::ios::binary};
  if (!in) return unreadable(file, std::strerror(errno));
  // One byte more than is allowed, so that a text that is too large is seen to be.
  std::string text(text_bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return unreadable(file, std::strerror(errno));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return read(text, file);
}

policy_config const* gateway_config::policy(std::string_view name) const noexcept {
  auto const at = std::ranges::find(policies, name, &policy_config::name);
  return at == policies.end() ? nullptr : &*at;
}

tool_config const* gateway_config::tool(std::string_view name) const noexcept {
  auto const at = std::ranges::find(tools, name, &tool_config::name);
  return at == tools.end() ? nullptr : &*at;
}

}  // namespace halfopen::config
