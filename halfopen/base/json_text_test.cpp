#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <halfopen/base/json_text.hpp>

namespace halfopen {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(json_text, leaves_plain_text_as_it_is) { EXPECT_EQ(quoted("GET /pay/1"), "\"GET /pay/1\""); }

TEST(json_text, escapes_what_json_does_not_allow_inside_a_string) {
  EXPECT_EQ(quoted("a\"b\\c\nd\te\r"), R"("a\"b\\c\nd\te\r")");
  EXPECT_EQ(quoted(std::string_view{"\0\x1f\x7f", 3}), "\"\\u0000\\u001f\\u007f\"");
}

TEST(json_text, members_follow_one_another) {
  std::string out = "{\"first\":1";
  append_json_member(out, "text", "a\"b");
  append_json_member(out, "number", -7);
  EXPECT_EQ(out + "}", R"({"first":1,"text":"a\"b","number":-7})");
}

TEST(json_text, keeps_utf_8) { EXPECT_EQ(quoted("žluťoučký 🐎"), "\"žluťoučký 🐎\""); }

TEST(json_text, replaces_what_is_not_utf_8) {
  EXPECT_EQ(quoted("a\xFF"
                   "b"),
            "\"a\xEF\xBF\xBD"
            "b\"");
  EXPECT_EQ(quoted("\xC5"), "\"\xEF\xBF\xBD\"");                                  // cut inside a character
  EXPECT_EQ(quoted("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // a surrogate
  EXPECT_EQ(quoted("\xC0\xAF"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                  // overlong
}

TEST(json_text, is_read_back_by_a_parser_whatever_the_bytes) {
  std::string all;
  for (int round = 0; round < 2; ++round)
    for (int c = 0; c < 256; ++c) all += static_cast<char>(c ^ (round * 0x55));
  for (std::size_t n = 0; n < all.size(); ++n)
    EXPECT_TRUE(nlohmann::json::accept(quoted(std::string_view{all}.substr(n, 7)))) << n;
}

}  // namespace
}  // namespace halfopen
