#include <istream>
#include <ostream>

#include <halfopen/app/check_eval.hpp>
#include <halfopen/app/check_stack.hpp>
#include <halfopen/tla/prompt.hpp>

namespace halfopen::app {
namespace {

tla::verification to_open(check_command const& c) {
  return {.spec = c.spec,
          .config = c.config,
          .search_path = c.search_path,
          .stack_bytes = stack_bytes - stack_reserve,
          .config_optional = true};
}

exit_code refused(tla::report const& r, terminal& t) {
  t.err << tla::to_text(r);
  return static_cast<exit_code>(r.how);
}

exit_code evaluate_here(check_command const& c, terminal& t) {
  auto const opened = tla::prepare(to_open(c));
  if (!opened) return refused(opened.error(), t);
  tla::evaluator e{**opened};
  std::vector<tla::evaluated> all;
  for (auto const& text : c.evaluate) {
    auto value = e.evaluate(text);
    if (!value) {
      t.err << value.error().message << "\n";
      return static_cast<exit_code>(value.error().how);
    }
    if (!c.json) t.out << tla::to_text(*value);
    all.push_back(std::move(*value));
  }
  if (c.json) t.out << tla::to_json(all);
  return exit_code::done;
}

exit_code converse_here(check_command const& c, terminal& t) {
  auto const opened = tla::prepare(to_open(c));
  if (!opened) return refused(opened.error(), t);
  tla::prompt p{**opened};
  bool const prompts = t.in_is_terminal && t.out_is_terminal;
  if (prompts) t.out << p.greeting();
  for (std::string line; !p.ended();) {
    if (prompts) t.out << "> " << std::flush;
    if (t.in == nullptr || !std::getline(*t.in, line)) break;
    t.out << p.answer(line) << std::flush;
  }
  return exit_code::done;
}

}  // namespace

exit_code evaluate(check_command const& c, terminal& t) {
  auto code = exit_code::done;
  tla::with_stack(stack_bytes, [&] { code = evaluate_here(c, t); });
  return code;
}

exit_code converse(check_command const& c, terminal& t) {
  auto code = exit_code::done;
  tla::with_stack(stack_bytes, [&] { code = converse_here(c, t); });
  return code;
}

}  // namespace halfopen::app
