// Names, numbers, UTF-8 and JSON as printed, compared as exact text.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "text/json.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::test_text {
namespace {

TEST(NumberText, FormatsGroupedCompactAndRoundedNumbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(compact(999.4), "999");
  EXPECT_EQ(compact(999.6), "1k");
  EXPECT_EQ(compact(12345), "12.3k");
  EXPECT_EQ(compact(999999), "1M");
  EXPECT_EQ(compact(18446744073709551615.0), "18.4E");
  EXPECT_EQ(rounded(117.3249), "117.3");
  EXPECT_EQ(rounded(65535), "65535");
  EXPECT_EQ(percent(0.123), "12.3%");
  EXPECT_EQ(percent(0.00001), "<0.01%");
  EXPECT_EQ(percent(0.0), "0%");
}

TEST(NumberText, AppendsTheSameTextAsFmt) {
  std::string text = "x";
  append_number(text, std::uint64_t{0});
  append_number(text += ' ', std::numeric_limits<std::uint64_t>::max());
  append_number(text += ' ', 100000.0);
  append_number(text += ' ', 0.1F);
  append_number(text += ' ', 1.0e20);
  append_number(text += ' ', 0.1 + 0.2);
  EXPECT_EQ(text, "x0 18446744073709551615 100000 0.1 1e+20 0.30000000000000004");
  append_format(text, "; {:>4}, {}", 7, std::string("a"));
  EXPECT_TRUE(text.ends_with("4;    7, a")) << text;
}

TEST(PrintableName, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(printable_name("plain name-1.png"), "plain name-1.png");
  EXPECT_EQ(printable_name("größe 写真 🙂.png"), "größe 写真 🙂.png");
  EXPECT_EQ(printable_name("a\tb\rc\nd"), "a\\tb\\rc\\nd");
  EXPECT_EQ(printable_name("\x07\x1B\x7F"), "\\x07\\x1b\\x7f");
  EXPECT_EQ(printable_name("\xC2\x9B"
                           "31m"),
            "\\u{009b}31m");
  EXPECT_EQ(printable_name("\xE2\x80\xAEgnp.exe"), "\\u{202e}gnp.exe");
  EXPECT_EQ(printable_name("\xFF\xC3"), "\\xff\\xc3");
  EXPECT_EQ(printable_name("\xC0\xAF\xED\xA0\x80\xF5"), "\\xc0\\xaf\\xed\\xa0\\x80\\xf5");
  EXPECT_EQ(printable_name(std::string(1, '\0')), "\\x00");
  EXPECT_EQ(printable_name(printable_name("\x1B\xFF\n")), printable_name("\x1B\xFF\n"));
}

TEST(Utf8, ReplacesMalformedSequences) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(valid_utf8("aé漢😀"), "aé漢😀");
  EXPECT_EQ(valid_utf8("\xC0\xAF"), mark + mark);                        // overlong
  EXPECT_EQ(valid_utf8("\xE0\x9F\xBF"), mark + mark + mark);             // overlong
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), mark + mark + mark);             // surrogate
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), mark + mark + mark + mark);  // above U+10FFFF
  EXPECT_EQ(valid_utf8("\xE6\xBC"), mark + mark);                        // truncated
  EXPECT_EQ(valid_utf8("\xE6"
                       "a"),
            mark + "a");
  EXPECT_EQ(shortened("漢字漢字", 4), "漢字漢字");
  EXPECT_EQ(shortened("漢字漢字", 3), "漢字…");
  EXPECT_EQ(xml_escaped("<a b='c'>&\"\x02\xFF"), "&lt;a b=&apos;c&apos;&gt;&amp;&quot;" + mark + mark);
}

TEST(JsonWriter, EscapesTextAndNestsValues) {
  JsonWriter json;
  json.begin_object().key("a\"\\\n\t\x01\x7F").text("\xFF\xC3\xA9").key("empty").begin_array().end();
  json.key("real").real(0.1).key("nan").real(std::nan("")).key("list").begin_array().integer(~std::uint64_t{0});
  json.boolean(true).null().end().end();
  EXPECT_EQ(json.take(),
            "{\n  \"a\\\"\\\\\\n\\t\\u0001\\u007f\": \"\xEF\xBF\xBD\xC3\xA9\",\n  \"empty\": [],\n  \"real\": 0.1,\n"
            "  \"nan\": null,\n  \"list\": [\n    18446744073709551615,\n    true,\n    null\n  ]\n}\n");
}

TEST(JsonDocument, ReadsValuesAndRejectsOtherTypes) {
  const JsonDocument document(
      R"({"name": "a", "counts": [18446744073709551615, 1], "part": 1.5, "below": -1, "no": null, "so": true})");
  const JsonValue root = document.root();
  EXPECT_EQ(root.at("name").text(), "a");
  EXPECT_TRUE(root.at("name").equals("a"));
  EXPECT_FALSE(root.at("name").equals(1));
  EXPECT_TRUE(root.contains("no"));
  EXPECT_FALSE(root.contains("nothing") || root.at("name").contains("name"));
  const std::vector<JsonValue> counts = root.at("counts").elements();
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_TRUE(root.at("counts").is_array() && counts[0].is_unsigned() && counts[1].equals(1));
  EXPECT_EQ(counts[0].unsigned_integer(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(root.at("part").is_integer());
  EXPECT_TRUE(root.at("below").is_integer() && !root.at("below").is_unsigned());
  EXPECT_EQ(root.at("below").integer(), -1);
  EXPECT_TRUE(root.at("so").boolean());
  EXPECT_THROW((void)root.at("part").boolean(), JsonError);
  EXPECT_TRUE(root.at("no").elements().empty());
  EXPECT_THROW((void)root.at("nothing"), JsonError);
  EXPECT_THROW((void)root.at("part").text(), JsonError);
  EXPECT_THROW((void)root.at("name").integer(), JsonError);
  EXPECT_THROW(JsonDocument("{\"cut\": "), JsonSyntaxError);
}

}  // namespace
}  // namespace gpuimg::test_text
