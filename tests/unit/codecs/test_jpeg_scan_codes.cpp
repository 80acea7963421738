// The coefficients of a JPEG with several scans. The decoder must return libjpeg's coefficients or leave the file to
// libjpeg. Takes three seconds on one core.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "codecs/jpeg/jpeg_scan_codes.hpp"
#include "codecs/jpeg/jpeg_segments.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/jpeg_coefficients.hpp"
#include "support/jpeg_maker.hpp"
#include "support/random_jpeg.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_jpeg_scan_codes {
using namespace codecs;
using namespace codecs::jpeg;

namespace {

using namespace test;
using enum JpegCodesVerdict;

JpegPipelineChoices any_choices(Random& random) {
  return {.threads = random.between(1, 3), .step_pixels = random.below(2) == 0 ? 1 : 1 << 16};
}

const JpegFactors& any_factors(Random& random) { return kAllJpegFactors[random.below(std::size(kAllJpegFactors))]; }

/// A progressive file with arbitrary scans, or a file with one scan per component.
FileBytes any_file(Random& random, int width, int height) {
  JpegChoices choices = of_several_scans(random, any_factors(random));
  const int channels = choices.progressive && random.below(4) == 0 ? 1 : 3;
  if (choices.progressive && random.below(2) == 0) {
    choices.scans = any_scans(random, channels);
  }
  return make_jpeg(any_image(random, width, height, {Sample::u8, channels}).view(), choices);
}

TEST(JpegScanCodes, MatchLibjpegForEverySize) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int width = 1; width <= 40; ++width) {
    for (int height = 1; height <= 40; ++height) {
      const FileBytes file = any_file(random, width, height);
      if (read_jpeg_script(file)) {  // nullopt for more than 64 scans
        ASSERT_EQ(verdict_on_jpeg_codes(file, any_choices(random)), same) << width << "x" << height;
      }
    }
  }
}

/// Covers every code length, values of up to ten bits, and bands whose codes exceed the rest of the buffer.
TEST(JpegScanCodes, MatchLibjpegForLargeCoefficients) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int limit : {1, 3, 40, 1023}) {
    for (int round = 0; round < 8; ++round) {
      JpegChoices choices = of_several_scans(random, any_factors(random));
      choices.scans = choices.progressive && round % 2 == 0 ? any_scans(random, 3) : choices.scans;
      const int side = random.between(1, 200);
      const FileBytes file = make_jpeg_of_coefficients(random, side, 60, limit, 1, choices);
      if (read_jpeg_script(file)) {
        ASSERT_EQ(verdict_on_jpeg_codes(file, any_choices(random)), same) << limit;
      }
    }
  }
}

TEST(JpegScanCodes, MatchLibjpegOnTheCatalogue) {
  Random random;
  SCOPED_TRACE(random.trace());
  int read = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    if (file.bytes.size() > 1 && file.bytes[0] == std::byte{0xFF} && file.bytes[1] == std::byte{0xD8}) {
      const JpegCodesVerdict verdict = verdict_on_jpeg_codes(file.bytes, any_choices(random));
      ASSERT_NE(verdict, mistaken) << file.name;
      read += verdict == same ? 1 : 0;
    }
  }
  EXPECT_GE(read, 8);
}

/// Files that lack one byte at any position, have one additional byte, or are truncated before the last marker.
TEST(JpegScanCodes, MatchLibjpegOrLeaveShiftedBytesToIt) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 3; ++round) {
    const FileBytes file = any_file(random, 24, 20);
    int left_files = 0;
    for (std::size_t i = 2; i + 2 < file.size(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      FileBytes without = file;
      without.erase(without.begin() + at);
      FileBytes cut(file.begin(), file.begin() + at);
      add_be(cut, 0xFFD9, 2);
      FileBytes more = file;
      more.insert(more.begin() + at, static_cast<std::byte>(random.below(256)));
      for (const FileBytes& changed : {without, cut, more}) {
        const JpegCodesVerdict verdict = verdict_on_jpeg_codes(changed, any_choices(random));
        ASSERT_NE(verdict, mistaken) << i;
        left_files += verdict == left ? 1 : 0;
      }
    }
    EXPECT_GT(left_files, 0);
  }
}

