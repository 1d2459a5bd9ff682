#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include <halfopen/tla/operators.hpp>

namespace halfopen::tla {
namespace {

using enum fixity;
constexpr auto left = associativity::left;
constexpr auto none = associativity::none;

constexpr auto uses = std::to_array<operator_use>({
    // clang-format off
    {"~", prefix, 4, 4, none}, {"ENABLED", prefix, 4, 15, none}, {"UNCHANGED", prefix, 4, 15, none},
    {"[]", prefix, 4, 15, none}, {"<>", prefix, 4, 15, none}, {"SUBSET", prefix, 8, 8, none},
    {"UNION", prefix, 8, 8, none}, {"DOMAIN", prefix, 9, 9, none}, {"-.", prefix, 12, 12, none},

    {"=>", infix, 1, 1, none}, {"-+->", infix, 2, 2, none}, {"<=>", infix, 2, 2, none}, {"~>", infix, 2, 2, none},
    {"/\\", infix, 3, 3, left}, {"\\/", infix, 3, 3, left},
    {"#", infix, 5, 5, none}, {"=", infix, 5, 5, none}, {"<", infix, 5, 5, none}, {">", infix, 5, 5, none},
    {"<=", infix, 5, 5, none}, {">=", infix, 5, 5, none}, {"-|", infix, 5, 5, none}, {"::=", infix, 5, 5, none},
    {":=", infix, 5, 5, none}, {"=|", infix, 5, 5, none}, {"|-", infix, 5, 5, none}, {"|=", infix, 5, 5, none},
    {"\\approx", infix, 5, 5, none}, {"\\asymp", infix, 5, 5, none}, {"\\cong", infix, 5, 5, none},
    {"\\doteq", infix, 5, 5, none}, {"\\gg", infix, 5, 5, none}, {"\\in", infix, 5, 5, none},
    {"\\notin", infix, 5, 5, none}, {"\\ll", infix, 5, 5, none}, {"\\prec", infix, 5, 5, none},
    {"\\preceq", infix, 5, 5, none}, {"\\propto", infix, 5, 5, none}, {"\\sim", infix, 5, 5, none},
    {"\\simeq", infix, 5, 5, none}, {"\\sqsubset", infix, 5, 5, none}, {"\\sqsubseteq", infix, 5, 5, none},
    {"\\sqsupset", infix, 5, 5, none}, {"\\sqsupseteq", infix, 5, 5, none}, {"\\subset", infix, 5, 5, none},
    {"\\subseteq", infix, 5, 5, none}, {"\\succ", infix, 5, 5, none}, {"\\succeq", infix, 5, 5, none},
    {"\\supset", infix, 5, 5, none}, {"\\supseteq", infix, 5, 5, none},
    {"\\cdot", infix, 5, 14, left}, {"@@", infix, 6, 6, left}, {":>", infix, 7, 7, none}, {"<:", infix, 7, 7, none},
    {"\\", infix, 8, 8, none}, {"\\cap", infix, 8, 8, left}, {"\\cup", infix, 8, 8, left},
    {"..", infix, 9, 9, none}, {"...", infix, 9, 9, none}, {"!!", infix, 9, 13, none}, {"##", infix, 9, 13, left},
    {"$", infix, 9, 13, left}, {"$$", infix, 9, 13, left}, {"??", infix, 9, 13, left},
    {"\\sqcap", infix, 9, 13, left}, {"\\sqcup", infix, 9, 13, left}, {"\\uplus", infix, 9, 13, left},
    {"\\wr", infix, 9, 14, none}, {"(+)", infix, 10, 10, left}, {"+", infix, 10, 10, left},
    {"++", infix, 10, 10, left}, {"%", infix, 10, 11, none}, {"%%", infix, 10, 11, left}, {"|", infix, 10, 11, left},
    {"||", infix, 10, 11, left}, {"\\X", infix, 10, 13, left}, {"(-)", infix, 11, 11, left},
    {"-", infix, 11, 11, left}, {"--", infix, 11, 11, left}, {"&", infix, 13, 13, left}, {"&&", infix, 13, 13, left},
    {"(.)", infix, 13, 13, left}, {"(/)", infix, 13, 13, none}, {"(\\X)", infix, 13, 13, left},
    {"*", infix, 13, 13, left}, {"**", infix, 13, 13, left}, {"/", infix, 13, 13, none}, {"//", infix, 13, 13, none},
    {"\\bigcirc", infix, 13, 13, left}, {"\\bullet", infix, 13, 13, left}, {"\\div", infix, 13, 13, none},
    {"\\o", infix, 13, 13, left}, {"\\star", infix, 13, 13, left}, {"^", infix, 14, 14, none},
    {"^^", infix, 14, 14, none},

    {"^+", postfix, 15, 15, none}, {"^*", postfix, 15, 15, none}, {"^#", postfix, 15, 15, none},
    {"'", postfix, 15, 15, none},
    // clang-format on
});

struct spelling {
  std::string_view written;
  std::string_view name;
};

constexpr auto other_spellings = std::to_array<spelling>({
    // clang-format off
    {"\\lnot", "~"}, {"\\neg", "~"}, {"¬", "~"}, {"□", "[]"}, {"◇", "<>"}, {"⇒", "=>"}, {"⇸", "-+->"},
    {"\\equiv", "<=>"}, {"≡", "<=>"}, {"⇔", "<=>"}, {"↝", "~>"}, {"\\land", "/\\"}, {"∧", "/\\"}, {"\\lor", "\\/"},
    {"∨", "\\/"}, {"/=", "#"}, {"≠", "#"}, {"=<", "<="}, {"\\leq", "<="}, {"≤", "<="}, {"\\geq", ">="}, {"≥", ">="},
    {"⊣", "-|"}, {"⩴", "::="}, {"≔", ":="}, {"⫤", "=|"}, {"⊢", "|-"}, {"⊨", "|="}, {"≈", "\\approx"},
    {"≍", "\\asymp"}, {"≅", "\\cong"}, {"≐", "\\doteq"}, {"≫", "\\gg"}, {"∈", "\\in"}, {"∉", "\\notin"},
    {"≪", "\\ll"}, {"≺", "\\prec"}, {"⪯", "\\preceq"}, {"≼", "\\preceq"}, {"∝", "\\propto"}, {"∼", "\\sim"},
    {"≃", "\\simeq"}, {"⊏", "\\sqsubset"}, {"⊑", "\\sqsubseteq"}, {"⊐", "\\sqsupset"}, {"⊒", "\\sqsupseteq"},
    {"⊂", "\\subset"}, {"⊆", "\\subseteq"}, {"≻", "\\succ"}, {"⪰", "\\succeq"}, {"≽", "\\succeq"}, {"⊃", "\\supset"},
    {"⊇", "\\supseteq"}, {"⋅", "\\cdot"}, {"·", "\\cdot"}, {"∩", "\\cap"}, {"\\intersect", "\\cap"}, {"∪", "\\cup"},
    {"\\union", "\\cup"}, {"‥", ".."}, {"…", "..."}, {"‼", "!!"}, {"⁇", "??"}, {"⊓", "\\sqcap"}, {"⊔", "\\sqcup"},
    {"⊎", "\\uplus"}, {"≀", "\\wr"}, {"\\oplus", "(+)"}, {"⊕", "(+)"}, {"‖", "||"}, {"×", "\\X"}, {"\\times", "\\X"},
    {"\\ominus", "(-)"}, {"⊖", "(-)"}, {"\\odot", "(.)"}, {"⊙", "(.)"}, {"\\oslash", "(/)"}, {"⊘", "(/)"},
    {"\\otimes", "(\\X)"}, {"⊗", "(\\X)"}, {"◯", "\\bigcirc"}, {"●", "\\bullet"}, {"÷", "\\div"}, {"∘", "\\o"},
    {"\\circ", "\\o"}, {"⋆", "\\star"}, {"⁺", "^+"}, {"′", "'"},
    // clang-format on
});

constexpr auto punctuation = std::to_array<spelling>({
    {"≜", "=="},
    {"⟨", "<<"},
    {"⟩_", ">>_"},
    {"⟩", ">>"},
    {"↦", "|->"},
    {"→", "->"},
    {"←", "<-"},
    {"∷", "::"},
    {"∀", "\\A"},
    {"∃", "\\E"},
});

using name_map = std::unordered_map<std::string_view, std::string_view>;

name_map const& names() {
  static name_map const map = [] {
    name_map m;
    for (auto const& u : uses) m.emplace(u.name, u.name);
    for (auto const& s : other_spellings) m.emplace(s.written, s.name);
    return m;
  }();
  return map;
}

constexpr std::size_t spelling_longest = 11;  // bytes: "\\sqsupseteq"
constexpr std::size_t plain_longest = 4;      // of those without a backslash: "-+->"

operator_use const* find(std::string_view name, fixity fix) noexcept {
  auto const* it = std::ranges::find_if(uses, [&](auto const& u) { return u.fix == fix && u.name == name; });
  return it == uses.end() ? nullptr : it;
}

}  // namespace

std::string_view canonical_operator(std::string_view spelling) noexcept {
  auto it = names().find(spelling);
  return it == names().end() ? std::string_view{} : it->second;
}

std::string_view operator_prefix(std::string_view text) noexcept {
  auto const longest = text.starts_with('\\') ? spelling_longest : plain_longest;
  for (auto n = std::min(text.size(), longest); n > 0; --n) {
    if (names().contains(text.substr(0, n))) return text.substr(0, n);
  }
  return {};
}

operator_use const* find_prefix(std::string_view name) noexcept {
  return find(name == "-" ? "-." : name, prefix);
}
operator_use const* find_infix(std::string_view name) noexcept { return find(name, infix); }
operator_use const* find_postfix(std::string_view name) noexcept { return find(name, postfix); }

bool is_user_definable(std::string_view name) noexcept {
  constexpr auto language = std::to_array<std::string_view>(
      {"~",      "ENABLED", "UNCHANGED", "[]",    "<>",         "SUBSET", "UNION", "DOMAIN", "=>",
       "-+->",   "<=>",     "~>",        "/\\",   "\\/",        "#",      "=",     "\\in",   "\\notin",
       "\\cdot", "\\",      "\\cap",     "\\cup", "\\subseteq", "\\X",    "'"});
  return canonical_operator(name) == name && std::ranges::find(language, name) == language.end();
}

std::string_view canonical_punctuation(std::string_view character) noexcept {
  auto const* it = std::ranges::find(punctuation, character, &spelling::written);
  return it == punctuation.end() ? std::string_view{} : it->name;
}

}  // namespace halfopen::tla
