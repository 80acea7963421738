// The circular mean and deviation compared with results computed by hand and with complex sums in higher precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "report/statistics.hpp"

namespace gpuimg::test_circular_moments {
namespace {

using Counts = std::vector<std::uint64_t>;

TEST(CircularMoments, AreAbsentIfNothingIsCounted) {
  EXPECT_FALSE(circular_moments(Counts(256, 0)).has_value());
  EXPECT_FALSE(circular_moments(Counts{}).has_value());
}

TEST(CircularMoments, ASingleBinGivesItsCenterAndZeroDeviation) {
  for (const std::size_t bins : {2U, 3U, 256U, 65536U}) {
    for (const std::size_t bin : {std::size_t{0}, bins / 3, bins - 1}) {
      Counts counts(bins, 0);
      counts[bin] = 1000003;
      const CircularMoments moments = circular_moments(counts).value();
      const double center = 360.0 * (static_cast<double>(bin) + 0.5) / static_cast<double>(bins);
      EXPECT_NEAR(moments.mean, center, 0.51e-6) << bin << " of " << bins;
      EXPECT_EQ(moments.deviation, 0.0) << bin << " of " << bins;
      EXPECT_FALSE(std::signbit(moments.deviation));
    }
  }
}

TEST(CircularMoments, HuesOnBothSidesOfZeroAverageToZero) {
  Counts counts(360, 0);
  counts[359] = 10;
  counts[0] = 10;
  const CircularMoments moments = circular_moments(counts).value();
  EXPECT_EQ(moments.mean, 0.0);
  EXPECT_FALSE(std::signbit(moments.mean));
  // R = cos 0.5°, and √(−2 ln cos x) is x(1 + x²/12) up to the fourth order.
  const double half = 0.5 * std::numbers::pi / 180.0;
  EXPECT_NEAR(moments.deviation, 0.5 * (1.0 + half * half / 12.0), 0.51e-6);
}

TEST(CircularMoments, MatchHandComputedValues) {
  // Centers 45°, 135°, 225°, 315°. Two pixels at 45° and one at 135°: S = √½, C = √½/3, R = √5/3.
  const CircularMoments moments = circular_moments(Counts{2, 1, 0, 0}).value();
  EXPECT_NEAR(moments.mean, std::atan(3.0) * 180.0 / std::numbers::pi, 0.51e-6);
  EXPECT_NEAR(moments.deviation, std::sqrt(std::log(9.0 / 5.0)) * 180.0 / std::numbers::pi, 0.51e-6);
}

TEST(CircularMoments, OppositeHuesCancel) {
  Counts counts(256, 0);
  counts[20] = counts[148] = 7;
  EXPECT_FALSE(circular_moments(counts).has_value());
  for (const std::size_t bins : {2U, 3U, 7U, 256U, 65536U}) {
    EXPECT_FALSE(circular_moments(Counts(bins, std::uint64_t{1} << 40)).has_value()) << bins;
  }
}

TEST(CircularMoments, OnePixelInAHundredMillionMovesTheDeviation) {
  // One pixel is a quarter turn away: 1 − R is 1e-8; a float64 near 1 keeps only half of its digits.
  Counts counts(4, 0);
  counts[0] = 99999999;
  counts[1] = 1;
  EXPECT_NEAR(circular_moments(counts)->deviation, std::sqrt(2e-8) * 180.0 / std::numbers::pi, 1e-6);
}

TEST(CircularMoments, HandleHugeCounts) {
  Counts counts(65536, 0);
  counts[16383] = std::uint64_t{1} << 63;
  counts[16384] = (std::uint64_t{1} << 63) - 1;
  const CircularMoments moments = circular_moments(counts).value();
  EXPECT_EQ(moments.mean, 90.0);
  EXPECT_NEAR(moments.deviation, 180.0 / 65536.0, 0.51e-6);
}

TEST(CircularMoments, MatchComplexSumsForRandomHistograms) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 100; ++round) {
    const std::size_t bins = 2 + random() % 1000;
    Counts counts(bins, 0);
    std::complex<long double> sum = 0;
    long double counted = 0;
    for (std::size_t i = 0, used = 1 + random() % bins; i < used; ++i) {
      const std::size_t bin = random() % bins;
      const std::uint64_t more = 1 + random() % 10000;
      counts[bin] += more;
      const long double center = (static_cast<long double>(bin) + 0.5L) / static_cast<long double>(bins);
      sum += std::polar(static_cast<long double>(more), 2.0L * std::numbers::pi_v<long double> * center);
      counted += static_cast<long double>(more);
    }
    const long double resultant = std::abs(sum) / counted;
    if (resultant < 1e-4L) {
      continue;
    }
    const CircularMoments moments = circular_moments(counts).value();
    constexpr long double kDegrees = 180.0L / std::numbers::pi_v<long double>;
    const long double apart = std::fmod(std::arg(sum) * kDegrees - moments.mean + 720.0L, 360.0L);
    ASSERT_LT(std::min(apart, 360.0L - apart), 0.51e-6L);
    ASSERT_GE(moments.mean, 0.0);
    ASSERT_LT(moments.mean, 360.0);
    if (resultant < 0.999L) {
      ASSERT_NEAR(moments.deviation, static_cast<double>(std::sqrt(-2.0L * std::log(resultant)) * kDegrees), 0.51e-6);
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_circular_moments
