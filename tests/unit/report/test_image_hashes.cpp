// Groups of similar hashes, compared with a search of all pairs; hashes of thumbnails with known bits; gray from 16
// bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "report/image_hashes.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;

/// Compares all pairs of hashes repeatedly, until no group changes.
Groups groups_of_all_pairs(const std::vector<std::uint64_t>& hashes, int distance) {
  std::vector<std::uint32_t> first(hashes.size());
  std::iota(first.begin(), first.end(), 0U);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      for (std::size_t k = 0; k < hashes.size(); ++k) {
        if (std::popcount(hashes[i] ^ hashes[k]) <= distance && first[k] < first[i]) {
          first[i] = first[k];
          has_changed = true;
        }
      }
    }
  }
  Groups groups;
  for (std::uint32_t at = 0; at < hashes.size(); ++at) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = 0; i < hashes.size(); ++i) {
      if (first[i] == at) {
        members.push_back(i);
      }
    }
    if (members.size() > 1) {
      groups.push_back(members);
    }
  }
  return groups;
}

/// Finds the same groups in one pass over all pairs, for many hashes.
Groups groups_of_many(const std::vector<std::uint64_t>& hashes, int distance) {
  std::vector<std::uint32_t> group(hashes.size());
  std::iota(group.begin(), group.end(), 0U);
  std::vector<std::vector<std::uint32_t>> members(hashes.size());
  for (std::uint32_t i = 0; i < hashes.size(); ++i) {
    members[i] = {i};
  }
  for (std::uint32_t i = 0; i < hashes.size(); ++i) {
    for (std::uint32_t k = 0; k < i; ++k) {
      if (std::popcount(hashes[i] ^ hashes[k]) <= distance && group[i] != group[k]) {
        std::vector<std::uint32_t>& to = members[std::min(group[i], group[k])];
        std::vector<std::uint32_t>& from = members[std::max(group[i], group[k])];
        const std::uint32_t first = std::min(group[i], group[k]);
        for (const std::uint32_t moved : from) {
          group[moved] = first;
          to.push_back(moved);
        }
        from.clear();
      }
    }
  }
  std::erase_if(members, [](const std::vector<std::uint32_t>& one) { return one.size() < 2; });
  for (std::vector<std::uint32_t>& one : members) {
    std::sort(one.begin(), one.end());
  }
  return members;
}

/// Random hashes, equal hashes, hashes that differ from others in a few bits, and hashes with almost only equal bits.
std::vector<std::uint64_t> mixed_hashes(std::size_t count, test::Random& random) {
  std::vector<std::uint64_t> hashes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t kind = random.below(4);
    std::uint64_t hash =
        kind == 0 || hashes.empty() ? random.bits() : hashes[random.below(static_cast<std::uint32_t>(hashes.size()))];
    for (std::uint32_t flips = kind >= 2 ? random.below(14) : 0; flips > 0; --flips) {
      hash ^= std::uint64_t{1} << random.below(64);
    }
    hashes.push_back(kind == 3 ? hash & 0xFF : hash);
  }
  return hashes;
}

void flip_bits(std::uint64_t& hash, int count, test::Random& random) {
  for (std::uint64_t flipped = 0; std::popcount(flipped) < count;) {
    const std::uint64_t bit = std::uint64_t{1} << random.below(64);
    hash ^= bit & ~flipped;
    flipped |= bit;
  }
}

TEST(HashGroups, MatchASearchOfAllPairs) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int distance = kHashDistanceLimits.least; distance <= kHashDistanceLimits.most; ++distance) {
    for (const std::size_t count : {0, 1, 2, 30, 400}) {
      const std::vector<std::uint64_t> hashes = mixed_hashes(count, random);
      EXPECT_EQ(groups_of_near_hashes(hashes, distance), groups_of_all_pairs(hashes, distance))
          << "distance " << distance << ", " << count << " hashes";
    }
  }
}

TEST(HashGroups, EveryPairAtTheDistanceIsFound) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int distance = 1; distance <= kHashDistanceLimits.most; ++distance) {
    std::vector<std::uint64_t> hashes;  // hashes of different pairs differ in about 32 bits
    for (int pair = 0; pair < 600; ++pair) {
      const std::uint64_t hash = random.bits();
      std::uint64_t other = hash;
      const int bits = pair % 3 == 0 ? distance + 1 : distance;
      if (pair % 3 == 1) {
        flip_bits(other, bits, random);
      } else {  // neighboring bits spread evenly over the parts: no part has fewer differences than its search allows
        other ^= std::rotl((std::uint64_t{1} << bits) - 1, random.between(0, 63));
      }
      hashes.push_back(hash);
      hashes.push_back(other);
    }
    EXPECT_EQ(groups_of_near_hashes(hashes, distance), groups_of_many(hashes, distance)) << distance;
  }
}

