// Look-up tables of equalization: results computed by hand, properties, comparisons with the oracle, counts that exceed
// float32 and 32 bits.
#include "ops/equalize.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/oracle_of_options.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_level_map {
namespace {

using Counts = std::vector<std::uint64_t>;

constexpr EqualizeFormula kFormulas[] = {EqualizeFormula::opencv, EqualizeFormula::cdf, EqualizeFormula::pillow,
                                         EqualizeFormula::stretch};

class Formula : public ::testing::TestWithParam<EqualizeFormula> {};
INSTANTIATE_TEST_SUITE_P(All, Formula, ::testing::ValuesIn(kFormulas), [](const auto& formula) {
  return std::string(formula.param == EqualizeFormula::opencv   ? "opencv"
                     : formula.param == EqualizeFormula::cdf    ? "cdf"
                     : formula.param == EqualizeFormula::pillow ? "pillow"
                                                                : "stretch");
});

Counts with_counts(std::initializer_list<std::pair<std::size_t, std::uint64_t>> used, std::size_t levels = 256) {
  Counts counts(levels, 0);
  for (const auto& [level, count] : used) {
    counts[level] = count;
  }
  return counts;
}

TEST(LevelMap, OpencvMatchesHandComputedLevels) {
  // N = 10, h[i₀] = 4: scale = 255/6 = 42.5; c − h[i₀] = 1, 6 give 42 (42.5 to even) and 255.
  const auto map = level_map(EqualizeFormula::opencv, with_counts({{10, 4}, {20, 1}, {30, 5}}));
  EXPECT_EQ(map[0], 0);
  EXPECT_EQ(map[10], 0);
  EXPECT_EQ(map[19], 0);
  EXPECT_EQ(map[20], 42);
  EXPECT_EQ(map[29], 42);
  EXPECT_EQ(map[30], 255);
  EXPECT_EQ(map[255], 255);
}

TEST(LevelMap, CdfMatchesHandComputedLevels) {
  // N = 10: 255·4/10 = 102, 255·5/10 = 127.5 rounds up.
  const auto map = level_map(EqualizeFormula::cdf, with_counts({{10, 4}, {20, 1}, {30, 5}}));
  EXPECT_EQ(map[9], 0);
  EXPECT_EQ(map[10], 102);
  EXPECT_EQ(map[20], 128);
  EXPECT_EQ(map[30], 255);
}

TEST(LevelMap, PillowMatchesHandComputedLevels) {
  // N − h[last] = 510: step = 2, and level v maps to ⌊(1 + c[v−1]) / 2⌋.
  const auto map = level_map(EqualizeFormula::pillow, with_counts({{0, 10}, {5, 500}, {200, 7}}));
  EXPECT_EQ(map[0], 0);
  EXPECT_EQ(map[1], 5);
  EXPECT_EQ(map[5], 5);
  EXPECT_EQ(map[6], 255);
  EXPECT_EQ(map[255], 255);  // ⌊518/2⌋ = 259, limited to V
}

TEST(LevelMap, PillowHandlesStepsOfZeroAndOne) {
  // 254 pixels below the last level are too few for a step; 255 pixels give a step of 1.
  EXPECT_TRUE(is_identity(level_map(EqualizeFormula::pillow, with_counts({{3, 254}, {9, 1000}}))));
  const auto map = level_map(EqualizeFormula::pillow, with_counts({{3, 255}, {9, 1000}}));
  EXPECT_EQ(map[3], 0);
  EXPECT_EQ(map[4], 255);
  EXPECT_TRUE(is_identity(level_map(EqualizeFormula::pillow, with_counts({{3, 65534}, {9, 1}}, 65536))));
  EXPECT_FALSE(is_identity(level_map(EqualizeFormula::pillow, with_counts({{3, 65535}, {9, 1}}, 65536))));
}

TEST(LevelMap, PillowMatchesTheOracleForSmallSteps) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (std::uint64_t below = 250; below < 3000; ++below) {
    Counts counts(256, 0);
    for (std::uint64_t left = below; left > 0;) {
      const std::uint64_t part = std::min<std::uint64_t>(left, 1 + random.below(40));
      counts[random.below(250)] += part;
      left -= part;
    }
    counts[250 + random.below(6)] = 1 + random.below(500);
    ASSERT_EQ(level_map(EqualizeFormula::pillow, counts), oracle::table_pillow(counts)) << below;
  }
}

TEST(LevelMap, StretchMatchesHandComputedLevels) {
  // N = 10: 3 pixels, at level 20, reach 25 %; 8 pixels, at level 30, reach 80 %. 5·255/10 = 127.5 rounds up.
  const Counts counts = with_counts({{10, 2}, {20, 1}, {25, 4}, {30, 2}, {200, 1}});
  const auto map = level_map({EqualizeFormula::stretch, {25'000'000, 80'000'000}}, counts);
  EXPECT_EQ(map[10], 0);
  EXPECT_EQ(map[20], 0);
  EXPECT_EQ(map[25], 128);
  EXPECT_EQ(map[30], 255);
  EXPECT_EQ(map[200], 255);
  // 20 % equals the first level's share; a percentile that is a millionth larger exceeds it.
  EXPECT_EQ(level_map({EqualizeFormula::stretch, {20'000'000, 100'000'000}}, counts)[20], 13);
  EXPECT_EQ(level_map({EqualizeFormula::stretch, {20'000'001, 100'000'000}}, counts)[20], 0);
  // 0 % means the first level in use.
  EXPECT_EQ(level_map({EqualizeFormula::stretch, {0, 100'000'000}}, counts)[10], 0);
  EXPECT_EQ(level_map({EqualizeFormula::stretch, {0, 100'000'000}}, counts)[20], 13);
  EXPECT_TRUE(is_identity(level_map({EqualizeFormula::stretch, {71'000'000, 90'000'000}}, counts)));
}

