#include <functional>

#include <halfopen/app/completion.hpp>

namespace halfopen::app {
namespace {

using visit = std::function<void(std::string const& path, command_info const& c)>;

// Each command with the words that lead to it: "", "serve", "config show".
void each(command_info const& c, std::string const& path, visit const& f) {
  f(path, c);
  for (auto const& b : c.below) each(b, path.empty() ? b.name : path + " " + b.name, f);
}

std::string words_of(command_info const& c) {
  std::string out;
  auto const add = [&](std::string const& w) { out += (out.empty() ? "" : " ") + w; };
  for (auto const& b : c.below) add(b.name);
  for (auto const& w : c.words) add(w);
  for (auto const& o : c.options)
    for (auto const& n : o.names) add(n);
  return out;
}

// In single quotes, for all three shells: a quote inside ends them, and begins them again.
std::string in_quotes(std::string const& s) {
  std::string out = "'";
  for (char const c : s) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

// Options of which a file follows, and those of which one of a few words follows.
struct followers {
  std::string files;
  std::string words;  // whole case arms
};

followers followers_of(command_info const& root) {
  followers f;
  each(root, "", [&](std::string const&, command_info const& c) {
    for (auto const& o : c.options) {
      for (auto const& n : o.names) {
        if (!o.takes_value) continue;
        std::string words;
        for (auto const& v : o.values) words += (words.empty() ? "" : " ") + v;
        if (words.empty())
          f.files += (f.files.empty() ? "" : "|") + n;
        else
          f.words += "    " + n + ") COMPREPLY=($(compgen -W '" + words + "' -- \"$cur\")); return ;;\n";
      }
    }
  });
  return f;
}

std::string bash(command_info const& root) {
  std::string paths;
  std::string arms;
  each(root, "", [&](std::string const& path, command_info const& c) {
    if (!path.empty()) paths += (paths.empty() ? "" : "|") + in_quotes("/" + path);
    arms +=
        "    " + in_quotes(path.empty() ? "" : "/" + path) + ") words=" + in_quotes(words_of(c)) + " ;;\n";
  });
  auto const f = followers_of(root);
  return "# halfopen completion for bash: source <(halfopen completion bash)\n"
         "_halfopen() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path= words= w\n"
         "  for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    if [ -z \"$path\" ]; then w=\"/$w\"; else w=\"$path $w\"; fi\n"
         "    case \"$w\" in " +
         paths +
         ") path=$w ;; esac\n"
         "  done\n"
         "  case \"$prev\" in\n"
         "    " +
         f.files + ") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n" + f.words +
         "  esac\n"
         "  case \"$path\" in\n" +
         arms +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  if [ ${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- \"$cur\")); fi\n"
         "}\n"
         "complete -o filenames -F _halfopen halfopen\n";
}

// zsh's `_describe` takes "word:help"; a colon in either must be escaped.
std::string described(std::string const& word, std::string const& help) {
  std::string out;
  for (char const c : word + "\n" + help) {
    if (c == ':')
      out += "\\:";
    else
      out += c == '\n' ? ':' : c;
  }
  return in_quotes(out);
}

std::string zsh(command_info const& root) {
  std::string paths;
  std::string arms;
  each(root, "", [&](std::string const& path, command_info const& c) {
    if (!path.empty()) paths += (paths.empty() ? "" : "|") + in_quotes("/" + path);
    arms += "    " + in_quotes(path.empty() ? "" : "/" + path) + ")\n      words_here=(";
    for (auto const& b : c.below) arms += described(b.name, b.help) + " ";
    for (auto const& w : c.words) arms += described(w, "") + " ";
    for (auto const& o : c.options)
      for (auto const& n : o.names) arms += described(n, o.help) + " ";
    arms += ") ;;\n";
  });
  return "#compdef halfopen\n"
         "_halfopen() {\n"
         "  local at= w next\n"
         "  local -a words_here\n"
         "  for w in ${words[2,CURRENT-1]}; do\n"
         "    if [[ -z $at ]]; then next=\"/$w\"; else next=\"$at $w\"; fi\n"
         "    case $next in " +
         paths +
         ") at=$next ;; esac\n"
         "  done\n"
         "  case ${words[CURRENT-1]} in\n"
         "    " +
         followers_of(root).files +
         ") _files; return ;;\n"
         "  esac\n"
         "  case $at in\n" +
         arms +
         "  esac\n"
         "  _describe halfopen words_here || _files\n"
         "}\n"
         "compdef _halfopen halfopen\n";
}

std::string fish(command_info const& root) {
  std::string out =
      "# halfopen completion for fish\n"
      "function __halfopen_at\n"
      "  set -l words (commandline -opc)[2..-1]\n"
      "  test (string join ' ' -- (string match -v -- '-*' $words)) = \"$argv\"\n"
      "end\n";
  each(root, "", [&](std::string const& path, command_info const& c) {
    auto const when = "complete -c halfopen -n " + in_quotes("__halfopen_at " + path);
    for (auto const& b : c.below) out += when + " -f -a " + b.name + " -d " + in_quotes(b.help) + "\n";
    for (auto const& w : c.words) out += when + " -f -a " + w + "\n";
    for (auto const& o : c.options) {
      out += when;
      for (auto const& n : o.names) out += n.starts_with("--") ? " -l " + n.substr(2) : " -s " + n.substr(1);
      std::string values;
      for (auto const& v : o.values) values += (values.empty() ? "" : " ") + v;
      if (o.takes_value) out += values.empty() ? " -r" : " -x -a " + in_quotes(values);
      out += " -d " + in_quotes(o.help) + "\n";
    }
  });
  return out;
}

}  // namespace

std::string completion_script(shell s, command_info const& root) {
  switch (s) {
    case shell::bash: return bash(root);
    case shell::zsh: return zsh(root);
    case shell::fish: return fish(root);
  }
  return "";
}

}  // namespace halfopen::app
