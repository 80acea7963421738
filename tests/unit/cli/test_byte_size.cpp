// Sizes in bytes, as for --max-memory, and factors, as for --saturation.
#include <gtest/gtest.h>

#include <cstdint>

#include "cli/option_values.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::test_byte_size {
namespace {

TEST(ByteSize, ParsesUnitsWithinLimits) {
  EXPECT_EQ(parse_byte_size("x", "1"), 1U);
  EXPECT_EQ(parse_byte_size("x", "3K"), 3072U);
  EXPECT_EQ(parse_byte_size("x", "2G"), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_byte_size("x", "30MB"), std::uint64_t{30} << 20);
  EXPECT_EQ(parse_byte_size("x", "0.5G"), std::uint64_t{1} << 29);
  EXPECT_EQ(parse_byte_size("x", "1.25kib"), 1280U);
  for (const char* text : {"", "0", "K", "KB", "-1", "1B", "0.5", "1.G", ".5G", "1,5G", "1.5e1G", "1.-5G", "0.0001K",
                           "1XB", "18446744073709551616", "99999999999T", "99999999999.5T"}) {
    EXPECT_THROW((void)parse_byte_size("x", text), Error) << text;
  }
}

TEST(Factor, IsANumberOrAPercentage) {
  for (const char* text : {"1.15", "115%", "+15%"}) {
    EXPECT_EQ(parse_factor("x", text), 1.15) << text;
  }
  EXPECT_EQ(parse_factor("x", "-15%"), 0.85);
  EXPECT_EQ(parse_factor("x", "0%"), 0.0);
  EXPECT_EQ(parse_factor("x", "50"), 50.0);
  for (const char* text : {"", "%", "+", "+1.15", "++15%", "1.15x", "15 %", "+x%", "%15"}) {
    EXPECT_THROW((void)parse_factor("x", text), Error) << text;
  }
}

}  // namespace
}  // namespace gpuimg::test_byte_size
