// Hashes of thumbnails, and groups of similar hashes by multi-index hashing (Norouzi, Punjani and Fleet, "Fast exact
// search in Hamming space with multi-index hashing", 2014): if the 64 bits are divided into m parts, two hashes that
// differ in up to d bits differ in at most ⌊d/m⌋ bits in at least one part. docs/operations.md, "Perceptual hashes".
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "report/image_hashes.cpp"
#include <fmt/format.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <utility>

#include "ops/luma.hpp"
#include "report/image_hashes.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::HWY_NAMESPACE {

/// Writes the indices of the hashes that differ from `hash` in up to `distance` bits to `found`, which has room for all
/// hashes. Returns their number. Compiled for each instruction set, because most can count bits in one instruction.
std::size_t near_hashes(const std::uint64_t* hashes, std::size_t count, std::uint64_t hash, int distance,
                        std::uint32_t* found) {
  std::size_t matches = 0;
  for (std::size_t i = 0; i < count; ++i) {
    found[matches] = static_cast<std::uint32_t>(i);
    matches += std::popcount(hashes[i] ^ hash) <= distance ? 1 : 0;
  }
  return matches;
}

}  // namespace gpuimg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg {
namespace {
HWY_EXPORT(near_hashes);

constexpr int kSide = 8;            ///< a hash has 8 × 8 bits
constexpr int kFrequencySide = 32;  ///< side of the thumbnail of phash
constexpr int kCosineBits = 40;

__extension__ using Sum = __int128;

/// Collects bits; the first becomes the highest.
class Bits {
 public:
  void add(bool bit) { bits_ = bits_ << 1U | (bit ? 1U : 0U); }
  [[nodiscard]] std::uint64_t all() const { return bits_; }

 private:
  std::uint64_t bits_ = 0;
};

template <class T>
constexpr std::uint32_t to_eight_bits(T level) {
  return sizeof(T) == 1 ? level : (std::uint32_t{level} + 128) / 257;
}

template <class T>
void gray_row(const T* from, int width, PixelFormat format, std::uint8_t* to) {
  const bool is_gray = format.color_channels() == 1;
  for (int x = 0; x < width; ++x, from += format.channels) {
    const std::uint32_t red = to_eight_bits(from[0]);
    to[x] = static_cast<std::uint8_t>(
        is_gray ? red : luma_of<Luma::bt601>(red, to_eight_bits(from[1]), to_eight_bits(from[2])));
  }
}

std::uint64_t average_hash(ConstView pixels) {
  std::uint32_t sum = 0;
  for (int y = 0; y < kSide; ++y) {
    const std::uint8_t* row = pixels.row<std::uint8_t>(y);
    sum = std::accumulate(row, row + kSide, sum);
  }
  Bits bits;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      bits.add(std::uint32_t{pixels.row<std::uint8_t>(y)[x]} * kSide * kSide > sum);
    }
  }
  return bits.all();
}

std::uint64_t difference_hash(ConstView pixels) {
  Bits bits;
  for (int y = 0; y < kSide; ++y) {
    const std::uint8_t* row = pixels.row<std::uint8_t>(y);
    for (int x = 0; x < kSide; ++x) {
      bits.add(row[x + 1] > row[x]);
    }
  }
  return bits.all();
}

/// cos(π·k·(2·n + 1) / 64) in units of 2⁻⁴⁰, rounded.
std::int64_t cosine(int k, int n) {
  const double angle = std::numbers::pi * (k * (2 * n + 1)) / (2 * kFrequencySide);
  return static_cast<std::int64_t>(std::llround(std::ldexp(std::cos(angle), kCosineBits)));
}

using Cosines = std::array<std::array<std::int64_t, kFrequencySide>, kSide>;

const Cosines& cosines() {
  static const Cosines kCosines = [] {
    Cosines all{};
    for (int k = 0; k < kSide; ++k) {
      for (int n = 0; n < kFrequencySide; ++n) {
        all.at(static_cast<std::size_t>(k)).at(static_cast<std::size_t>(n)) = cosine(k, n);
      }
    }
    return all;
  }();
  return kCosines;
}

/// Σ over n of cosine(k, n) · value(n).
template <class Result, class Value>
Result transformed(std::size_t k, const Value& value) {
  Result sum = 0;
  for (std::size_t n = 0; n < kFrequencySide; ++n) {
    sum += Result{cosines()[k][n]} * value(n);
  }
  return sum;
}

