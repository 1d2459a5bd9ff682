#include <algorithm>
#include <cctype>

#include <halfopen/tla/given_expression.hpp>

namespace halfopen::tla {
namespace {

bool is_letter(char c) noexcept { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) noexcept {
  auto const first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<diagnostic> one(std::string code, std::string found, std::string wanted, std::string hint,
                            expr const* at = nullptr) {
  auto const range = at != nullptr ? at->range : source_range{};
  return {{range.known() ? range.file->path : "(expression)", range.begin, severity::error, std::move(code),
           std::move(found), std::move(wanted), std::move(hint)}};
}

}  // namespace

expression_text with_name(std::string_view given) {
  given = trimmed(given);
  auto const end = static_cast<std::size_t>(std::ranges::find_if_not(given, is_letter) - given.begin());
  auto const rest = trimmed(given.substr(end));
  if (end == 0 || !rest.starts_with("==") || std::isdigit(static_cast<unsigned char>(given[0])) != 0)
    return {std::string{given}, std::string{given}};
  return {std::string{given.substr(0, end)}, std::string{trimmed(rest.substr(2))}, true};
}

expected<given_expression, std::vector<diagnostic>> given_expression::make(spec& s, model& m,
                                                                           std::string_view given) {
  using failed = unexpected<std::vector<diagnostic>>;
  auto text = with_name(given);
  if (text.text.empty())
    return failed{one("check.expression", "nothing", "a TLA+ expression", "for example 1 + 1")};
  auto const parsed = s.parse_expression(text.text);
  if (!parsed) return failed{parsed.error()};
  auto const& body = *(*parsed)->body;
  if (body.level == level::temporal)
    return failed{one("check.expression", "a temporal formula", "an expression of a state or a step",
                      "temporal formulas are checked of behaviours: name it as a PROPERTY", &body)};
  try {
    auto in = m.compiled_by().root();
    return given_expression{std::move(text), m.compiled_by().expression(body, in)};
  } catch (compile_error const& e) {
    return failed{one("check.expression", e.what, "an expression that can be evaluated", "",
                      e.at != nullptr ? e.at : &body)};
  } catch (value_error const& e) {
    return failed{one("check.expression", e.what, "an expression that can be evaluated", "", &body)};
  }
}

value given_expression::value_at(model& m, check::row state, check::row next) const {
  return m.asked("", state, next, [&] { return m.on().v.normal(run_.run->run(m.on())); });
}

}  // namespace halfopen::tla
