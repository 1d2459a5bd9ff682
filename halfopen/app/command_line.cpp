#include <algorithm>
#include <map>
#include <sstream>

// The one file that knows CLI11.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <halfopen/app/check_spellings.hpp>
#include <halfopen/app/cli_reference.hpp>
#include <halfopen/app/command.hpp>
#include <halfopen/app/topics.hpp>
#include <halfopen/base/diagnostic.hpp>
#include <halfopen/config/scalars.hpp>

namespace halfopen::app {
namespace {

constexpr char const* main_examples =
    "Examples:\n"
    "  halfopen demo                          a breaker trips, probes and recovers, before your eyes\n"
    "  halfopen init                          writes gateway.yaml, with comments\n"
    "  halfopen serve --config gateway.yaml   protects what that file names\n"
    "  halfopen status --watch                all breakers of a running gateway\n"
    "\n"
    "`halfopen COMMAND --help` has examples of each command; `halfopen help exit-codes` what they return.";

// Help in this project's manner: usage, what it does, options in columns, examples.
class plain_formatter final : public CLI::Formatter {
 public:
  plain_formatter() { column_width(34); }
  std::string make_usage(CLI::App const* app, std::string) const override {
    std::string name = app->get_name();
    for (auto const* above = app->get_parent(); above != nullptr; above = above->get_parent())
      name = above->get_name() + " " + name;
    std::string out = "Usage: " + name;
    if (!app->get_subcommands({}).empty()) out += " COMMAND";
    for (auto const* o : app->get_options([](CLI::Option const* o) { return o->get_positional(); }))
      out += o->get_required() ? " " + o->get_name() : " [" + o->get_name() + "]";
    return out + " [OPTIONS]\n";
  }
  std::string make_option_opts(CLI::Option const* o) const override {
    if (o->get_type_size() == 0) return "";
    return o->get_positional() ? "" : " " + o->get_type_name();
  }
  std::string make_footer(CLI::App const* app) const override {
    auto const text = app->get_footer();
    return text.empty() ? "" : text + "\n";
  }
};

// The whole command line as CLI11 sees it, with what it writes to.
struct grammar {
  CLI::App app{"A circuit breaker that is shown to be safe and to recover: the gateway and its tools."};
  command chosen = say{};
  serve_command serve;
  init_command init;
  status_command status;
  demo_command demo;
  config_show_command show;
  audit_verify_command verify;
  check_command check;
  std::string check_time = "0s", checkpoint_every = "10m";
  std::string trace_form = "text";
  std::optional<std::uint64_t> walks;
  bool difftrace = false;
  std::string log = "auto";
  std::string every = "1s";
  std::string shell_name;
  std::string topic;

  grammar();
  grammar(grammar const&) = delete;
  grammar& operator=(grammar const&) = delete;