/// The hash of the low frequencies of the two-dimensional cosine transform, computed in exact sums below 2⁹⁸.
std::uint64_t frequency_hash(ConstView pixels) {
  std::array<Sum, kSide * kSide> frequencies{};
  for (std::size_t down = 0; down < kSide; ++down) {
    std::array<std::int64_t, kFrequencySide> columns{};  // below 2⁵³
    for (std::size_t x = 0; x < kFrequencySide; ++x) {
      columns[x] = transformed<std::int64_t>(
          down, [&](std::size_t y) { return std::int64_t{pixels.row<std::uint8_t>(static_cast<int>(y))[x]}; });
    }
    for (std::size_t across = 0; across < kSide; ++across) {
      frequencies[down * kSide + across] = transformed<Sum>(across, [&](std::size_t x) { return columns[x]; });
    }
  }
  std::array<Sum, kSide* kSide> sorted = frequencies;
  std::sort(sorted.begin(), sorted.end());
  const Sum twice_median = sorted[sorted.size() / 2 - 1] + sorted[sorted.size() / 2];
  Bits bits;
  for (const Sum frequency : frequencies) {
    bits.add(2 * frequency > twice_median);
  }
  return bits.all();
}

constexpr int kHashBits = 64;
constexpr int kMostKeyBits = 20;
constexpr int kMostParts = 17;

/// Disjoint sets of indices (union-find). The smallest index of a set represents it.
class JoinedSets {
 public:
  explicit JoinedSets(std::size_t count) : parents_(count) { std::iota(parents_.begin(), parents_.end(), 0U); }

  std::uint32_t first_of(std::uint32_t index) {
    while (parents_[index] != index) {
      parents_[index] = parents_[parents_[index]];
      index = parents_[index];
    }
    return index;
  }

  void join(std::uint32_t a, std::uint32_t b) {
    a = first_of(a);
    b = first_of(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parents_;
};

/// A part of the bits: every `step`-th bit from `first` on. So the bits of a part come from everywhere in the image,
/// and flat areas do not fill a part with equal bits.
struct Part {
  int first = 0;
  int step = 1;
  int bits = 0;
  int radius = 0;

  [[nodiscard]] std::uint32_t key_of(std::uint64_t hash) const {
    std::uint32_t key = 0;
    for (int i = 0; i < bits; ++i) {
      key |= static_cast<std::uint32_t>(hash >> (first + i * step) & 1U) << i;
    }
    return key;
  }
};

/// All numbers of `bits` bits with up to `most` ones, 0 first.
std::vector<std::uint32_t> sparse_numbers(int bits, int most) {
  std::vector<std::uint32_t> numbers = {0};
  std::size_t begin = 0;
  for (int ones = 1; ones <= most; ++ones) {
    const std::size_t end = numbers.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (int bit = static_cast<int>(std::bit_width(numbers[i])); bit < bits; ++bit) {
        numbers.push_back(numbers[i] | std::uint32_t{1} << bit);
      }
    }
    begin = end;
  }
  return numbers;
}

/// Let `distance` be `parts` · r + a, with 0 ≤ a < `parts`. It is enough to search a + 1 parts for keys that differ in
/// up to r bits, and the other parts for keys that differ in up to r − 1 bits. If r is 0, the other parts need no
/// search. Keys have no more bits than this number of hashes needs.
std::vector<Part> parts_for(int parts, int distance, std::size_t hashes) {
  const int enough = std::clamp(static_cast<int>(std::bit_width(hashes)) + 1, 1, kMostKeyBits);
  std::vector<Part> all;
  for (int i = 0; i < parts; ++i) {
    const int radius = distance / parts - (i <= distance % parts ? 0 : 1);
    const int bits = (kHashBits - i + parts - 1) / parts;
    if (radius >= 0) {
      all.push_back({i, parts, std::min(bits, enough), radius});
    }
  }
  return all;
}

/// The cost of searching a part, in comparisons of two hashes.
double cost_of(const Part& part, std::size_t hashes) {
  constexpr double kOfBucket = 4.0;
  const auto count = static_cast<double>(hashes);
  const double buckets = static_cast<double>(std::uint32_t{1} << part.bits);
  double neighbors = 0.0;
  double combinations = 1.0;
  for (int k = 0; k <= std::min(part.radius, part.bits); ++k) {
    neighbors += combinations;
    combinations *= static_cast<double>(part.bits - k) / (k + 1);
  }
  return buckets + neighbors * (kOfBucket * std::min(count, buckets) + count * count / buckets / 2.0);
}

/// The cheapest division of the bits into parts.
std::vector<Part> best_parts(int distance, std::size_t hashes) {
  std::vector<Part> best;
  double least = 0.0;
  for (int parts = 2; parts <= kMostParts; ++parts) {
    std::vector<Part> all = parts_for(parts, distance, hashes);
    const double cost = std::accumulate(all.begin(), all.end(), 0.0,
                                        [&](double sum, const Part& part) { return sum + cost_of(part, hashes); });
    if (best.empty() || cost < least) {
      best = std::move(all);
      least = cost;
    }
  }
  return best;
}

/// Hashes sorted by the keys of a part.
struct HashTable {
  HashTable(const std::vector<std::uint64_t>& of, const Part& part)
      : starts((std::size_t{1} << part.bits) + 1), hashes(of.size()), places(of.size()) {
    std::vector<std::uint32_t> keys(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) {
      keys[i] = part.key_of(of[i]);
      ++starts[keys[i] + std::size_t{1}];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t i = 0; i < of.size(); ++i) {
      const std::uint32_t place = next[keys[i]]++;
      hashes[place] = of[i];
      places[place] = static_cast<std::uint32_t>(i);
    }
  }

