// Luma: results computed by hand, all 2²⁴ colors through the CPU backend, and 16 bits.
#include "ops/luma.hpp"

#include <gtest/gtest.h>

#include <set>

#include "gpuimg/backend.hpp"
#include "support/oracle_levels.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_luma {
namespace {

struct Kind {
  Luma luma;
  const char* name;
  std::uint32_t (*oracle)(const oracle::Pixel&);
};

class LumaKind : public ::testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(All, LumaKind,
                         ::testing::Values(Kind{Luma::bt601, "bt601", oracle::luma_bt601},
                                           Kind{Luma::bt601_trunc, "bt601_trunc", oracle::luma_bt601_trunc},
                                           Kind{Luma::opencv, "opencv", oracle::luma_opencv},
                                           Kind{Luma::bt709, "bt709", oracle::luma_bt709}),
                         [](const auto& kind) { return std::string(kind.param.name); });

/// The luma of every pixel, computed as second differences of the backend's summed-area table.
Image luma_image(const Image& colors, Luma kind) {
  const auto backend = make_cpu_backend(0);
  IntegralOptions options;
  options.luma = kind;
  options.type = Sample::u64;
  const Image table = backend->download(backend->integral(backend->upload(colors.view()), options));
  Image out(colors.width(), colors.height(), PixelFormat{Sample::u16, 1});
  for (int y = 0; y < colors.height(); ++y) {
    const auto* above = table.view().row<std::uint64_t>(y);
    const auto* below = table.view().row<std::uint64_t>(y + 1);
    auto* level = out.view().row<std::uint16_t>(y);
    for (int x = 0; x < colors.width(); ++x) {
      level[x] = static_cast<std::uint16_t>(below[x + 1] - below[x] - above[x + 1] + above[x]);
    }
  }
  return out;
}

void expect_oracle_luma(const Image& colors, const Kind& kind) {
  const Image lumas = luma_image(colors, kind.luma);
  std::size_t wrong = 0;
  for (int y = 0; y < colors.height(); ++y) {
    const auto* actual = lumas.view().row<std::uint16_t>(y);
    for (int x = 0; x < colors.width(); ++x) {
      const oracle::Pixel p = oracle::pixel_at(colors.view(), x, y);
      const std::uint32_t expected = kind.oracle(p);
      if (actual[x] != expected || luma_of(kind.luma, p.r, p.g, p.b) != expected) {
        ASSERT_LT(++wrong, 5U) << "and more";
        ADD_FAILURE() << "luma of " << p.r << "," << p.g << "," << p.b << " is " << actual[x] << ", expected "
                      << expected;
      }
    }
  }
}

TEST_P(LumaKind, AllColorsMatchTheOracle) { expect_oracle_luma(test::all_colors(), GetParam()); }

TEST_P(LumaKind, SixteenBitEdgeColorsMatchTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  expect_oracle_luma(test::edge_colors_16(random), GetParam());
}

TEST_P(LumaKind, SixteenBitRandomColorsMatchTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  expect_oracle_luma(test::random_image(random, 1023, 1025, PixelFormat{Sample::u16, 3}), GetParam());
}

TEST_P(LumaKind, KeepsBlackAndWhite) {
  for (const std::uint32_t v : {255U, 65535U}) {
    EXPECT_EQ(luma_of(GetParam().luma, 0, 0, 0), 0U);
    EXPECT_EQ(luma_of(GetParam().luma, v, v, v), v);
  }
}

TEST_P(LumaKind, OnlyTruncationChangesGrays) {
  // Truncation lowers one in thirteen 8-bit grays by one level. The other kinds change no gray.
  std::set<std::uint32_t> changed;
  for (std::uint32_t v = 0; v < 256; ++v) {
    if (luma_of(GetParam().luma, v, v, v) != v) {
      changed.insert(v);
    }
  }
  const std::set<std::uint32_t> truncated = {37, 61, 74, 93, 111, 122, 148, 186, 215, 222, 233, 244, 253};
  EXPECT_EQ(changed, GetParam().luma == Luma::bt601_trunc ? truncated : std::set<std::uint32_t>{});
  if (GetParam().luma != Luma::bt601_trunc) {
    for (std::uint32_t v = 0; v < 65536; ++v) {
      ASSERT_EQ(luma_of(GetParam().luma, v, v, v), v);
    }
  }
}

TEST(Luma, MatchesHandComputedValues) {
  // 19595·255 = 4996725 = 76·65536 + 15989; 38470·255 + 32768 = 149·65536 + …; 7471·255 + 32768 = 29·65536 + …
  EXPECT_EQ(luma_of<Luma::bt601>(255, 0, 0), 76U);
  EXPECT_EQ(luma_of<Luma::bt601>(0, 255, 0), 150U);
  EXPECT_EQ(luma_of<Luma::bt601>(0, 0, 255), 29U);
  EXPECT_EQ(luma_of<Luma::bt601>(0, 0, 4), 0U);
  EXPECT_EQ(luma_of<Luma::bt601>(0, 0, 5), 1U);
  EXPECT_EQ(luma_of<Luma::bt601_trunc>(255, 0, 0), 76U);
  EXPECT_EQ(luma_of<Luma::bt601_trunc>(0, 255, 0), 149U);
  EXPECT_EQ(luma_of<Luma::bt709>(255, 0, 0), 54U);
  EXPECT_EQ(luma_of<Luma::bt709>(0, 255, 0), 182U);
  EXPECT_EQ(luma_of<Luma::bt709>(0, 0, 255), 18U);
}

TEST(Luma, AllColorsMatchPillowAndOpencv) {
  // checksum() of PIL.Image.convert("L") and of cv2.cvtColor(COLOR_RGB2GRAY), OpenCV 4.6, over all_colors().
  const Image colors = test::all_colors();
  const auto narrowed = [&](Luma kind) {
    Image out(4096, 4096, PixelFormat{Sample::u8, 1});
    const auto* p = colors.view().row<std::uint8_t>(0);
    auto* level = out.view().row<std::uint8_t>(0);
    for (std::size_t i = 0; i < (1U << 24); ++i, p += 3) {
      level[i] = static_cast<std::uint8_t>(luma_of(kind, p[0], p[1], p[2]));
    }
    return test::checksum(out.view());
  };
  EXPECT_EQ(narrowed(Luma::bt601), 0xcb7d2722df0f3d60U);
  EXPECT_EQ(narrowed(Luma::opencv), 0xd6af7a0e25ee0f79U);
}

}  // namespace
}  // namespace gpuimg::test_luma