TEST(JpegScanCodes, MatchLibjpegOrLeaveMutantsToIt) {
  Random random;
  SCOPED_TRACE(random.trace());
  int read = 0;
  int left_files = 0;
  for (int round = 0; round < 4000; ++round) {
    FileBytes mutant = any_file(random, random.between(8, 40), random.between(8, 40));
    for (int i = random.between(1, 3); i > 0; --i) {
      mutant[2 + random.below(static_cast<std::uint32_t>(mutant.size() - 2))] =
          random.below(6) == 0 ? std::byte{0xFF} : static_cast<std::byte>(random.below(256));
    }
    const JpegCodesVerdict verdict = verdict_on_jpeg_codes(mutant, any_choices(random));
    ASSERT_NE(verdict, mistaken) << round;
    read += verdict == same ? 1 : 0;
    left_files += verdict == left && read_jpeg_script(mutant) ? 1 : 0;
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(left_files, 100) << "the codes are damaged, not the segments";
}

/// A file with restart markers in its first scan, and the offset of the first marker.
struct Restarting {
  FileBytes file;
  std::size_t first;
};

Restarting restarting_file(Random& random) {
  const Image image = random_image(random, 64, 64, {Sample::u8, 3});
  FileBytes file = make_jpeg(image.view(), {.progressive = true, .restart_interval = 4});
  const ByteSpan codes = read_jpeg_script(file)->scans.front().codes;
  for (std::size_t i = 0; i + 1 < codes.size(); ++i) {
    if (codes[i] == std::byte{0xFF} && codes[i + 1] == std::byte{0xD0}) {
      return {file, static_cast<std::size_t>(codes.data() - file.data()) + i};
    }
  }
  throw std::logic_error("no restart marker");
}

TEST(JpegScanCodes, LeaveUnexpectedRestartMarkersToLibjpeg) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto [file, first] = restarting_file(random);
  const auto at = static_cast<std::ptrdiff_t>(first);
  const std::size_t end = static_cast<std::size_t>(read_jpeg_script(file)->scans.front().codes.data() - file.data()) +
                          read_jpeg_script(file)->scans.front().codes.size();
  ASSERT_EQ(verdict_on_jpeg_codes(file, {}), same);
  FileBytes wrong = file;
  wrong[first + 1] = std::byte{0xD1};
  FileBytes missing = file;
  missing.erase(missing.begin() + at, missing.begin() + at + 2);
  FileBytes twice = file;
  twice.insert(twice.begin() + at, {std::byte{0xFF}, std::byte{0xD0}});
  FileBytes late = file;
  late.insert(late.begin() + static_cast<std::ptrdiff_t>(end), {std::byte{0xFF}, std::byte{0xD4}});
  FileBytes padded = file;
  padded.insert(padded.begin() + at, std::byte{0});
  for (const FileBytes& odd : {wrong, missing, twice, late, padded}) {
    ASSERT_TRUE(read_jpeg_script(odd));
    EXPECT_EQ(verdict_on_jpeg_codes(odd, {}), left);
  }
}

/// libjpeg discards the run at the marker, and warns that the code after it is missing.
TEST(JpegScanCodes, LeaveRunsAcrossARestartMarkerToLibjpeg) {
  Image flat(64, 8, {Sample::u8, 1});  // eight blocks; a single code states that none of them has AC coefficients
  std::fill_n(flat.view().data, flat.size_bytes(), std::byte{90});
  const FileBytes file = make_jpeg(
      flat.view(), {.progressive = true, .scans = {{.component = 0}, {.component = 0, .first = 1, .last = 63}}});
  const JpegScript script = *read_jpeg_script(file);
  const auto end_of = [&](std::size_t scan) {
    const ByteSpan codes = script.scans[scan].codes;
    return codes.data() + codes.size() - file.data();
  };
  const auto with_interval = [&](std::uint32_t blocks, bool has_marker) {
    FileBytes changed = file;
    FileBytes marker;
    add_be(marker, 0xFFD0, has_marker ? 2 : 0);
    changed.insert(changed.begin() + end_of(1), marker.begin(), marker.end());
    FileBytes interval;
    add_be(interval, 0xFFDD0004, 4);
    add_be(interval, blocks, 2);
    changed.insert(changed.begin() + end_of(0), interval.begin(), interval.end());
    return changed;
  };
  EXPECT_EQ(verdict_on_jpeg_codes(with_interval(8, false), {}), same);
  EXPECT_EQ(verdict_on_jpeg_codes(with_interval(4, true), {}), left);
}

/// A table with one code for each element of `lengths`. Symbols start at 0.
JpegHuffmanTable table_of(std::initializer_list<unsigned> lengths) {
  JpegHuffmanTable table;
  unsigned symbol = 0;
  for (const unsigned length : lengths) {
    ++table.codes_of_length[length - 1];
    table.symbols[symbol] = static_cast<std::uint8_t>(symbol);
    ++symbol;
  }
  return table;
}