TEST(LevelMap, StretchIsExactAtEveryPercentile) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 3000; ++round) {
    Counts counts(round % 50 == 0 ? 65536 : 256, 0);
    const int top = random.between(1, 40);
    for (std::uint32_t i = 1 + random.below(40); i > 0; --i) {
      counts[random.below(static_cast<std::uint32_t>(counts.size()))] = random.bits() >> (64 - top);
    }
    std::uint32_t low = random.below(kHundredPercent);
    std::uint32_t high = low + 1 + random.below(kHundredPercent - low);
    if (random.below(2) == 0) {  // whole percentages can equal shares exactly
      low = low / 1'000'000 * 1'000'000;
      high = low + 1'000'000;
    }
    ASSERT_EQ(level_map({EqualizeFormula::stretch, {low, high}}, counts), oracle::table_stretch(counts, low, high))
        << "round " << round << ", " << low << " to " << high;
  }
}

TEST(LevelMap, HandlesFlatAndEmptyHistograms) {
  for (const std::size_t levels : {std::size_t{256}, std::size_t{65536}}) {
    for (const std::size_t level : {std::size_t{0}, std::size_t{77}, levels - 1}) {
      const Counts flat = with_counts({{level, 1000}}, levels);
      EXPECT_TRUE(is_identity(level_map(EqualizeFormula::opencv, flat)));
      EXPECT_TRUE(is_identity(level_map(EqualizeFormula::pillow, flat)));
      EXPECT_TRUE(is_identity(level_map(EqualizeFormula::stretch, flat)));
      EXPECT_EQ(level_map(EqualizeFormula::cdf, flat)[level], levels - 1);
    }
    for (const EqualizeFormula formula : kFormulas) {
      EXPECT_TRUE(is_identity(level_map(formula, Counts(levels, 0))));
    }
  }
}

TEST_P(Formula, IsMonotoneAndMatchesTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 400; ++round) {
    Counts counts(round % 8 == 0 ? 65536 : 256, 0);
    const std::uint32_t used = 1 + random.below(round % 3 == 0 ? 4 : 300);
    for (std::uint32_t i = 0; i < used; ++i) {
      counts[random.below(static_cast<std::uint32_t>(counts.size()))] = random.below(1U << random.below(24));
    }
    const auto map = level_map(GetParam(), counts);
    EXPECT_EQ(map, oracle::table_of_formula(GetParam())(counts)) << "round " << round;
    EXPECT_TRUE(std::is_sorted(map.begin(), map.end())) << "round " << round;
  }
}

TEST_P(Formula, HandlesCountsBeyondFloat32And32Bits) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 400; ++round) {
    Counts counts(round % 8 == 0 ? 65536 : 256, 0);
    const std::uint32_t used = 2 + random.below(40);
    const int top = random.between(22, 40);
    for (std::uint32_t i = 0; i < used; ++i) {
      const std::uint64_t near = std::uint64_t{1} << random.between(20, top);
      const std::uint64_t any = random.bits() >> (64 - top);
      counts[random.below(static_cast<std::uint32_t>(counts.size()))] =
          random.below(2) == 0 ? any : near + random.below(5) - 2;
    }
    ASSERT_EQ(level_map(GetParam(), counts), oracle::table_of_formula(GetParam())(counts)) << "round " << round;
  }
}

TEST(LevelMap, FloatOfACountRoundsToEven) {
  // 2²⁴ + 1 and 2²⁴ + 3 are ties between neighboring float32 numbers, and round to 2²⁴ and 2²⁴ + 4.
  constexpr std::uint64_t kOne = std::uint64_t{1} << 24;
  EXPECT_EQ(level_rule(EqualizeFormula::opencv, 255, kOne + 2, 1, 1).scale, 255.0F / 16777216.0F);
  EXPECT_EQ(level_rule(EqualizeFormula::opencv, 255, kOne + 4, 1, 1).scale, 255.0F / 16777220.0F);
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 32;
  EXPECT_EQ(level_rule(EqualizeFormula::opencv, 65535, kLarge + 257, 1, 1).scale, 65535.0F / 4294967296.0F);
  EXPECT_EQ(level_rule(EqualizeFormula::opencv, 65535, kLarge + 258, 1, 1).scale, 65535.0F / 4294967808.0F);
}

TEST(LevelMap, OpencvMatchesTheOracleForEveryTotal) {
  // Two levels above the first one make c − h[i₀] take all values 1 … N for small N, including ties.
  for (std::uint64_t n = 1; n <= 600; ++n) {
    Counts counts(256, 0);
    counts[0] = 3;
    for (std::uint64_t i = 0; i < n; ++i) {
      counts[1 + i * 254 / n] += 1;
    }
    ASSERT_EQ(level_map(EqualizeFormula::opencv, counts), oracle::table_opencv(counts)) << n;
  }
}

TEST(Blended, MatchesHandComputedLevels) {
  EXPECT_EQ(blended(10, 20, 0.0), 10U);
  EXPECT_EQ(blended(10, 20, 1.0), 20U);
  EXPECT_EQ(blended(10, 21, 0.5), 16U);  // 15.5 rounds up
  EXPECT_EQ(blended(21, 10, 0.5), 16U);  // rounds up in the other direction, too
  EXPECT_EQ(blended(0, 255, 0.3), 77U);  // 76.5
  EXPECT_EQ(blended(255, 0, 0.25), 191U);
  EXPECT_EQ(blended(65535, 0, 1.0), 0U);
}

}  // namespace
}  // namespace gpuimg::test_level_map
