#include <algorithm>
#include <array>

#include <halfopen/tla/standard.hpp>
#include <halfopen/tla/standard_text.hpp>

namespace halfopen::tla {
namespace {

using op = standard_operator;
using enum primitive;

// clang-format off
constexpr auto language = std::to_array<op>({
    {"TRUE", true_, ""}, {"FALSE", false_, ""}, {"BOOLEAN", boolean, ""}, {"STRING", string, ""},
    {"/\\", conjunction, "00"}, {"\\/", disjunction, "00"}, {"~", negation, "0"}, {"=>", implication, "00"},
    {"<=>", equivalence, "00"}, {"=", equal, "00"}, {"#", not_equal, "00"}, {"\\in", in, "00"},
    {"\\notin", not_in, "00"}, {"\\subseteq", subset_or_equal, "00"}, {"\\cup", cup, "00"}, {"\\cap", cap, "00"},
    {"\\", set_minus, "00"}, {"SUBSET", power_set, "0"}, {"UNION", big_union, "0"}, {"DOMAIN", domain, "0"},
    {"'", prime, "0"}, {"UNCHANGED", unchanged, "0"}, {"ENABLED", enabled, "0"}, {"\\cdot", compose, "00"},
    {"[]", always, "0"}, {"<>", eventually, "0"}, {"~>", leads_to, "00"}, {"-+->", guarantee, "00"},
});

constexpr auto naturals = std::to_array<op>({
    {"+", plus, "00"}, {"-", minus, "00"}, {"*", times, "00"}, {"^", power, "00"}, {"\\div", quotient, "00"},
    {"%", remainder, "00"}, {"<", less, "00"}, {"<=", less_equal, "00"}, {">", greater, "00"},
    {">=", greater_equal, "00"}, {"..", interval, "00"}, {"Nat", nat, ""},
});
constexpr auto integers = std::to_array<op>({{"Int", int_, ""}, {"-.", negative, "0"}});
constexpr auto reals = std::to_array<op>({{"Real", real, ""}, {"/", divide, "00"}, {"Infinity", infinity, ""}});
constexpr auto sequences = std::to_array<op>({
    {"Seq", seq, "0"}, {"Len", len, "0"}, {"\\o", concat, "00"}, {"Append", append, "00"}, {"Head", head, "0"},
    {"Tail", tail, "0"}, {"SubSeq", sub_seq, "000"}, {"SelectSeq", select_seq, "01"},
});
constexpr auto finite_sets = std::to_array<op>({{"IsFiniteSet", is_finite_set, "0"}, {"Cardinality", cardinality, "0"}});
constexpr auto tlc = std::to_array<op>({
    {"Print", print, "00"}, {"PrintT", print_t, "0"}, {"Assert", assert_, "00"}, {"JavaTime", java_time, ""},
    {"TLCGet", tlc_get, "0"}, {"TLCSet", tlc_set, "00"}, {":>", map_to, "00"}, {"@@", merge, "00"},
    {"Permutations", permutations, "0"}, {"SortSeq", sort_seq, "02"}, {"RandomElement", random_element, "0"},
    {"Any", any, ""}, {"ToString", to_string, "0"}, {"TLCEval", tlc_eval, "0"},
});
constexpr auto tlc_ext = std::to_array<op>({
    {"AssertEq", assert_eq, "00"}, {"AssertError", assert_error, "00"}, {"Trace", trace, ""},
    {"CounterExample", unsupported, ""}, {"ToTrace", unsupported, "0"}, {"TLCModelValue", tlc_model_value, "0"},
    {"TLCCache", tlc_cache, "00"}, {"TLCDefer", tlc_defer, "0"}, {"PickSuccessor", pick_successor, "0"},
    {"TLCGetOrDefault", unsupported, "00"}, {"TLCGetAndSet", unsupported, "0200"}, {"TLCFP", unsupported, "0"},
    {"TLCEvalDefinition", unsupported, "0"}, {"TLCNoOp", unsupported, "0"}, {"TLCSetOrDefault", unsupported, "00"},
});
constexpr auto randomization = std::to_array<op>({
    {"RandomSubset", random_subset, "00"}, {"RandomSetOfSubsets", random_set_of_subsets, "000"},
    {"RandomSubsetSet", random_subset_set, "000"}, {"TestRandomSetOfSubsets", test_random_set_of_subsets, "000"},
});
constexpr auto json = std::to_array<op>({
    {"ToJson", to_json, "0"}, {"ToJsonArray", to_json_array, "0"}, {"ToJsonObject", to_json_object, "0"},
    {"JsonSerialize", json_serialize, "00"}, {"JsonDeserialize", json_deserialize, "0"},
    {"ndJsonSerialize", nd_json_serialize, "00"}, {"ndJsonDeserialize", nd_json_deserialize, "0"},
});
constexpr auto io_utils = std::to_array<op>({
    {"IOSerialize", io_serialize, "000"}, {"IODeserialize", io_deserialize, "00"}, {"IOExec", io_exec, "0"},
    {"IOEnvExec", io_env_exec, "00"}, {"IOExecTemplate", io_exec_template, "00"},
    {"IOEnvExecTemplate", io_env_exec_template, "000"}, {"IOEnv", io_env, ""}, {"Serialize", serialize, "000"},
    {"Deserialize", deserialize, "00"}, {"atoi", atoi, "0"}, {"zeroPadN", zero_pad_n, "00"},
    {"IOEnvGet", unsupported, "0"}, {"IOEnvPermits", unsupported, "0"},
});
constexpr auto csv = std::to_array<op>({
    {"CSVWrite", csv_write, "000"}, {"CSVRecords", csv_records, "0"}, {"CSVRead", csv_read, "000"},
    {"CSVWriteRecord", unsupported, "000"},
});
constexpr auto bitwise = std::to_array<op>({
    {"&", bit_and, "00"}, {"|", bit_or, "00"}, {"^^", bit_xor, "00"}, {"Not", bit_not, "0"},
    {"shiftR", shift_right, "00"},
});
constexpr auto svg = std::to_array<op>({
    {"Line", unsupported, "00000"}, {"Circle", unsupported, "0000"}, {"Rect", unsupported, "00000"},
    {"Text", unsupported, "0000"}, {"Image", unsupported, "000000"}, {"Group", unsupported, "00"},
    {"Svg", unsupported, "00"}, {"SVGElem", unsupported, "0000"}, {"SVGElemToString", unsupported, "0"},
    {"SVGDoc", unsupported, "000000"}, {"SVGSerialize", unsupported, "000"}, {"NodeOfRingNetwork", unsupported, "00000"},
    {"NodesOfDirectedMultiGraph", unsupported, "000"}, {"PointOnLine", unsupported, "000"},
});

constexpr auto vector_clocks = std::to_array<op>({
    {"CausalOrder", unsupported, "0111"}, {"IsCausalOrder", unsupported, "01"},
});
constexpr auto statistics = std::to_array<op>({{"ChiSquare", unsupported, "000"}});

struct theorems {
  std::string_view name;
  std::vector<std::string_view> extends;
};

/// Modules of theorems and proof tactics: nothing in them has a value, but they extend modules that do.
std::vector<theorems> const& shells() {
  static std::vector<theorems> const all = {
      {"TLAPS", {}},
      {"Toolbox", {}},
      {"FiniteSetTheorems", {"FiniteSets", "WellFoundedInduction"}},
      {"NaturalsInduction", {"Integers"}},
      {"SequenceTheorems", {"Sequences", "Integers", "WellFoundedInduction"}},
      {"SequenceOpTheorems", {"Sequences", "Integers", "WellFoundedInduction"}},
      {"FunctionTheorems", {"Functions", "Integers"}},
      {"FunctionsFork", {"Functions"}},
      {"SequencesExtTheorems", {"SequencesExt"}},
      {"FiniteSetsExtTheorems", {"FiniteSetsExt"}},
      {"BagsTheorems", {"Bags"}},
      {"JectionThm", {"Functions"}},
  };
  return all;
}

std::vector<standard_module> const& modules() {
  static std::vector<standard_module> const all = [] {
    std::vector<standard_module> m = {
        {"Naturals", {}, naturals, "", false, false},
        {"Integers", {"Naturals"}, integers, "", false, false},
        {"Reals", {"Integers"}, reals, "", false, false},
        {"Sequences", {}, sequences, "", false, false},
        {"FiniteSets", {}, finite_sets, "", false, false},
        {"TLC", {}, tlc, "", false, false},
        {"TLCExt", {}, tlc_ext, "", false, false},
        {"Randomization", {}, randomization, "", false, false},
        {"Json", {}, json, "", false, true},
        {"IOUtils", {}, io_utils, "", false, true},
        {"CSV", {}, csv, "", false, true},
        {"Bitwise", {}, bitwise, "", false, true},
        {"SVG", {"Integers", "Sequences", "FiniteSets"}, svg, "", false, true},
        {"VectorClocks", {}, vector_clocks, "", false, true},
        {"Statistics", {}, statistics, "", false, true},
    };
    for (auto const& t : standard_texts()) {
      m.push_back({t.name, {}, {}, t.text, false, t.replaceable});
    }
    for (auto const& t : shells()) m.push_back({t.name, t.extends, {}, "", true, true});
    return m;
  }();
  return all;
}
// clang-format on

}  // namespace

standard_module const* find_standard_module(std::string_view name) {
  auto const it = std::ranges::find(modules(), name, &standard_module::name);
  return it == modules().end() ? nullptr : &*it;
}

std::span<standard_operator const> language_operators() noexcept { return language; }

std::string_view standard_module_with(std::string_view name) {
  for (auto const& m : modules()) {
    if (std::ranges::find(m.operators, name, &op::name) != m.operators.end()) return m.name;
  }
  return {};
}

}  // namespace halfopen::tla