TEST(JpegCodeTable, DecodesValuesAndEndsOfBands) {
  JpegCodeTable table;
  JpegHuffmanTable from = table_of({1, 2, 3, 12});  // 0, 10, 110, 111000000000
  from.symbols = {0x21, 0x30, 0x0A, 0x12};
  ASSERT_TRUE(table.set_ac(from, 2, 13));
  const auto begins = [&](unsigned bits, unsigned count) {
    return table.entry(bits << (JpegCodeTable::kBits - count));
  };
  EXPECT_EQ(begins(0b01, 2).value(), 4);
  EXPECT_EQ(begins(0b00, 2).value(), -4);
  EXPECT_EQ(begins(0b00, 2).advance(), 2U);
  EXPECT_EQ(begins(0b00, 2).bits(), 2U);
  EXPECT_EQ(begins(0b10101, 5).advance(), JpegCodeEntry::kEndOfBand);
  EXPECT_EQ(begins(0b10101, 5).value(), 8 + 5);
  EXPECT_EQ(begins(0b110, 3).advance(), JpegCodeEntry::kSymbol) << "ten more bits do not fit";
  EXPECT_EQ(begins(0b110, 3).value(), 0x0A);
  EXPECT_EQ(begins(0b111, 3).advance(), JpegCodeEntry::kLong);
  EXPECT_EQ(table.long_code(0b1110'0000'0000'1111).symbol, 0x12U);
  EXPECT_EQ(table.long_code(0b1110'0000'0000'1111).bits, 12U);
  EXPECT_EQ(table.long_code(0b1110'0000'0001'1111).bits, 0U) << "not a code";
  ASSERT_TRUE(table.set_ac(from, 2, 0));
  EXPECT_EQ(begins(0b01, 2).advance(), JpegCodeEntry::kSymbol) << "more bits than allowed";
}

TEST(JpegCodeTable, RejectsWhatLibjpegRejects) {
  JpegCodeTable table;
  EXPECT_TRUE(table.set_dc(table_of({2, 2, 2})));
  EXPECT_FALSE(table.set_dc(table_of({2, 2, 2, 2}))) << "a code of ones";
  EXPECT_FALSE(table.set_ac(table_of({1, 1, 2}), 0, 15)) << "too many codes";
  JpegHuffmanTable from = table_of({2, 13});
  from.symbols[1] = 16;
  EXPECT_FALSE(table.set_dc(from));
  EXPECT_TRUE(table.set_ac(from, 0, 15));
  from.codes_of_length.fill(255);
  EXPECT_FALSE(table.set_ac(from, 0, 15));
}

/// Reads across many refills of the buffer, with and without stuffed bytes, and segments of each size.
TEST(JpegCodeBits, MatchTheScan) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 300; ++round) {
    const std::size_t size = random.below(round < 100 ? 40 : 30000);
    FileBytes bytes(size);
    std::generate(bytes.begin(), bytes.end(), [&] {
      return round % 2 == 0 && random.below(3) == 0 ? std::byte{0xFF} : static_cast<std::byte>(random.below(256));
    });
    FileBytes coded;
    for (const std::byte byte : bytes) {
      coded.push_back(byte);
      if (byte == std::byte{0xFF}) {
        coded.push_back({});
      }
    }
    const FileBytes exact = coded;
    add_be(coded, 0xFFD3, 2);
    add_bytes(coded, exact);
    JpegCodeBits in(coded);
    JpegBitCursor cursor;
    for (int segment = 0; segment < 2; ++segment) {
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_TRUE(in.load_block(cursor));
        ASSERT_EQ(in.read_segment_end(cursor), false) << i;
        cursor.refill();
        ASSERT_EQ(cursor.take(8), std::to_integer<std::uint64_t>(bytes[i])) << i;
      }
      ASSERT_TRUE(in.read_segment_end(cursor));
      ASSERT_EQ(in.read_scan_end(cursor), segment == 1);
      ASSERT_FALSE(in.restart(cursor, 2));
      ASSERT_EQ(in.restart(cursor, 3), segment == 0);
    }
  }
}

TEST(JpegCodeBits, EndAfterTheLastByte) {
  const FileBytes coded(100, std::byte{0x5A});
  JpegCodeBits in(coded);
  JpegBitCursor cursor;
  std::size_t bytes = 0;
  for (; in.load_block(cursor) && bytes < 200; ++bytes) {
    cursor.refill();
    cursor.skip(8);
  }
  EXPECT_LT(bytes, 120U) << "reading ends soon after the last byte";
  EXPECT_FALSE(in.read_segment_end(cursor)) << "the cursor is past the end";
}

}  // namespace
}  // namespace gpuimg::test_jpeg_scan_codes
