// Histogram matching: results computed by hand, properties, and a comparison with an exact search through all levels.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "gpuimg/backend.hpp"
#include "ops/equalize.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_match {
namespace {

__extension__ using Wide = __int128;
using Counts = std::vector<std::uint64_t>;

Counts random_counts(test::Random& random, std::size_t levels, int top) {
  Counts counts(levels, 0);
  for (std::uint32_t i = 1 + random.below(random.below(3) == 0 ? 3 : 200); i > 0; --i) {
    counts[random.below(static_cast<std::uint32_t>(levels))] += 1 + (random.bits() >> (64 - top));
  }
  return counts;
}

/// The level of the reference with the nearest share. Tries all levels in use, from the darkest.
std::uint16_t nearest(Wide below, Wide total, const Counts& reference) {
  const Wide all = std::accumulate(reference.begin(), reference.end(), std::uint64_t{0});
  Wide reached = 0;
  Wide best = -1;
  std::size_t found = 0;
  for (std::size_t u = 0; u < reference.size(); ++u) {
    reached += reference[u];
    const Wide difference = below * all - reached * total;
    const Wide distance = difference < 0 ? -difference : difference;
    if (reference[u] != 0 && (best < 0 || distance < best)) {
      best = distance;
      found = u;
    }
  }
  return static_cast<std::uint16_t>(found);
}

/// The entries that the table must have at the levels that a test checks. If these entries keep every level in use, the
/// expected table is the identity.
class Wanted {
 public:
  Wanted(const Counts& counts, const Counts& reference) : reference_(reference) {
    for (const std::uint64_t count : counts) {
      below_.push_back((below_.empty() ? 0 : below_.back()) + Wide{count});
    }
    for (std::size_t v = 0; v < counts.size(); ++v) {
      keeps_all_in_use_ = keeps_all_in_use_ && (counts[v] == 0 || nearest_of(v) == v);
    }
  }

  [[nodiscard]] std::size_t at(std::size_t v) const { return keeps_all_in_use_ ? v : nearest_of(v); }

 private:
  [[nodiscard]] std::size_t nearest_of(std::size_t v) const { return nearest(below_[v], below_.back(), reference_); }

  const Counts& reference_;
  std::vector<Wide> below_;
  bool keeps_all_in_use_ = true;
};

TEST(Match, MatchesHandComputedLevels) {
  Counts counts(256, 0);
  counts[5] = 1;
  counts[6] = 2;
  counts[9] = 1;
  Counts reference(256, 0);
  reference[100] = 1;  // its shares are 1/2 and 1
  reference[200] = 1;
  const auto map = matched_map(counts, reference);
  EXPECT_EQ(map[0], 100);
  EXPECT_EQ(map[5], 100);  // its share is 1/4
  EXPECT_EQ(map[6], 100);  // its share 3/4 is equally near to 1/2 and 1
  EXPECT_EQ(map[9], 200);
  EXPECT_EQ(map[255], 200);
}

TEST(Match, FindsTheNearestOfAllLevels) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 300; ++round) {
    const int top = random.between(1, 40);
    const Counts counts = random_counts(random, 256, top);
    const Counts reference = random_counts(random, 256, random.between(1, 40));
    const auto map = matched_map(counts, reference);
    const Wanted wanted(counts, reference);
    for (std::size_t v = 0; v < 256; ++v) {
      ASSERT_EQ(map[v], wanted.at(v)) << "round " << round << ", level " << v;
    }
  }
}

TEST(Match, FindsTheNearestOfSomeSixteenBitLevels) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 10; ++round) {
    const Counts counts = random_counts(random, 65536, 30);
    const Counts reference = random_counts(random, 65536, 30);
    const auto map = matched_map(counts, reference);
    const Wanted wanted(counts, reference);
    for (int i = 0; i < 20; ++i) {
      const std::size_t v = random.below(65536);
      ASSERT_EQ(map[v], wanted.at(v)) << v;
    }
  }
}

TEST(Match, IsTheIdentityForEqualHistograms) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 50; ++round) {
    const Counts counts = random_counts(random, round % 5 == 0 ? 65536 : 256, 40);
    EXPECT_TRUE(is_identity(matched_map(counts, counts)));
  }
  EXPECT_TRUE(is_identity(matched_map(Counts(256, 0), random_counts(random, 256, 9))));
}

TEST(Match, LeavesAnImageMatchedToItselfUnchangedPerChannel) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : test::photographic_formats()) {
    for (const EqualizeColor color : {EqualizeColor::luma, EqualizeColor::rgb}) {
      SCOPED_TRACE(test::name_of(format));
      const Picture picture = backend->upload(test::smooth_image(random, 40, 30, format));
      EqualizeOptions options;
      options.color = color;
      options.selection.count_transparent = true;  // otherwise, levels of transparent pixels could change
      const LevelCounts counts = backend->table_counts(picture, options);
      options.match = &counts;
      LevelTables used;
      const Image same = backend->download(backend->equalize(picture, options, &used));
      EXPECT_TRUE(test::same_pixels(same.view(), backend->download(picture).view()));
      LevelCounts other = counts;
      other.back() = random_counts(random, counts.back().size(), 20);
      options.match = &other;
      (void)backend->equalize(picture, options, &used);
      EXPECT_EQ(used.maps.back(), matched_map(counts.back(), other.back()));
    }
  }
}

TEST(Match, KeepsDarkBlueWithZeroLuma) {
  const auto backend = make_cpu_backend(1);
  Image image = test::constant_image(3, 1, {Sample::u8, 3}, 0);
  image.view().row<std::uint8_t>(0)[2] = 3;  // (0, 0, 3), whose luma is 0
  image.view().row<std::uint8_t>(0)[3] = 200;
  const Picture picture = backend->upload(image.view());
  EqualizeOptions options;
  const LevelCounts counts = backend->table_counts(picture, options);
  options.match = &counts;
  EXPECT_TRUE(test::same_pixels(backend->download(backend->equalize(picture, options)).view(),
                                backend->download(picture).view()));
}

TEST(Match, RejectsInvalidArguments) {
  const auto backend = make_cpu_backend(1);
  const Picture gray = backend->upload(test::constant_image(3, 3, {Sample::u8, 1}, 7));
  const auto rejected = [&](const LevelCounts& counts) {
    EqualizeOptions options;
    options.match = &counts;
    EXPECT_THROW((void)backend->equalize(gray, options), Error);
  };
  rejected({Counts(65536, 1)});
  rejected({Counts(256, 0)});
  rejected({Counts(256, 1), Counts(256, 1), Counts(256, 1)});
  rejected({});
}

}  // namespace
}  // namespace gpuimg::test_match
