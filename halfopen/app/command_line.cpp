#include <algorithm>
#include <string_view>

#include <halfopen/app/check_spellings.hpp>
#include <halfopen/app/cli_reference.hpp>
#include <halfopen/app/command_grammar.hpp>
#include <halfopen/app/topics.hpp>
#include <halfopen/base/diagnostic.hpp>

namespace halfopen::app {
namespace {

CLI::App const* below(CLI::App const& app, std::string const& name) {
  auto const subs = app.get_subcommands([&](CLI::App const* s) { return s->get_name() == name; });
  return subs.empty() ? nullptr : subs.front();
}

std::vector<std::string> names_below(CLI::App const& app) {
  std::vector<std::string> names;
  for (auto const* s : app.get_subcommands({})) names.push_back(s->get_name());
  return names;
}

std::string list_of(std::vector<std::string> const& words) {
  std::string out;
  for (auto const& w : words) out += (out.empty() ? "" : ", ") + w;
  return out;
}

std::vector<std::string> option_names(CLI::App const& app) {
  std::vector<std::string> names;
  for (auto const* o : app.get_options([](CLI::Option const* o) { return o->nonpositional(); })) {
    for (auto const& n : o->get_lnames()) names.push_back("--" + n);
    for (auto const& n : o->get_snames()) names.push_back("-" + n);
  }
  return names;
}

std::string full_name(CLI::App const* app) {
  auto const* const above = app->get_parent();
  return (above == nullptr ? "" : full_name(above) + " ") + app->get_name();
}

// Follows the commands that the arguments name, as far as they name any.
CLI::App const* deepest(CLI::App const& app, std::vector<std::string> const& arguments,
                        std::string& unknown) {
  auto const* at = &app;
  for (auto const& a : arguments) {
    if (a.starts_with('-') || at->get_subcommands({}).empty()) continue;
    auto const* const next = below(*at, a);
    if (next == nullptr) {
      unknown = a;
      break;
    }
    at = next;
  }
  return at;
}

say wrong(std::string what, std::string const& near, CLI::App const* at) {
  if (!near.empty()) what += "; did you mean " + near + "?";
  return {what + " (see `" + full_name(at) + " --help`)", exit_code::usage};
}

bool is_negative(std::string_view a) { return a.size() > 1 && a[0] == '-' && a[1] >= '0' && a[1] <= '9'; }

// "Could not convert: --workers = many"
std::string in_our_words(CLI::ParseError const& e) {
  std::string_view text{e.what()};
  constexpr std::string_view refused = "Could not convert: ";
  auto const equals = text.find(" = ");
  if (!text.starts_with(refused) || equals == std::string_view::npos) return e.what();
  return std::string{text.substr(refused.size(), equals - refused.size())} + ": found " +
         std::string{text.substr(equals + 3)} + ", expected a whole number";
}

// What is wrong, with the word that was most likely meant.
say misunderstood(grammar const& g, std::vector<std::string> const& arguments, CLI::ParseError const& e) {
  std::string unknown;
  auto const* const at = deepest(g.app, arguments, unknown);
  if (!unknown.empty())
    return wrong("no command \"" + unknown + "\", expected one of: " + list_of(names_below(*at)),
                 nearest(unknown, names_below(*at)), at);
  auto const known = option_names(*at);
  std::string before;
  for (auto const& a : arguments) {
    auto const name = a.substr(0, a.find('='));
    if (is_negative(a) && std::ranges::find(known, before) != known.end())
      return wrong(before + ": found " + a + ", expected nothing below zero", "", at);
    before = a;
    if (name.starts_with('-') && name != "--" && std::ranges::find(known, name) == known.end())
      return wrong("no option " + name, nearest(name, known), at);
  }
  return wrong(in_our_words(e), "", at);
}

say help_on(grammar const& g) {
  if (g.topic.empty()) return {grammar{}.app.help()};  // `g` would delegate to the command it has parsed
  if (g.topic == "commands") return {cli_reference(describe_commands())};
  if (auto const text = topic_text(g.topic); !text.empty()) return {text};
  if (auto const* const c = below(g.app, g.topic); c != nullptr) return {c->help()};
  auto known = names_below(g.app);
  for (auto const& t : topic_names()) known.push_back(t);
  return wrong("no topic \"" + g.topic + "\"", nearest(g.topic, known), &g.app);
}

command_info described(CLI::App const& app) {
  command_info out{app.get_name(), app.get_description(), app.help(), {}, {}, {}};
  for (auto const* o : app.get_options({})) {
    option_info info{{}, o->get_description(), {}, o->get_type_size() != 0};
    for (auto const& n : o->get_lnames()) info.names.push_back("--" + n);
    for (auto const& n : o->get_snames()) info.names.push_back("-" + n);
    if (!info.names.empty()) out.options.push_back(std::move(info));
  }
  for (auto const* s : app.get_subcommands({})) out.below.push_back(described(*s));
  return out;
}

void give_words(command_info& c, std::string const& name, std::vector<std::string> words) {
  auto const at = std::find_if(c.below.begin(), c.below.end(), [&](auto const& b) { return b.name == name; });
  if (at != c.below.end()) at->words = std::move(words);
}

void give_values(command_info& c, std::string const& option, std::vector<std::string> const& values) {
  for (auto& b : c.below)
    for (auto& o : b.options)
      if (std::ranges::find(o.names, option) != o.names.end()) o.values = values;
}

}  // namespace

command parse(std::vector<std::string> const& given) {
  auto const arguments = without_tlc_spellings(given);
  grammar g;
  try {
    std::vector<std::string> reversed{arguments.rbegin(), arguments.rend()};
    g.app.parse(reversed);
  } catch (CLI::CallForHelp const&) {
    std::string unknown;
    return say{deepest(g.app, arguments, unknown)->help()};
  } catch (CLI::CallForVersion const&) {
    return say{version_line() + "\n"};
  } catch (CLI::ParseError const& e) {
    return misunderstood(g, arguments, e);
  }
  if (arguments.empty()) return say{g.app.help(), exit_code::usage};
  if (arguments.front() == "help") return help_on(g);
  return g.chosen;
}

command_info describe_commands() {
  grammar const g;
  auto out = described(g.app);
  give_words(out, "completion", {"bash", "zsh", "fish"});
  auto topics = names_below(g.app);
  for (auto const& t : topic_names()) topics.push_back(t);
  give_words(out, "help", std::move(topics));
  give_values(out, "--log", {"auto", "text", "json"});
  give_values(out, "--trace", {"text", "diff", "table", "json", "itf", "tla", "html"});
  return out;
}

std::string version_line() { return "halfopen " HALFOPEN_VERSION; }

}  // namespace halfopen::app
