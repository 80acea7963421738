// Counts bytes. If the levels of a block span a narrow range, compares the block with each level of the range.
// Otherwise counts byte by byte, which needs one store per byte and is thus limited to one byte per cycle.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_count.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "simd/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void count_one_by_one(const std::uint8_t* levels, std::size_t count, std::uint32_t* counts) {
  static_assert(kByteCounters == 8);
  std::size_t x = 0;
  for (; x + 8 <= count; x += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, levels + x, sizeof eight);
    ++counts[8 * (eight & 255U)];
    ++counts[8 * ((eight >> 8) & 255U) + 1];
    ++counts[8 * ((eight >> 16) & 255U) + 2];
    ++counts[8 * ((eight >> 24) & 255U) + 3];
    ++counts[8 * ((eight >> 32) & 255U) + 4];
    ++counts[8 * ((eight >> 40) & 255U) + 5];
    ++counts[8 * ((eight >> 48) & 255U) + 6];
    ++counts[8 * (eight >> 56) + 7];
  }
  for (; x < count; ++x) {
    ++counts[8 * levels[x]];
  }
}

#if HWY_TARGET == HWY_SCALAR
std::size_t count_blocks(const std::uint8_t*, std::size_t, std::uint32_t*) { return 0; }
#else
using Bytes = hn::ScalableTag<std::uint8_t>;
using Byte = hn::Vec<Bytes>;

/// The smallest byte. First folds pairs within 32-bit lanes, because Highway can reduce 32-bit lanes on every
/// processor.
std::uint32_t least_of(Byte bytes) {
  const hn::Repartition<std::uint16_t, Bytes> d16;
  const hn::Repartition<std::uint32_t, Bytes> d32;
  const auto pairs = hn::BitCast(d16, bytes);
  const auto of_two = hn::BitCast(d32, hn::Min(hn::And(pairs, hn::Set(d16, 0xFF)), hn::ShiftRight<8>(pairs)));
  const auto of_four = hn::Min(hn::And(of_two, hn::Set(d32, 0xFFFF)), hn::ShiftRight<16>(of_two));
  return hn::GetLane(hn::MinOfLanes(d32, of_four));
}

/// Four vectors of bytes.
struct Block {
  static std::size_t size() { return 4 * hn::Lanes(Bytes()); }

  Byte a;
  Byte b;
  Byte c;
  Byte d;

  explicit Block(const std::uint8_t* from) {
    const std::size_t step = hn::Lanes(Bytes());
    a = hn::LoadU(Bytes(), from);
    b = hn::LoadU(Bytes(), from + step);
    c = hn::LoadU(Bytes(), from + 2 * step);
    d = hn::LoadU(Bytes(), from + 3 * step);
  }

  [[nodiscard]] std::uint32_t least() const { return least_of(hn::Min(hn::Min(a, b), hn::Min(c, d))); }
  [[nodiscard]] std::uint32_t greatest() const {
    return 255U - least_of(hn::Not(hn::Max(hn::Max(a, b), hn::Max(c, d))));
  }
  [[nodiscard]] std::size_t count_of(std::uint32_t level) const {
    const Bytes tag;
    const Byte value = hn::Set(tag, static_cast<std::uint8_t>(level));
    return hn::CountTrue(tag, hn::Eq(a, value)) + hn::CountTrue(tag, hn::Eq(b, value)) +
           hn::CountTrue(tag, hn::Eq(c, value)) + hn::CountTrue(tag, hn::Eq(d, value));
  }
};

/// The smallest and the largest level of a block.
struct Range {
  std::uint32_t least = 0;
  std::uint32_t greatest = 0;

  explicit Range(const Block& block) : least(block.least()), greatest(block.greatest()) {}

  /// Comparing a block with one level takes about as long as counting a few of its bytes individually.
  [[nodiscard]] bool narrow() const { return greatest - least < hn::Lanes(Bytes()) * 3 / 4; }
};

void compare_and_count(const std::uint8_t* levels, const Range& range, std::uint32_t* counts) {
  const Block block(levels);
  for (std::uint32_t level = range.least; level <= range.greatest; ++level) {
    counts[kByteCounters * level] += static_cast<std::uint32_t>(block.count_of(level));
  }
}

/// Returns the number of levels that were counted.
std::size_t count_blocks(const std::uint8_t* HWY_RESTRICT levels, std::size_t count,
                         std::uint32_t* HWY_RESTRICT counts) {
  if (count < Block::size()) {
    return 0;
  }
  // After a block with a wide range, skips the range test for this many bytes, because the test takes time and the next
  // blocks are rarely narrow.
  const std::size_t stride = 4 * Block::size();
  Range range{Block(levels)};
  for (std::size_t x = 0;;) {
    const bool narrow = range.narrow();
    const std::size_t next = x + (narrow ? Block::size() : stride);
    const bool last = next + Block::size() > count;
    // Compute the next block's range while this block is counted.
    const Range next_range = last ? range : Range{Block(levels + next)};
    if (narrow) {
      compare_and_count(levels + x, range, counts);
    } else {
      count_one_by_one(levels + x, std::min(next, count) - x, counts);
    }
    if (last) {
      return std::min(next, count);
    }
    x = next;
    range = next_range;
  }
}
#endif

void count_bytes(const std::uint8_t* HWY_RESTRICT levels, std::size_t count, std::uint32_t* HWY_RESTRICT counts) {
  const std::size_t counted = count_blocks(levels, count, counts);
  count_one_by_one(levels + counted, count - counted, counts);
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(count_bytes);

void count_bytes(const std::uint8_t* levels, std::size_t count, std::uint32_t* counts) {
  HWY_DYNAMIC_DISPATCH(count_bytes)(levels, count, counts);
}

}  // namespace gpuimg::cpu
#endif
