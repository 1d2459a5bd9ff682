#include <halfopen/app/command_grammar.hpp>
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

}  // namespace

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
  auto* const c = add(app, "config", "Shows configurations and what they may say",
                      "Examples:\n"
                      "  halfopen config show --effective             every setting that is in force\n"
                      "  halfopen config schema > halfopen.schema.json\n"
                      "  halfopen serve --check-config                is ./gateway.yaml right?");
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
  auto* const c = add(app, "audit", "Works on the audit log",
                      "Examples:\n"
                      "  halfopen audit verify                        is the log of ./gateway.yaml whole?\n"
                      "  halfopen audit verify --database halfopen.db --json");
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

}  // namespace halfopen::app