  [[nodiscard]] std::size_t largest_bucket() const {
    std::uint32_t largest = 0;
    for (std::size_t key = 0; key + 1 < starts.size(); ++key) {
      largest = std::max(largest, starts[key + 1] - starts[key]);
    }
    return largest;
  }

  std::vector<std::uint32_t> starts;  ///< first index for each key, plus the end
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint32_t> places;  ///< indices into `of`
};

/// Joins all similar hashes whose keys differ in up to part.radius bits.
void join_by_part(const std::vector<std::uint64_t>& hashes, const Part& part, int distance, JoinedSets& sets) {
  const HashTable table(hashes, part);
  const std::vector<std::uint32_t> masks = sparse_numbers(part.bits, part.radius);
  std::vector<std::uint32_t> found(table.largest_bucket() + 1);
  for (std::uint32_t key = 0; key + 1 < table.starts.size(); ++key) {
    const std::uint32_t begin = table.starts[key];
    const std::uint32_t end = table.starts[key + 1];
    for (const std::uint32_t mask : masks) {
      const std::uint32_t other = key ^ mask;
      if (begin == end || other < key) {
        continue;
      }
      for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint32_t first = other == key ? i + 1 : table.starts[other];
        const std::uint32_t last = table.starts[other + std::size_t{1}];
        const std::size_t matches = HWY_DYNAMIC_DISPATCH(near_hashes)(table.hashes.data() + first, last - first,
                                                                      table.hashes[i], distance, found.data());
        for (std::size_t k = 0; k < matches; ++k) {
          sets.join(table.places[i], table.places[first + found[k]]);
        }
      }
    }
  }
}

}  // namespace

Image gray_for_hashes(ConstView image) {
  Image gray(image.width, image.height, {Sample::u8, 1});
  const View to = gray.view();
  for (int y = 0; y < image.height; ++y) {
    if (image.format.sample == Sample::u8) {
      gray_row(image.row<std::uint8_t>(y), image.width, image.format, to.row<std::uint8_t>(y));
    } else {
      gray_row(image.row<std::uint16_t>(y), image.width, image.format, to.row<std::uint8_t>(y));
    }
  }
  return gray;
}

std::uint64_t image_hash(HashKind kind, ConstView thumbnail) {
  switch (kind) {
    case HashKind::phash: return frequency_hash(thumbnail);
    case HashKind::dhash: return difference_hash(thumbnail);
    default: return average_hash(thumbnail);
  }
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::vector<std::vector<std::uint32_t>> groups_of_near_hashes(std::span<const std::uint64_t> hashes, int distance) {
  std::vector<std::uint64_t> different(hashes.begin(), hashes.end());
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  JoinedSets sets(different.size());
  if (distance > 0) {
    for (const Part& part : best_parts(distance, different.size())) {
      join_by_part(different, part, distance, sets);
    }
  }
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> group_of(different.size(), kNone);  // by the smallest index of a set
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::uint32_t i = 0; i < hashes.size(); ++i) {
    const auto place = std::lower_bound(different.begin(), different.end(), hashes[i]) - different.begin();
    std::uint32_t& group = group_of[sets.first_of(static_cast<std::uint32_t>(place))];
    if (group == kNone) {
      group = static_cast<std::uint32_t>(groups.size());
      groups.emplace_back();
    }
    groups[group].push_back(i);
  }
  std::erase_if(groups, [](const std::vector<std::uint32_t>& group) { return group.size() < 2; });
  return groups;
}

}  // namespace gpuimg
#endif
