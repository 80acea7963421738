// Suggestions, output formats, numbers and the layout of --help.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "cli/command_parser.hpp"
#include "cli/help.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"

namespace gpuimg::test_command_line {
namespace {

TEST(Suggestions, PreferTheSameWordThenASynonymThenAPrefixThenASimilarWord) {
  const std::vector<std::string> names = {"r", "rgb", "luma", "lightness"};
  const std::vector<Synonym> synonyms = {{"red", "r"}, {"li", "luma"}, {"cyan", "c"}};
  EXPECT_EQ(nearest_word("RGB", names, synonyms), "rgb");
  EXPECT_EQ(nearest_word("Red", names, synonyms), "r");
  EXPECT_EQ(nearest_word("li", names, synonyms), "luma");
  EXPECT_EQ(nearest_word("li", names), "lightness");
  EXPECT_EQ(nearest_word("LIGHTNES", names), "lightness");
  EXPECT_EQ(nearest_word("lmua", names), "luma");
  EXPECT_EQ(nearest_word("cyan", names, synonyms), "") << "stands for a name that is not a candidate";
  EXPECT_EQ(nearest_word("", names, synonyms), "");
  EXPECT_EQ(nearest_word("vivid", names, {{"vivid", "lightness --up"}}), "lightness --up") << "of several words";
  EXPECT_EQ(known_word("lmua", names, synonyms), "") << "no guess";
  EXPECT_EQ(known_word("RED", names, synonyms), "r");
  EXPECT_EQ(nearest_word(std::string(65, 'r'), names), "");
  EXPECT_EQ(did_you_mean("red", names, synonyms), " (did you mean r?)");
  EXPECT_EQ(did_you_mean("frobnicate", names, synonyms), "");
}

TEST(OutputFormats, AreChosenByFormatThenExtensionThenStandardOutput) {
  EXPECT_EQ(image_format("a.JPG"), codecs::FileFormat::jpeg);
  EXPECT_EQ(image_format("a.jfif"), codecs::FileFormat::jpeg);
  EXPECT_EQ(image_format("-", "jpe"), codecs::FileFormat::jpeg);
  EXPECT_EQ(image_extension_for("a.jfif", ""), "jfif");
  EXPECT_EQ(image_extension_for("a.pbm", ""), "png");  // most results need more than one bit
  EXPECT_EQ(image_format("a.png", "tga"), codecs::FileFormat::tga);
  EXPECT_EQ(image_format("a", "jpeg"), codecs::FileFormat::jpeg);
  EXPECT_EQ(image_format("-"), codecs::FileFormat::png);
  EXPECT_EQ(image_format("-", "bmp"), codecs::FileFormat::bmp);
  EXPECT_THROW((void)image_format("a.gif"), Error);
  EXPECT_THROW((void)image_format("a.pbm"), Error);
  EXPECT_THROW((void)image_format("a.png", "gif"), Error);
}

template <class Number>
std::string parsed(const std::string& text) {
  try {
    std::ostringstream shown;
    shown << parse_number<Number>("--n", text);
    return shown.str();
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(NumberOptions, AreDecimal) {
  EXPECT_EQ(parsed<int>("010"), "10");
  EXPECT_EQ(parsed<int>("-3"), "-3");
  EXPECT_EQ(parsed<int>("0x10"), "--n: '0x10' is not a whole number");
  EXPECT_EQ(parsed<int>("3.5"), "--n: '3.5' is not a whole number");
  EXPECT_EQ(parsed<int>("99999999999"), "--n: '99999999999' is too large");
  EXPECT_EQ(parsed<double>("0.25"), "0.25");
  EXPECT_EQ(parsed<double>("half"), "--n: 'half' is not a number");
  EXPECT_EQ(parsed<double>("25%"), "--n: '25%' is not a number; percentages are not accepted here");
  EXPECT_EQ(parsed<double>("0,5"), "--n: '0,5' is not a number (did you mean 0.5?)");
  EXPECT_EQ(parsed<double>("25%%"), "--n: '25%%' is not a number");
}

TEST(HelpText, WrapsWithinTheSecondColumn) {
  CommandParser parser("tool", "does something");
  std::string value;
  parser.text({"-o,--option,--old-name",
               "what it changes, in more words than fit into one line of the second column [first]\n"
               "first   a choice that is explained in so many words that its explanation is wrapped\n"
               "second  another",
               "NAME"},
              value);
  parser.text({"--an-option-with-a-long-name", "text below it", "NAME"}, value);
  const std::string help = program_help(parser.program());
  EXPECT_NE(help.find("  -o, --option NAME       what it changes, in more words than fit into one line\n"
                      "                          of the second column [first]\n"
                      "                          first   a choice that is explained in so many words\n"
                      "                                  that its explanation is wrapped\n"
                      "                          second  another\n"
                      "  --an-option-with-a-long-name NAME\n"
                      "                          text below it\n"),
            std::string::npos)
      << help;
  EXPECT_NE(help.find("Usage: tool [OPTIONS]\n"), std::string::npos) << help;
}

TEST(HelpText, DoesNotBreakALongWord) {
  const CommandParser parser("tool", "a " + std::string(100, 'b') + " c");
  const std::string help = program_help(parser.program());
  EXPECT_NE(help.find(std::string(100, 'b')), std::string::npos) << help;
}

}  // namespace
}  // namespace gpuimg::test_command_line
