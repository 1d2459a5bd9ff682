#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <halfopen/gateway/audit_field.hpp>

namespace halfopen::gateway {
namespace {

std::string const euro = "\xE2\x82\xAC";     // 3 bytes
std::string const owl = "\xF0\x9F\xA6\x89";  // 4 bytes
std::string const unknown = "\xEF\xBF\xBD";  // U+FFFD

TEST(audit_field, is_cut_between_characters_never_inside_one) {
  EXPECT_EQ(cut_utf8("ab" + euro, 4), "ab");
  EXPECT_EQ(cut_utf8("ab" + euro, 5), "ab" + euro);
  for (std::size_t limit = 0; limit < 12; ++limit) {
    auto const kept = cut_utf8(owl + owl + owl, limit);
    EXPECT_EQ(kept.size(), limit / 4 * 4);
  }
}

TEST(audit_field, is_always_valid_utf8_for_every_two_byte_input_and_every_limit) {
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; second += 1) {
      std::string const raw{static_cast<char>(first), static_cast<char>(second), 'x'};
      auto const kept = cut_utf8(raw, 7);
      EXPECT_NO_THROW(std::ignore = nlohmann::json(kept).dump()) << first << ' ' << second;
    }
  }
}

class repaired_field : public ::testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(repaired_field, replaces_what_is_no_character) {
  EXPECT_EQ(cut_utf8(GetParam().first, 100), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(
    texts, repaired_field,
    ::testing::Values(std::pair{std::string{"a\xFFz"}, "a" + unknown + "z"},  // no lead byte
                      std::pair{std::string{"\xE2\x82"}, unknown + unknown},  // ends inside a character
                      std::pair{std::string{"\xC0\x80"}, unknown + unknown},  // overlong NUL
                      std::pair{std::string{"\xED\xA0\x80"}, unknown + unknown + unknown},  // a surrogate
                      std::pair{std::string{"\xF4\x90\x80\x80"},
                                unknown + unknown + unknown + unknown},        // past U+10FFFF
                      std::pair{std::string{"a\0b", 3}, "a" + unknown + "b"},  // NUL ends a text in C
                      std::pair{std::string{"plain"}, std::string{"plain"}}));

TEST(audit_field, says_how_long_a_cut_text_was_and_gives_its_digest) {
  audit_event e;
  e.detail = std::string(5000, 'x') + euro;
  e.what = "short";
  auto const cuts = cut_fields(e, 4096);
  ASSERT_EQ(cuts.size(), 1U);
  EXPECT_EQ(cuts[0].field, "detail");
  EXPECT_EQ(cuts[0].bytes, 5003U);
  EXPECT_EQ(cuts[0].sha256, to_hex(sha256(std::string(5000, 'x') + euro)));
  EXPECT_EQ(e.detail.size(), 4096U);
  EXPECT_EQ(e.what, "short");
}

TEST(audit_digest, is_sha256) {  // FIPS 180-4's example
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(audit_arguments, hides_secrets_wherever_they_stand) {
  auto const text = audit_arguments_of_body(
      R"({"amount": 5, "Password": "hunter2", "cards": [{"token": {"deep": "hunter2"}, "name": "a"}]})",
      audit_redaction{});
  EXPECT_EQ(text.find("hunter2"), std::string::npos);
  EXPECT_NE(text.find(R"("amount":5)"), std::string::npos);
  EXPECT_NE(text.find(R"("name":"a")"), std::string::npos);
}

TEST(audit_arguments, value_that_cannot_be_serialised_is_written_all_the_same) {
  auto const text = audit_arguments(nlohmann::json{{"name", "caf\xE9"}}, audit_redaction{});
  EXPECT_EQ(text, R"({"name":"caf)" + unknown + R"("})");
  EXPECT_EQ(audit_arguments(nlohmann::json(std::nan("")), audit_redaction{}), "null");
}

class bad_arguments : public ::testing::TestWithParam<std::string> {};

TEST_P(bad_arguments, are_noted_with_their_size) {
  auto const text = audit_arguments_of_body(GetParam(), audit_redaction{});
  EXPECT_EQ(text, "(not JSON, " + std::to_string(GetParam().size()) + " bytes)");
}

INSTANTIATE_TEST_SUITE_P(bodies, bad_arguments,
                         ::testing::Values("", "{", "plain", R"({"a":1e999})", "{\"a\":\"\xFF\"}",
                                           "\"\\ud800\"", std::string("\0\0", 2)));

TEST(audit_arguments, survive_any_depth) {
  auto const nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NE(audit_arguments_of_body(nested(100), audit_redaction{}).find("too deep"), std::string::npos);
  EXPECT_NE(audit_arguments_of_body(nested(100'000), audit_redaction{}).find("too deeply"),
            std::string::npos);
}

TEST(audit_sampler, writes_its_share_and_repeats_for_the_same_seed) {
  audit_sampler none{7}, all{7}, some{7}, same{7};
  int chosen = 0;
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_FALSE(none.next(0_percent));
    EXPECT_TRUE(all.next(100_percent));
    bool const one = some.next(10_percent);
    EXPECT_EQ(one, same.next(10_percent));
    chosen += one ? 1 : 0;
  }
  EXPECT_NEAR(chosen, 1000, 150);
}

}  // namespace
}  // namespace halfopen::gateway
