// Look-up tables as CSV, and the check that tables fit an image.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "commands/side_inputs.hpp"
#include "report/table_text.hpp"
#include "support/file_bytes.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_level_tables {
namespace {

using namespace test;

LevelTables random_tables(Random& random, std::size_t count, std::size_t levels) {
  LevelTables tables;
  for (std::size_t t = 0; t < count; ++t) {
    auto& map = tables.maps.emplace_back(levels);
    for (auto& value : map) {
      value = static_cast<std::uint16_t>(random.below(static_cast<std::uint32_t>(levels)));
    }
  }
  return tables;
}

LevelTables read(const std::string& text) { return level_tables_from_csv(bytes_of(text), "t.csv"); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

/// The variable part of the error message; empty if the text was read.
std::string rejection(const std::string& text) {
  const std::string begin = "t.csv: line ";
  const std::string end = "; make a table with 'gpuimg equalize --lut FILE.csv'";
  try {
    (void)read(text);
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.kind(), ErrorKind::decode);
    EXPECT_TRUE(message.starts_with(begin) && message.ends_with(end)) << message;
    return message.substr(begin.size(), message.size() - begin.size() - end.size());
  }
  return "";
}

TEST(LevelTablesCsv, RoundTrips) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::size_t count : {1U, 3U}) {
    for (const std::size_t levels : {256U, 65536U}) {
      const LevelTables tables = random_tables(random, count, levels);
      EXPECT_EQ(read(level_tables_to_csv(tables)).maps, tables.maps);
    }
  }
}

TEST(LevelTablesCsv, AcceptsOtherLineEndings) {
  Random random;
  const LevelTables tables = random_tables(random, 3, 256);
  const std::string text = level_tables_to_csv(tables);
  std::string crlf;
  for (const char c : text) {
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
  }
  EXPECT_EQ(read(crlf).maps, tables.maps);
  EXPECT_EQ(read("\xEF\xBB\xBF" + text).maps, tables.maps);
  EXPECT_EQ(read(text.substr(0, text.size() - 1)).maps, tables.maps);
}

TEST(LevelTablesCsv, RejectsInvalidLinesByNumber) {
  LevelTables tables;
  tables.maps.assign(1, std::vector<std::uint16_t>(256, 7));
  const std::string text = level_tables_to_csv(tables);
  const std::string header = "1: the header is not 'level,luma' or 'level,r,g,b'";
  for (const char* other : {"", "\n", "level,luma ", "Level,luma", "level,r,g", "level;luma", "0,7"}) {
    EXPECT_EQ(rejection(other), header) << other;
  }
  const std::string row = "5: expected level 3 and a value from 0 to 65535";
  for (const char* other : {"", "3", "3,", ",7", "3;7", "3,7,", "3,7,7", " 3,7", "3,7 ", "3,-7", "3,+7", "3,0x7",
                            "3,7.0", "3,65536", "3,99999999999999999999", "4,7", "2,7", "\"3\",\"7\"", "3,7\r"}) {
    EXPECT_EQ(rejection(replaced(text, "\n3,7\n", fmt::format("\n{}\n", other))),
              std::string(other) == "3,7\r" ? "" : row)
        << other;
  }
  EXPECT_EQ(rejection(replaced(text, "\n3,7\n", "\n3,256\n")), "5: the value 256 is above 255");
  EXPECT_EQ(rejection(replaced(text, "255,7\n", "")), "257: the table has 255 levels, not 256 or 65536");
  EXPECT_EQ(rejection(text + "256,7\n"), "259: the table has 257 levels, not 256 or 65536");
  EXPECT_EQ(rejection(text + "\n"), "258: expected level 256 and a value from 0 to 65535");
  EXPECT_EQ(rejection("level,luma\n"), "2: the table has 0 levels, not 256 or 65536");
  EXPECT_EQ(rejection("level,r,g,b\n0,1,2\n"), "2: expected level 0 and three values from 0 to 65535");
}

TEST(LevelTablesCsv, RejectsTooManyLevels) {
  LevelTables tables;
  tables.maps.assign(1, std::vector<std::uint16_t>(65536, 65535));
  const std::string text = level_tables_to_csv(tables);
  EXPECT_EQ(read(text).maps, tables.maps);
  EXPECT_EQ(rejection(text + "65536,1\n"), "65538: the table has more than 65536 levels");
}

TEST(GivenTables, MustMatchDepthAndChannels) {
  const auto message = [](std::size_t tables, std::size_t levels, EqualizeColor color, PixelFormat format) {
    GivenTables given{{}, "t.csv"};
    given.tables.maps.assign(tables, std::vector<std::uint16_t>(levels));
    try {
      check_fit(given, color, format, "a.png");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  for (const PixelFormat format : photographic_formats()) {
    const std::size_t levels = format.max_value() + std::size_t{1};
    const bool is_gray = format.color_channels() == 1;
    for (const EqualizeColor color :
         {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::joint, EqualizeColor::ycbcr, EqualizeColor::hsl}) {
      const std::size_t needed = color == EqualizeColor::rgb && !is_gray ? 3 : 1;
      EXPECT_EQ(message(needed, levels, color, format), "");
      EXPECT_NE(message(4 - needed, levels, color, format), "");
      EXPECT_NE(message(needed, levels == 256 ? 65536 : 256, color, format), "");
      EXPECT_NE(message(needed, 8, color, format), "");
    }
  }
  EXPECT_EQ(message(1, 256, EqualizeColor::luma, {Sample::u16, 3}),
            "t.csv: is for images of 256 levels, and a.png has 65536; make one from an image of 16 bits");
}

}  // namespace
}  // namespace gpuimg::test_level_tables