 private:
  CLI::App* add(CLI::App& to, char const* name, char const* does, char const* footer);
  void add_serve();
  void add_init();
  void add_status();
  void add_demo();
  void add_config();
  void add_audit();
  void add_check();
  void add_simulate(CLI::App& c);
  void add_words();
};

CLI::Option* add_file(CLI::App& to, std::string const& names, std::filesystem::path& into,
                      std::string const& help) {
  auto* const o =
      to.add_option_function<std::string>(names, [&into](std::string const& s) { into = s; }, help);
  return o->type_name("FILE");
}

CLI::App* grammar::add(CLI::App& to, char const* name, char const* does, char const* footer) {
  auto* const sub = to.add_subcommand(name, does);
  sub->footer(footer);
  return sub;
}

void grammar::add_serve() {
  auto* const c =
      add(app, "serve", "Runs the gateway",
          "SIGTERM or Ctrl-C drains and ends (a second one ends at once), SIGHUP reads the file again.\n"
          "\n"
          "Examples:\n"
          "  halfopen serve                                  with ./gateway.yaml\n"
          "  halfopen serve --config pay.yaml --check-config is pay.yaml right?\n"
          "  kill -HUP $(pgrep -x halfopen)                  reload; breakers keep their state");
  add_file(*c, "--config,-c", serve.config, "The gateway's file (gateway.yaml)");
  c->add_flag("--check-config", serve.check_config, "Checks the file, reports, and ends");
  c->add_flag("--json", serve.json, "With --check-config: reports as JSON");
  add_file(*c, "--ready-file", serve.ready_file, "Written when the ports are open: their addresses, as JSON");
  c->add_option("--log", log, "How the log is written: text, json, auto (text on a terminal)")
      ->check(CLI::IsMember({"auto", "text", "json"}))
      ->type_name("FORM");
  c->callback([this] {
    serve.log = log == "text" ? log_format::text : log == "json" ? log_format::json : log_format::automatic;
    chosen = serve;
  });
}

void grammar::add_init() {
  auto* const c = add(app, "init", "Writes a configuration to start from, with comments",
                      "Examples:\n"
                      "  halfopen init                writes gateway.yaml\n"
                      "  halfopen init pay.yaml       writes pay.yaml");
  add_file(*c, "FILE", init.file, "What to write (gateway.yaml)");
  c->add_flag("--force", init.force, "Overwrites a file that is there");
  c->callback([this] { chosen = init; });
}

void grammar::add_status() {
  auto* const c = add(app, "status", "Shows all breakers of a running gateway",
                      "Examples:\n"
                      "  halfopen status                         the gateway of ./gateway.yaml\n"
                      "  halfopen status --watch                 again every second, until Ctrl-C\n"
                      "  halfopen status --json | jq .           for scripts\n"
                      "  halfopen status --admin 127.0.0.1:9090 --token-file admin.token");
  auto* const file = add_file(*c, "--config,-c", status.target.config, "The gateway's file (gateway.yaml)");
  c->add_option("--admin", status.target.address, "Where its admin API answers, if not as the file says")
      ->type_name("HOST:PORT");
  add_file(*c, "--token-file", status.target.token_file, "The file with its token, if not as the file says");
  c->add_flag("--watch,-w", status.watch, "Again and again, until Ctrl-C");
  c->add_option("--every", every, "With --watch: how often (1s)")->type_name("TIME");
  c->add_flag("--json", status.json, "As JSON");
  c->callback([this, file] {
    auto const length = config::codec<duration>::parse(every);
    if (!length || *length < std::chrono::milliseconds{50})
      throw CLI::ValidationError(
          "--every", "expected " + std::string{config::codec<duration>::what} + ", at least 50ms");
    status.every = *length;
    status.target.config_given = file->count() != 0;
    chosen = status;
  });
}

void grammar::add_demo() {
  auto* const c =
      add(app, "demo", "Shows a breaker trip, probe and recover; then keeps serving",
          "In one process: an upstream that fails on command, the gateway, and a little traffic.\n"
          "Nothing outside is used, and nothing is left behind.\n"
          "\n"
          "Examples:\n"
          "  halfopen demo            watch, then break the upstream yourself; Ctrl-C ends it\n"
          "  halfopen demo --once     ends after the first recovery");
  c->add_flag("--once", demo.once, "Ends after the first recovery; fails if there is none");
  c->add_flag("--json", demo.json, "A line of JSON for each thing that happens");
  c->callback([this] { chosen = demo; });
}

void grammar::add_config() {
  auto* const c = add(app, "config", "Shows configurations and what they may say", "");
  c->require_subcommand(1);
  auto* const s =
      add(*c, "show", "Shows a checked configuration",
          "Examples:\n"
          "  halfopen config show --effective             every setting of ./gateway.yaml that is in force\n"
          "  halfopen config show --json pay.yaml         what pay.yaml says, as JSON");
  add_file(*s, "FILE", show.file, "The gateway's file (gateway.yaml)");
  s->add_flag("--effective", show.effective, "With every default");
  s->add_flag("--json", show.json, "As JSON");
  s->callback([this] { chosen = show; });
  add(*c, "schema", "Prints a JSON schema of the file, for editors",
      "Examples:\n  halfopen config schema > halfopen.schema.json")
      ->callback([this] { chosen = config_schema_command{}; });
  add(*c, "reference", "Prints the reference page, in Markdown",
      "Examples:\n  halfopen config reference > configuration.md")
      ->callback([this] { chosen = config_reference_command{}; });
}

void grammar::add_audit() {
  auto* const c = add(app, "audit", "Works on the audit log", "");
  c->require_subcommand(1);
  auto* const v = add(*c, "verify", "Checks that no row of the audit log was edited, removed, added or moved",
                      "Examples:\n"
                      "  halfopen audit verify                        the database of ./gateway.yaml\n"
                      "  halfopen audit verify --database halfopen.db");
  add_file(*v, "--config,-c", verify.config, "The gateway's file (gateway.yaml)");
  add_file(*v, "--database", verify.database, "The database, if not as the file says");
  v->add_flag("--json", verify.json, "As JSON");
  v->callback([this] { chosen = verify; });
}

void grammar::add_check() {
  auto* const c = add(
      app, "check", "Model-checks a TLA+ spec",
      "Ends with TLC's exit codes: 0 no error, 10 assumption false, 11 deadlock, 12 invariant broken,\n"
      "13 property broken, 75 evaluation error, 150 error in the spec, 151 in the configuration;\n"
      "124 when a limit ended the search. TLC's spellings (-config F, -deadlock, -simulate num=N, ...) are\n"
      "understood.\n"
      "\n"
      "Examples:\n"
      "  halfopen check Paxos.tla                          with Paxos.cfg beside it\n"
      "  halfopen check Paxos.tla --config Small.cfg --stats\n"
      "  halfopen check Paxos.tla --trace html --trace-file paxos.html\n"
      "  halfopen check Paxos.tla --trace-expr 'n == Len(queue)' --trace-expr \"x' - x\"\n"
      "  halfopen check Paxos.tla --simulate 1000 --depth 50 --seed 7\n"
      "  halfopen check Paxos.tla --eval 'Cardinality(Quorums)'\n"
      "  halfopen check Paxos.tla --repl                   expressions and steps, a line at a time\n"
      "  halfopen check --all specs                        each .cfg against its `\\* expect:` line");
  add_file(*c, "SPEC", check.spec, "The module to check");
  add_file(*c, "--config,-c", check.config, "Its configuration (SPEC.cfg)");
  c->add_option_function<std::string>(
       "--all", [this](std::string const& s) { check.all = s; },
       "Checks every .cfg below a folder against its first line")
      ->type_name("DIR");
  c->add_option("--library", check.search_path, "Where else modules are looked for; may be repeated")
      ->type_name("DIR");
  c->add_flag("--no-deadlock", check.no_deadlock, "A state without a successor is no error");
  c->add_option("--workers", check.workers,
                "Threads; what is found does not depend on them. auto: all processors, once a model is large")
      ->type_name("N|auto")
      ->transform([](std::string const& n) { return n == "auto" ? std::string{"0"} : n; });
  c->add_option("--max-states", check.states_max, "Gives up after so many distinct states")->type_name("N");
  c->add_option("--max-depth", check.depth_max, "Gives up beyond this depth")->type_name("N");
  c->add_option("--memory", check.memory_max_mb, "Gives up when the states take so many MB")->type_name("MB");
  c->add_option("--time", check_time, "Gives up after so long")->type_name("TIME");
  c->add_option_function<std::string>(
       "--checkpoint", [this](std::string const& s) { check.checkpoint = s; },
       "Writes the search there now and then and when it is stopped; the same command goes on from it")
      ->type_name("DIR");
  c->add_option("--checkpoint-every", checkpoint_every, "How often (10m)")->type_name("TIME");
  c->add_option("--trace", trace_form,
                "How a counterexample is shown: text, diff, table, json, itf, tla, html")
      ->check(CLI::IsMember({"text", "diff", "table", "json", "itf", "tla", "html"}))
      ->type_name("FORM");
  add_file(*c, "--trace-file", check.trace_file, "Where the trace is written in that form");
  c->add_option("--trace-expr", check.trace_expressions,
                "Evaluated in each state of a counterexample; x' is the next state's. May be repeated; @FILE "
                "has one a line")
      ->type_name("EXPR")
      ->allow_extra_args(false);
  c->add_flag("--difftrace", difftrace, "The same as --trace diff: of each state only what changed");
  c->add_flag("--parse-only", check.parse_only, "Reads the spec and what it needs, and checks nothing");
  c->add_option("--eval", check.evaluate,
                "Prints the value of an expression of the module, and checks nothing; may be repeated")
      ->type_name("EXPR")
      ->allow_extra_args(false);
  c->add_flag("--repl", check.repl,
              "Reads expressions, definitions and steps, a line at a time; :help tells more");
  add_simulate(*c);
  c->add_flag("--force-liveness", check.force_liveness,
              "Checks temporal properties in spite of SYMMETRY or VIEW: the answer may be wrong");
  add_file(*c, "--junit", check.junit, "With --all: writes a report for CI servers");
  c->add_flag("--stats", check.stats, "Ends with a line of counts");
  c->add_flag("--json", check.json, "Reports as JSON");
  c->callback([this] {
    auto const length = [](char const* option, std::string const& text) {
      auto const parsed = config::codec<duration>::parse(text);
      if (!parsed || *parsed < duration{0})
        throw CLI::ValidationError(option, "expected " + std::string{config::codec<duration>::what});
      return *parsed;
    };
    check.time_max = length("--time", check_time);
    check.checkpoint_every = length("--checkpoint-every", checkpoint_every);
    check.simulate = walks.has_value();
    check.walks = walks.value_or(0);
    check.first_walk = std::max(check.first_walk, std::uint64_t{1});
    check.trace = tla::find_trace_form(difftrace ? "diff" : trace_form).value_or(tla::trace_form::text);
    chosen = check;
  });
}

void grammar::add_simulate(CLI::App& c) {
  c.add_option("--simulate", walks, "Takes N random walks in place of visiting every state; 0: without end")
      ->type_name("N");
  c.add_option("--depth", check.walk_depth, "States on a walk, at most (100)")->type_name("N");
  c.add_option("--seed", check.seed, "Where the walks' chance comes from, to repeat them")->type_name("N");
  c.add_option("--walk", check.first_walk, "The number of the first walk, to repeat one")->type_name("N");
}

void grammar::add_words() {
  auto* const c = add(app, "completion", "Prints a completion script for your shell",
                      "Examples:\n"
                      "  source <(halfopen completion bash)\n"
                      "  halfopen completion zsh > \"${fpath[1]}/_halfopen\"\n"
                      "  halfopen completion fish > ~/.config/fish/completions/halfopen.fish");
  c->add_option("SHELL", shell_name, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("");
  c->callback([this] {
    auto const which = shell_name == "zsh" ? shell::zsh : shell_name == "fish" ? shell::fish : shell::bash;
    chosen = completion_command{which};
  });
  auto* const h = add(app, "help", "Tells more about a topic, or a command",
                      "Examples:\n  halfopen help exit-codes\n  halfopen help serve");
  h->add_option("TOPIC", topic, "exit-codes, commands (all of them, in Markdown), or a command")
      ->type_name("");
}

grammar::grammar() {
  app.name("halfopen");
  app.formatter(std::make_shared<plain_formatter>());
  app.set_version_flag("--version", version_line(), "Prints the version");
  app.set_help_flag("--help,-h", "Prints this help");
  app.footer(main_examples);
  app.require_subcommand(0, 1);
  add_demo();
  add_init();
  add_serve();
  add_status();
  add_config();
  add_audit();
  add_check();
  add_words();
}

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

// What is wrong, with the word that was most likely meant.
say misunderstood(grammar const& g, std::vector<std::string> const& arguments, CLI::ParseError const& e) {
  std::string unknown;
  auto const* const at = deepest(g.app, arguments, unknown);
  if (!unknown.empty())
    return wrong("no command \"" + unknown + "\", expected one of: " + list_of(names_below(*at)),
                 nearest(unknown, names_below(*at)), at);
  for (auto const& a : arguments) {
    auto const name = a.substr(0, a.find('='));
    auto const known = option_names(*at);
    if (name.starts_with('-') && name != "--" && std::ranges::find(known, name) == known.end())
      return wrong("no option " + name, nearest(name, known), at);
  }
  return wrong(e.what(), "", at);
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
