// Sizes in bytes, as --max-memory takes them.
#include <gtest/gtest.h>

#include <cstdint>

#include "cli/option_values.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::test_byte_size {
namespace {

TEST(ByteSize, UnitsAndLimits) {
  EXPECT_EQ(parse_byte_size("x", "1"), 1U);
  EXPECT_EQ(parse_byte_size("x", "3K"), 3072U);
  EXPECT_EQ(parse_byte_size("x", "2G"), std::uint64_t{2} << 30);
  for (const char* text : {"", "0", "K", "-1", "1.5G", "1g", "1KB", "18446744073709551616", "99999999999T"}) {
    EXPECT_THROW((void)parse_byte_size("x", text), Error) << text;
  }
}

}  // namespace
}  // namespace gpuimg::test_byte_size