/// Thousands of hashes of each kind: random ones, and those that share few buckets or form long chains or clusters.
TEST(HashGroups, MatchASearchOfAllPairsForThousandsInClusters) {
  constexpr std::size_t kCount = 3000;
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const int distance : {1, 4, 7, 10, 13, 16}) {
    std::vector<std::vector<std::uint64_t>> kinds(6);
    std::uint64_t walking = random.bits();
    const std::uint64_t center = random.bits();
    for (std::size_t i = 0; i < kCount; ++i) {
      kinds[0].push_back(random.bits());
      // A chain: each hash has the maximum distance from the previous one.
      flip_bits(walking, distance, random);
      kinds[1].push_back(walking);
      // Chains with gaps: one step in ten is one bit too far.
      std::uint64_t broken = i == 0 ? center : kinds[2].back();
      flip_bits(broken, distance + (random.below(10) == 0 ? 1 : 0), random);
      kinds[2].push_back(broken);
      // A cluster around a center: two hashes differ by up to twice its radius.
      std::uint64_t near = center;
      flip_bits(near, distance / 2 + static_cast<int>(random.below(3)), random);
      kinds[3].push_back(near);
      // Of eight parts, only one differs from the center. So most keys of a part fall into one bucket.
      kinds[4].push_back(center ^ (random.bits() & 0x0101010101010101U << random.below(8)));
      // Only the lower half of a hash has bits that are 1, and only an eighth of them.
      kinds[5].push_back(random.bits() & random.bits() & random.bits() & 0xFFFFFFFFU);
    }
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      EXPECT_EQ(groups_of_near_hashes(kinds[kind], distance), groups_of_many(kinds[kind], distance))
          << "kind " << kind << ", distance " << distance;
    }
  }
}

TEST(HashGroups, BothSearchesOfAllPairsAgree) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const std::vector<std::uint64_t> hashes = mixed_hashes(300, random);
  EXPECT_EQ(groups_of_many(hashes, 6), groups_of_all_pairs(hashes, 6));
}

Image thumbnail(HashKind kind, const std::function<int(int x, int y)>& level) {
  const ThumbnailSize size = thumbnail_size(kind);
  Image image(size.width, size.height, {Sample::u8, 1});
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      image.view().row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(level(x, y));
    }
  }
  return image;
}

TEST(ImageHash, FlatThumbnailsHaveKnownHashes) {
  for (const int level : {0, 1, 77, 255}) {
    const auto flat = [level](int, int) { return level; };
    EXPECT_EQ(image_hash(HashKind::phash, thumbnail(HashKind::phash, flat).view()),
              level == 0 ? 0 : std::uint64_t{1} << 63);
    EXPECT_EQ(image_hash(HashKind::dhash, thumbnail(HashKind::dhash, flat).view()), 0U);
    EXPECT_EQ(image_hash(HashKind::ahash, thumbnail(HashKind::ahash, flat).view()), 0U);
  }
}

TEST(ImageHash, TheFirstPixelSetsTheHighestBit) {
  const auto corner = [](int x, int y) { return x == 0 && y == 0 ? 200 : 10; };
  EXPECT_EQ(image_hash(HashKind::ahash, thumbnail(HashKind::ahash, corner).view()), std::uint64_t{1} << 63);
  const auto right = [](int x, int y) { return x == 1 && y == 0 ? 200 : 10; };
  EXPECT_EQ(image_hash(HashKind::dhash, thumbnail(HashKind::dhash, right).view()), std::uint64_t{1} << 63);
}

TEST(ImageHash, SixteenBitGrayEqualsEightBitGray) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 2, 3, 4}) {
    const Image image = test::random_image(random, 37, 11, {Sample::u8, channels});
    Image deep(37, 11, {Sample::u16, channels});
    for (int y = 0; y < 11; ++y) {
      std::transform(image.view().row<std::uint8_t>(y), image.view().row<std::uint8_t>(y) + 37 * channels,
                     deep.view().row<std::uint16_t>(y),
                     [](int level) { return static_cast<std::uint16_t>(level * 257); });
    }
    const Image gray = gray_for_hashes(image.view());
    const Image gray_of_deep = gray_for_hashes(deep.view());
    EXPECT_TRUE(std::equal(gray.view().data, gray.view().data + gray.size_bytes(), gray_of_deep.view().data))
        << channels;
  }
}

/// All 16-bit levels; each is rounded to the nearest 8-bit level before luma is computed.
TEST(ImageHash, SixteenBitGrayRoundsEveryLevel) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto rounded = [](std::uint32_t level) { return std::lround(level / 257.0); };  // 257 is odd: no ties
  for (const int channels : {1, 2, 3, 4}) {
    const bool is_gray = channels < 3;
    const Image deep = test::image_of_pixels(256, 256, {Sample::u16, channels}, [&](std::size_t i) {
      std::vector<std::uint32_t> pixel(static_cast<std::size_t>(channels));
      for (std::uint32_t& level : pixel) {
        level = random.below(65536);
      }
      pixel[is_gray ? 0 : i % 3] = static_cast<std::uint32_t>(i);
      return pixel;
    });
    const Image gray = gray_for_hashes(deep.view());
    ASSERT_EQ(gray.format(), (PixelFormat{Sample::u8, 1}));
    std::size_t differing = 0;
    for (int y = 0; y < 256; ++y) {
      for (int x = 0; x < 256; ++x) {
        const auto level = [&](int c) { return rounded(test::sample_at(deep.view(), x, y, c)); };
        const long expected =
            is_gray ? level(0) : (level(0) * 19595 + level(1) * 38470 + level(2) * 7471 + 32768) / 65536;
        differing += static_cast<long>(test::sample_at(gray.view(), x, y, 0)) == expected ? 0 : 1;
      }
    }
    EXPECT_EQ(differing, 0U) << channels << " channels";
  }
}

}  // namespace
}  // namespace gpuimg
