#include <algorithm>
#include <charconv>

#include <halfopen/tla/counterexample.hpp>
#include <halfopen/tla/prompt.hpp>

namespace halfopen::tla {
namespace {

constexpr std::size_t listed_max = 30;  // states or steps that are listed at once

std::string_view trimmed(std::string_view text) noexcept {
  auto const first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// Whether it has the form `name == ...` or `name(a, b) == ...`.
bool is_definition(std::string_view line) noexcept {
  auto const letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  auto const name = std::ranges::find_if_not(line, letter) - line.begin();
  auto rest = trimmed(line.substr(static_cast<std::size_t>(name)));
  if (name == 0) return false;
  if (auto const close = rest.find(')'); rest.starts_with('(') && close != std::string_view::npos)
    rest = trimmed(rest.substr(close + 1));
  return rest.starts_with("==");
}

std::size_t number(std::string_view text) noexcept {
  std::size_t n = 0;
  auto const r = std::from_chars(text.data(), text.data() + text.size(), n);
  return r.ec == std::errc{} && r.ptr == text.data() + text.size() ? n : 0;
}

/// Places count lines from the expression, not from the definitions that stand before it.
std::string without_lines(std::string text, std::size_t lines) {
  constexpr std::string_view file = "(expression):";
  for (auto at = text.find(file); at != std::string::npos; at = text.find(file, at + file.size())) {
    auto const begin = at + file.size(), end = text.find(':', begin);
    auto const n = end == std::string::npos ? 0 : number(text.substr(begin, end - begin));
    if (n > lines) text.replace(begin, end - begin, std::to_string(n - lines));
  }
  return text;
}

std::string numbered(std::vector<std::string> const& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < listed_max; ++i)
    text += "  " + std::to_string(i + 1) + "  " + lines[i] + "\n";
  if (lines.size() > listed_max) text += "  ... and " + std::to_string(lines.size() - listed_max) + " more\n";
  return text;
}

}  // namespace

prompt::prompt(prepared& p) : p_{p}, evaluator_{p} {
  try {
    if (auto const& all = evaluator_.initial_states(); all.size() == 1) way_.push_back({all[0]});
  } catch (check::cannot_evaluate const&) {
    // Said when somebody asks for a state.
  }
}

std::string_view prompt::help() noexcept {
  return "  EXPR          its value: here, or in each initial state\n"
         "  Op(a) == EXPR defines Op for what follows\n"
         "  :init [N]     the initial states; goes to the Nth\n"
         "  :next [N]     the steps that are possible from here; takes the Nth\n"
         "  :back         takes the last step back\n"
         "  :state        the state here\n"
         "  :way          the states on the way here\n"
         "  :help, :quit\n";
}

std::string prompt::greeting() const {
  std::string text = "Module " + std::string{p_.spec.root().name} + ". An expression, or :help.\n";
  if (!way_.empty()) text += "Standing in its only initial state.\n";
  return text;
}

std::string prompt::answer(std::string_view line) {
  line = trimmed(line);
  if (line.empty()) return "";
  try {
    if (line[0] == ':') {
      auto const end = std::min(line.find(' '), line.size());
      return command(line.substr(1, end - 1), trimmed(line.substr(end)));
    }
    return is_definition(line) ? define(line) : value_of(line);
  } catch (check::cannot_evaluate const& failed) {
    return failed.why + "\n";
  }
}

std::string prompt::command(std::string_view word, std::string_view rest) {
  if (word == "quit" || word == "q") {
    ended_ = true;
    return "";
  }
  if (word == "help" || word == "h") return std::string{help()};
  if (word == "init") return initial(rest);
  if (word == "next" || word == "n") return next(rest);
  if (word == "back") return back();
  if (word == "state") return shown_here();
  if (word == "way") return way();
  auto const near = nearest(std::string{word}, {"init", "next", "back", "state", "way", "help", "quit"});
  return "no command :" + std::string{word} +
         (near.empty() ? "; see :help\n" : "; did you mean :" + near + "?\n");
}

std::string prompt::with_definitions(std::string_view expression) const {
  if (definitions_.empty()) return std::string{expression};
  std::string text = "LET";
  for (auto const& d : definitions_) text += " " + d + "\n";
  return text + "IN\n" + std::string{expression};
}

std::string prompt::define(std::string_view line) {
  std::string const name{line.substr(0, line.find_first_of(" (="))};
  auto const before = definitions_;
  std::erase_if(definitions_,
                [&](std::string const& d) { return d.substr(0, d.find_first_of(" (=")) == name; });
  definitions_.emplace_back(line);
  auto const tried = evaluator_.evaluate(with_definitions("TRUE"));
  if (tried) return name + " is defined\n";
  auto const lines = definitions_.size() - 1;
  definitions_ = before;
  return without_lines(tried.error().message, lines) + "\n(== defines a name; = compares)\n";
}

std::string prompt::value_of(std::string_view expression) {
  auto const v =
      evaluator_.evaluate(with_definitions(expression), way_.empty() ? nullptr : &way_.back().state);
  if (v) return to_text(*v);
  return without_lines(v.error().message, definitions_.empty() ? 0 : definitions_.size() + 1) + "\n";
}

std::string prompt::initial(std::string_view text) {
  auto const& all = evaluator_.initial_states();
  if (all.empty()) return "there is no initial state\n";
  if (auto const n = number(text); n >= 1 && n <= all.size()) {
    way_.clear();
    return stand_in({all[n - 1]});
  }
  if (!text.empty()) return "expected a number from 1 to " + std::to_string(all.size()) + "\n";
  std::vector<std::string> lines;
  for (auto const& s : all) lines.push_back(on_one_line(p_.model->shown(s, s)));
  return numbered(lines);
}

std::vector<prompt::choice> prompt::choices() {
  struct collector final : check::sink {
    void operator()(check::row to, check::action_id by) override {
      auto const same = [&](auto const& s) { return s.by == by && std::ranges::equal(s.state, to); };
      if (std::ranges::none_of(steps, same)) steps.push_back({{to.begin(), to.end()}, by});
    }
    std::vector<check::trace_step> steps;
  } found;
  auto const& here = way_.back().state;
  p_.model->at_level(static_cast<std::uint32_t>(way_.size()));
  p_.model->next(here, found);
  std::vector<choice> all;
  for (auto& s : found.steps) {
    auto const before = p_.model->shown(here, here);
    auto changed = p_.model->shown(s.state, s.state);
    std::size_t i = 0;
    std::erase_if(changed, [&](auto const& v) { return v.value == before.at(i++).value; });
    auto const name = p_.model->step(here, s.state, s.by).name;
    all.push_back({std::move(s), name + ": " + (changed.empty() ? "nothing changes" : on_one_line(changed))});
  }
  return all;
}

std::string prompt::next(std::string_view text) {
  if (way_.empty()) return "standing in no state: choose one with :init N\n";
  auto all = choices();
  if (all.empty()) return "no step is possible from here\n";
  if (auto const n = number(text); n >= 1 && n <= all.size()) return stand_in(std::move(all[n - 1].step));
  if (!text.empty()) return "expected a number from 1 to " + std::to_string(all.size()) + "\n";
  std::vector<std::string> lines;
  for (auto const& c : all) lines.push_back(c.text);
  return numbered(lines);
}

std::string prompt::back() {
  if (way_.size() < 2) return "this is where the way begins\n";
  way_.pop_back();
  return shown_here();
}

std::string prompt::way() {
  return way_.empty() ? "standing in no state: choose one with :init N\n"
                      : to_text(counterexample(way_, *p_.model), true);
}

std::string prompt::stand_in(check::trace_step step) {
  way_.push_back(std::move(step));
  auto text = shown_here();
  p_.model->at_level(static_cast<std::uint32_t>(way_.size() - 1));
  if (auto const broken = p_.model->broken_invariant(way_.back().state);
      broken != check::model::nothing_broken)
    text += "This state breaks " + p_.model->invariant_name(broken) + ".\n";
  return text;
}

std::string prompt::shown_here() {
  if (way_.empty()) return "standing in no state: choose one with :init N\n";
  return p_.model->show(way_.back().state);
}

}  // namespace halfopen::tla
