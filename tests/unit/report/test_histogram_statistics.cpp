// Statistics of a histogram compared with results computed by hand and with the sorted pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "report/statistics.hpp"

namespace gpuimg::test_histogram_statistics {
namespace {

using Counts = std::vector<std::uint64_t>;

TEST(HistogramStatistics, AreAbsentIfNothingIsCounted) {
  EXPECT_FALSE(statistics_of(Counts(256, 0)).has_value());
  EXPECT_FALSE(statistics_of(Counts{}).has_value());
}

TEST(HistogramStatistics, DescribeASingleLevel) {
  Counts counts(256, 0);
  counts[7] = 1234;
  const auto s = statistics_of(counts).value();
  EXPECT_EQ(s.counted, 1234U);
  EXPECT_EQ(s.min, 7U);
  EXPECT_EQ(s.max, 7U);
  EXPECT_EQ(s.mean, 7.0);
  EXPECT_EQ(s.standard_deviation, 0.0);
  EXPECT_EQ(s.mode, 7U);
  EXPECT_EQ(s.entropy_bits, 0.0);
  EXPECT_FALSE(std::signbit(s.entropy_bits));
  for (const std::uint32_t p : s.percentiles) {
    EXPECT_EQ(p, 7U);
  }
}

TEST(HistogramStatistics, MatchHandComputedValues) {
  // Pixels 0 0 1 3: mean 1, variance (1 + 1 + 0 + 4) / 4, entropy ½·1 + 2·¼·2.
  const auto s = statistics_of(Counts{2, 1, 0, 1}).value();
  EXPECT_EQ(s.counted, 4U);
  EXPECT_EQ(s.min, 0U);
  EXPECT_EQ(s.max, 3U);
  EXPECT_EQ(s.mean, 1.0);
  EXPECT_EQ(s.standard_deviation, std::sqrt(1.5));
  EXPECT_EQ(s.median(), 0U);  // cdf(0) is exactly one half
  EXPECT_EQ(s.percentiles, (std::array<std::uint32_t, 7>{0, 0, 0, 0, 1, 3, 3}));
  EXPECT_EQ(s.mode, 0U);
  EXPECT_EQ(s.entropy_bits, 1.5);
  EXPECT_EQ(s.share_at_zero, 0.5);
  EXPECT_EQ(s.share_at_max, 0.25);
}

TEST(HistogramStatistics, PercentilesAreExactAtBoundaries) {
  // 100 pixels with the values 1 … 100: percentile p is the value p.
  Counts counts(256, 0);
  std::fill(counts.begin() + 1, counts.begin() + 101, std::uint64_t{1});
  EXPECT_EQ(statistics_of(counts)->percentiles, (std::array<std::uint32_t, 7>{1, 5, 25, 50, 75, 95, 99}));
  // One more pixel with value 0: 50 % of 101 is 50.5; the 51st pixel, with value 50, reaches it.
  counts[0] = 1;
  EXPECT_EQ(statistics_of(counts)->percentiles, (std::array<std::uint32_t, 7>{1, 5, 25, 50, 75, 95, 99}));
  // Two more pixels at the top: 1 % of 103 is 1.03; the second pixel, with value 1, reaches it. 99 % is 101.97; the
  // 102nd pixel, with value 101, reaches it.
  counts[101] = 2;
  EXPECT_EQ(statistics_of(counts)->percentiles, (std::array<std::uint32_t, 7>{1, 5, 25, 51, 77, 97, 101}));
}

TEST(HistogramStatistics, ModeIsTheSmallestOfSeveral) { EXPECT_EQ(statistics_of(Counts{1, 5, 0, 5, 5})->mode, 1U); }

TEST(HistogramStatistics, HugeCountsStayExact) {
  const std::uint64_t huge = std::uint64_t{1} << 63;
  Counts counts(65536, 0);
  counts.front() = huge;
  counts.back() = huge - 1;  // the sum is 2^64 - 1
  const auto s = statistics_of(counts).value();
  EXPECT_EQ(s.counted, ~std::uint64_t{0});
  EXPECT_EQ(s.median(), 0U);
  EXPECT_EQ(s.percentiles[4], 65535U);
  EXPECT_DOUBLE_EQ(s.mean, 32767.5);
  EXPECT_DOUBLE_EQ(s.standard_deviation, 32767.5);
  EXPECT_EQ(s.entropy_bits, 1.0);
  EXPECT_EQ(s.mode, 0U);
}

TEST(HistogramStatistics, NarrowPeakFarFromZeroDoesNotCancel) {
  // The textbook formula E[v²] − E[v]² loses every digit here.
  const std::uint64_t many = std::uint64_t{1} << 60;
  Counts counts(65536, 0);
  counts[65534] = 1;
  counts[65535] = many;
  const double n = static_cast<double>(many) + 1.0;
  EXPECT_DOUBLE_EQ(statistics_of(counts)->standard_deviation, std::sqrt(1.0 / n * (1.0 - 1.0 / n)));
}

struct Oracle {
  long double mean = 0;
  long double deviation = 0;
  long double entropy = 0;
};

Oracle oracle_of(const std::vector<std::uint32_t>& pixels) {
  Oracle oracle;
  std::map<std::uint32_t, long double> shares;
  const auto n = static_cast<long double>(pixels.size());
  for (const std::uint32_t v : pixels) {
    oracle.mean += v / n;
    shares[v] += 1 / n;
  }
  for (const std::uint32_t v : pixels) {
    oracle.deviation += (v - oracle.mean) * (v - oracle.mean) / n;
  }
  oracle.deviation = std::sqrt(oracle.deviation);
  for (const auto& [v, share] : shares) {
    oracle.entropy -= share * std::log2(share);
  }
  return oracle;
}

TEST(HistogramStatistics, RandomHistogramsAgreeWithTheirSortedPixels) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t levels = round % 4 == 0 ? 65536 : 256;
    const std::size_t size = 1 + random() % (round % 3 == 0 ? 12 : 5000);
    std::normal_distribution<double> values(static_cast<double>(random() % levels),
                                            static_cast<double>(1 + random() % (levels / 4)));
    std::vector<std::uint32_t> pixels(size);
    Counts counts(levels, 0);
    for (std::uint32_t& v : pixels) {
      v = static_cast<std::uint32_t>(std::clamp(values(random), 0.0, levels - 1.0));
      ++counts[v];
    }
    std::sort(pixels.begin(), pixels.end());
    const auto s = statistics_of(counts).value();
    ASSERT_EQ(s.counted, size);
    ASSERT_EQ(s.min, pixels.front());
    ASSERT_EQ(s.max, pixels.back());
    for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
      const std::size_t rank = (size * static_cast<std::size_t>(kPercentiles[i]) + 99) / 100;  // ⌈p·N⌉, counted from 1
      ASSERT_EQ(s.percentiles[i], pixels[rank - 1]) << kPercentiles[i] << " % of " << size;
    }
    ASSERT_EQ(s.mode, std::max_element(counts.begin(), counts.end()) - counts.begin());
    const Oracle oracle = oracle_of(pixels);
    ASSERT_NEAR(s.mean, static_cast<double>(oracle.mean), 1e-9 * levels);
    ASSERT_NEAR(s.standard_deviation, static_cast<double>(oracle.deviation), 1e-9 * levels);
    ASSERT_NEAR(s.entropy_bits, static_cast<double>(oracle.entropy), 1e-9);
    ASSERT_EQ(s.share_at_zero, static_cast<double>(counts.front()) / static_cast<double>(size));
    ASSERT_EQ(s.share_at_max, static_cast<double>(counts.back()) / static_cast<double>(size));
  }
}

}  // namespace
}  // namespace gpuimg::test_histogram_statistics
