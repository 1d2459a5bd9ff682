#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include <halfopen/tla/evaluate_fixture.hpp>

namespace halfopen::tla {
namespace {

using testing::HasSubstr;

constexpr char const* library = R"(---- MODULE Library ----
EXTENDS Integers, Sequences, FiniteSets, TLC, TLCExt, Json, CSV, IOUtils, Randomization, Graphs, SequencesExt, Relation
Drawn == RandomElement(1..1000000)
Many == {RandomElement(1..1000000) : i \in 1..10}
Line(n) == [node |-> 1..n, edge |-> {<<i, i + 1>> : i \in 1..(n - 1)}]
Ring(n) == [node |-> 1..n, edge |-> {<<i, (i % n) + 1>> : i \in 1..n}]
====)";

std::string value_of(std::string const& text) {
  static auto s = load_text(library, "Library.tla");
  return value_in(s, text);
}

/// A file that is gone when the test ends.
struct scratch {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("halfopen_builtin_" + std::to_string(::getpid()) + "_" +
                                testing::UnitTest::GetInstance()->current_test_info()->name());
  ~scratch() { std::filesystem::remove(path); }
  [[nodiscard]] std::string quoted() const { return "\"" + path.string() + "\""; }
  void write(std::string const& text) const { std::ofstream{path} << text; }
  [[nodiscard]] std::string text() const {
    std::ifstream in{path};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
};

TEST(builtin, json_has_arrays_for_sequences_and_sets_and_objects_for_the_rest) {
  EXPECT_EQ(value_of(R"(ToJson([a |-> <<1, TRUE>>, b |-> {2, 1}]) = "{\"a\":[1,true],\"b\":[1,2]}")"),
            "TRUE");
  EXPECT_EQ(value_of(R"(ToJson((5 :> "x")) = "{\"5\":\"x\"}")"), "TRUE");
  EXPECT_EQ(value_of(R"(ToJsonArray((5 :> "x")) = "[\"x\"]")"), "TRUE");
  EXPECT_EQ(value_of(R"(ToJsonObject(<<7>>) = "{\"1\":7}")"), "TRUE");
  EXPECT_THAT(value_of("ToJson(Nat)"), HasSubstr("infinite"));
}

TEST(builtin, json_that_was_written_reads_as_it_was) {
  scratch const file;
  auto const path = file.quoted();
  EXPECT_EQ(value_of("LET v == [a |-> <<1, -2>>, t |-> \"q\\\"\\n\", e |-> <<>>] IN JsonSerialize(" + path +
                     ", v) /\\ JsonDeserialize(" + path + ") = v"),
            "TRUE");
  EXPECT_EQ(value_of("ndJsonSerialize(" + path + ", <<1, <<2>>>>) /\\ ndJsonDeserialize(" + path +
                     ") = <<1, <<2>>>>"),
            "TRUE");
}

TEST(builtin, json_that_tla_has_no_value_for_is_refused_with_its_line) {
  scratch const file;
  auto const read = [&](std::string const& text) {
    file.write(text);
    return value_of("JsonDeserialize(" + file.quoted() + ")");
  };
  EXPECT_EQ(read(R"({"a": "\u00e9\ud83d\ude00"})"), "[a |-> \"\xC3\xA9\xF0\x9F\x98\x80\"]");
  EXPECT_THAT(read("[1,\n 2.5]"), HasSubstr("line 2: found '.', expected a number without a fraction"));
  EXPECT_THAT(read("[null]"), HasSubstr("null"));
  EXPECT_THAT(read("[1"), HasSubstr("found the end, expected , or ]"));
  EXPECT_THAT(read("{\"a\":1,\"a\":2}"), HasSubstr("once"));
  EXPECT_THAT(read("99999999999"), HasSubstr("32 bits"));
  EXPECT_THAT(read("1 2"), HasSubstr("expected the end"));
  EXPECT_THAT(read(std::string(100000, '[')), HasSubstr("nested"));
  EXPECT_THAT(value_of("JsonDeserialize(\"/no/such/file\")"), HasSubstr("/no/such/file"));
}

TEST(builtin, csv_lines_are_added_and_counted) {
  scratch const file;
  auto const path = file.quoted();
  EXPECT_EQ(value_of("CSVWrite(\"%1$s;%s %%\", <<\"a\", 2>>, " + path +
                     ") /\\ CSVWrite(\"%2$s\", <<1, {3}>>, " + path + ") /\\ CSVRecords(" + path + ") = 2"),
            "TRUE");
  EXPECT_EQ(file.text(), "a;a %\n{3}\n");
  EXPECT_THAT(value_of("CSVWrite(\"%3$s\", <<1>>, " + path + ")"), HasSubstr("names value 3 of 1"));
}

TEST(builtin, texts_of_files_come_with_an_exit_value) {
  scratch const file;
  auto const path = file.quoted();
  EXPECT_EQ(value_of("Serialize(\"hi\", " + path + ", [format |-> \"TXT\"]).exitValue"), "0");
  EXPECT_EQ(value_of("Deserialize(" + path + ", [format |-> \"TXT\"]).stdout"), "\"hi\"");
  EXPECT_EQ(value_of("zeroPadN(7, 3)"), "\"007\"");
}

TEST(builtin, a_constant_that_is_drawn_has_one_value) {
  EXPECT_EQ(value_of("Drawn = Drawn"), "TRUE");
  EXPECT_EQ(value_of("LET RECURSIVE go(_) go(n) == IF n = 0 THEN {Drawn} ELSE {Drawn} \\cup go(n - 1) IN "
                     "go(3) = {Drawn}"),
            "TRUE");
  EXPECT_EQ(value_of("Many = Many /\\ Cardinality(Many) > 5"), "TRUE");
  EXPECT_EQ(value_of("Cardinality({RandomElement(1..1000000) : i \\in 1..10}) > 5"), "TRUE");
  EXPECT_EQ(value_of("LET s == RandomSubset(3, 1..9) IN Cardinality(s) = 3 /\\ s \\subseteq 1..9"), "TRUE");
  EXPECT_EQ(value_of("\\A s \\in RandomSetOfSubsets(5, 2, 1..9) : s \\subseteq 1..9"), "TRUE");
  EXPECT_EQ(value_of("RandomElement(SUBSET (1..40)) \\subseteq 1..40"), "TRUE");
  EXPECT_THAT(value_of("RandomSubset(3, {1})"), HasSubstr("3 elements of a set that has 1"));
}

TEST(builtin, graphs_and_relations_are_looked_at_in_time_that_grows_with_their_size) {
  EXPECT_EQ(value_of("AreConnectedIn(1, 30, Line(30))"), "TRUE");
  EXPECT_EQ(value_of("AreConnectedIn(30, 1, Line(30))"), "FALSE");
  EXPECT_EQ(value_of("IsStronglyConnected(Ring(20))"), "TRUE");
  EXPECT_EQ(value_of("IsStronglyConnected(Line(20))"), "FALSE");
  EXPECT_EQ(value_of("SetToSeq({3, 1, 2})"), "<<1, 2, 3>>");
  EXPECT_EQ(value_of("SetToSeqs({1, 2}) = {<<1, 2>>, <<2, 1>>} /\\ SetToSeqs({}) = {<<>>}"), "TRUE");
  EXPECT_EQ(value_of("TransitiveClosure([x, y \\in 1..9 |-> y = x + 1], 1..9)[1, 9]"), "TRUE");
}

TEST(builtin, what_is_not_supported_says_what_to_do) {
  EXPECT_THAT(value_of("IOExec(<<\"ls\">>)"), HasSubstr("CONSTANT IOExec <- ..."));
  EXPECT_THAT(value_of("TLCGet(\"spec\")"), HasSubstr("\"level\""));
  EXPECT_THAT(value_of("TLCSet(\"exit\", TRUE)"), HasSubstr("--max-states"));
  EXPECT_THAT(value_of("CHOOSE x : x \\notin Nat"), HasSubstr("CONSTANT Name = Name"));
  EXPECT_THAT(value_of("\\E x : x = 1"), HasSubstr("has no bound"));
}

}  // namespace
}  // namespace halfopen::tla
