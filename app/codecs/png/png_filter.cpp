// Applies and undoes row filters with the compiler's byte vectors: one row at a time, or several consecutive rows
// together. All arithmetic uses eight bits, except in the code for single pixels.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/png/png_filter.cpp"
#include "codecs/simd_targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "codecs/png/png_filter.hpp"
#include "png/row_filter.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::codecs::png::HWY_NAMESPACE {

using Bytes16 = std::uint8_t __attribute__((vector_size(16)));
using Bytes32 = std::uint8_t __attribute__((vector_size(32)));

template <class Bytes>
HWY_INLINE Bytes smaller(Bytes a, Bytes b) {
  return a < b ? a : b;
}

template <class Bytes>
HWY_INLINE Bytes larger(Bytes a, Bytes b) {
  return a > b ? a : b;
}

/// 255 in the lanes where a ≤ b, otherwise 0.
template <class Bytes>
HWY_INLINE Bytes at_most(Bytes a, Bytes b) {
  return reinterpret_cast<Bytes>(smaller(a, b) == a);
}

/// Saturating a − b. Compiles to a single instruction if Highway has vectors for the target.
template <class Bytes>
HWY_INLINE Bytes excess(Bytes a, Bytes b) {
#if HWY_TARGET == HWY_SCALAR
  return larger(a, b) - b;
#else
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::FixedTag<std::uint8_t, sizeof(Bytes)> tag;
  const auto load = [&](const Bytes& bytes)
                        HWY_ATTR { return hn::LoadU(tag, reinterpret_cast<const std::uint8_t*>(&bytes)); };
  Bytes result;
  hn::StoreU(hn::SaturatedSub(load(a), load(b)), tag, reinterpret_cast<std::uint8_t*>(&result));
  return result;
#endif
}

/// The average, rounded down.
template <class Bytes>
HWY_INLINE Bytes average_of(Bytes a, Bytes b) {
  return (a & b) + ((a ^ b) >> 1);
}

/// Paeth's predictor minus the corner pixel (upper left). The specification chooses whichever of left, up and corner is
/// nearest to left + up − corner. Let low and high be the smaller and the larger of left and up. The predictor is low
/// if corner ≥ high, or if corner − low ≥ 2 · (high − corner); in the mirrored cases it is high; otherwise it is the
/// corner. These conditions need only eight-bit arithmetic.
template <class Bytes>
HWY_INLINE Bytes paeth_less_corner(Bytes left, Bytes up, Bytes corner) {
  const Bytes low = smaller(left, up);
  const Bytes high = larger(left, up);
  const Bytes to_high = excess(high, corner);
  const Bytes to_low = excess(corner, low);
  const Bytes is_low = at_most(to_high, excess(to_low, to_high));
  const Bytes is_high = at_most(to_low, excess(to_high, to_low));
  return (is_low & (low - corner)) | (is_high & (high - corner));
}

#if HWY_TARGET == HWY_AVX2
using Vector = Bytes32;
#else
using Vector = Bytes16;
#endif

constexpr std::size_t kLanes = sizeof(Vector);
constexpr std::uint8_t kCostCap = gpuimg::png::kCostCap;
constexpr std::size_t kStretchBytes = gpuimg::png::kCostStretchBytes;
constexpr std::size_t kStretch = kStretchBytes / kLanes;  // number of vectors
static_assert((kStretch + 1) * kCostCap <= 255, "the costs of a stretch must fit an 8-bit lane");
static_assert(kStretch * kLanes == kStretchBytes);

HWY_INLINE Vector load(const std::uint8_t* from) {
  Vector values;
  std::memcpy(&values, from, kLanes);
  return values;
}

/// The first `count` bytes at `from`, at most kLanes, followed by zeros.
HWY_INLINE Vector load(const std::uint8_t* from, std::size_t count) {
  Vector values{};
  std::memcpy(&values, from, count);
  return values;
}

/// Bytes of a row, and the neighboring bytes from which filters predict them.
struct Neighbors {
  Vector value{};
  Vector left{};
  Vector up{};
  Vector corner{};
};

/// `count` is the number of bytes to load at the end of a row; the default is kLanes.
template <class... Count>
HWY_INLINE Neighbors neighbors_at(const PngRow& row, std::size_t i, Count... count) {
  const std::size_t before = i - row.pixel_bytes;
  return {load(row.current + i, count...), load(row.current + before, count...), load(row.above + i, count...),
          load(row.above + before, count...)};
}

template <PngFilter filter>
HWY_INLINE Vector residue(const Neighbors& n) {
  if constexpr (filter == PngFilter::none) {
    return n.value;
  } else if constexpr (filter == PngFilter::sub) {
    return n.value - n.left;
  } else if constexpr (filter == PngFilter::up) {
    return n.value - n.up;
  } else if constexpr (filter == PngFilter::average) {
    return n.value - average_of(n.left, n.up);
  } else {
    return n.value - n.corner - paeth_less_corner(n.left, n.up, n.corner);
  }
}

HWY_INLINE Vector cost_of(Vector residues) {
  constexpr Vector kNone{};
  return smaller(smaller(residues, kNone - residues), kNone + kCostCap);
}

using CostSums = std::array<Vector, kPngFilterCount>;

HWY_INLINE void add_costs(const Neighbors& n, CostSums& sums) {
  sums[0] += cost_of(residue<PngFilter::none>(n));
  sums[1] += cost_of(residue<PngFilter::sub>(n));
  sums[2] += cost_of(residue<PngFilter::up>(n));
  sums[3] += cost_of(residue<PngFilter::average>(n));
  sums[4] += cost_of(residue<PngFilter::paeth>(n));
}

HWY_INLINE std::uint64_t lane_total(Vector lanes) {
  std::uint64_t total = 0;
  for (std::size_t k = 0; k < kLanes; ++k) {
    total += lanes[k];
  }
  return total;
}

template <PngFilter filter>
void write_residues(const PngRow& row, std::uint8_t* out) {
  std::size_t i = row.pixel_bytes;
  const Vector first = residue<filter>(Neighbors{load(row.current, i), {}, load(row.above, i), {}});
  std::memcpy(out, &first, i);
  for (; row.bytes - i >= kLanes; i += kLanes) {
    const Vector residues = residue<filter>(neighbors_at(row, i));
    std::memcpy(out + i, &residues, kLanes);
  }
  const Vector last = residue<filter>(neighbors_at(row, i, row.bytes - i));
  std::memcpy(out + i, &last, row.bytes - i);
}

using Costs = std::array<std::uint64_t, kPngFilterCount>;

Costs filter_costs(const PngRow& row) {
  Costs totals{};
  std::size_t i = row.pixel_bytes;
  while (i < row.bytes) {
    CostSums sums{};
    const std::size_t whole = std::min((row.bytes - i) / kLanes, kStretch);
    for (const std::size_t end = i + whole * kLanes; i < end; i += kLanes) {
      add_costs(neighbors_at(row, i), sums);
    }
    if (whole < kStretch) {
      add_costs(neighbors_at(row, i, row.bytes - i), sums);
      i = row.bytes;
    }
    for (std::size_t filter = 0; filter < totals.size(); ++filter) {
      totals[filter] += lane_total(sums[filter]);
    }
    i += std::min(row.bytes - i, kStretchBytes);
  }
  return totals;
}

void write_filtered(PngFilter filter, const PngRow& row, std::uint8_t* out) {
  switch (filter) {
    case PngFilter::none: std::memcpy(out, row.current, row.bytes); break;
    case PngFilter::sub: write_residues<PngFilter::sub>(row, out); break;
    case PngFilter::up: write_residues<PngFilter::up>(row, out); break;
    case PngFilter::average: write_residues<PngFilter::average>(row, out); break;
    case PngFilter::paeth: write_residues<PngFilter::paeth>(row, out); break;
  }
}

// Undoing filters one row at a time. All filters but None and Up depend on the pixel to the left, so a vector holds the
// channels of one pixel. Terms without the left pixel are computed before that pixel is known. Sub is only a sum, so
// its vector holds the sums of several pixels.

using Bytes8 = std::uint8_t __attribute__((vector_size(8)));
using Words8 = std::int16_t __attribute__((vector_size(16)));  // each word holds one byte

HWY_INLINE Words8 widened(Bytes8 bytes) { return __builtin_convertvector(bytes, Words8); }

HWY_INLINE Words8 magnitude(Words8 v) { return v > -v ? v : -v; }

/// Load and store kMoved bytes. kMoved may exceed the pixel size except in the last pixel of a row.
template <std::size_t kMoved>
HWY_INLINE Words8 load(const std::uint8_t* from) {
  Bytes8 bytes{};
  std::memcpy(&bytes, from, kMoved);
  return widened(bytes);
}

template <std::size_t kMoved>
HWY_INLINE void store(Words8 values, std::uint8_t* to) {
  const Bytes8 bytes = __builtin_convertvector(values, Bytes8);
  std::memcpy(to, &bytes, kMoved);
}

struct Pixel {
  Words8 left{};
  Words8 corner{};
};

template <PngFilter filter>
HWY_INLINE Words8 value_of(Words8 residue, Words8 up, const Pixel& before) {
  const Words8 left = before.left;
  if constexpr (filter == PngFilter::average) {
    return (residue + ((left + up) >> 1)) & 255;
  } else {
    const Words8 corner = before.corner;
    const Words8 left_step = left - corner;
    const Words8 up_step = up - corner;
    const Words8 to_left = magnitude(up_step);
    const Words8 to_up = magnitude(left_step);
    const Words8 to_corner = magnitude(left_step + up_step);
    const Words8 not_left = (to_left > to_up) | (to_left > to_corner);
    const Words8 not_up = to_up > to_corner;
    const Words8 from_left = (residue + left) & ~not_left;
    const Words8 from_up = (residue + up) & not_left & ~not_up;
    const Words8 from_corner = (residue + corner) & not_left & not_up;
    return (from_left | from_up | from_corner) & 255;
  }
}

template <PngFilter filter, std::size_t kMoved>
HWY_INLINE void undo_pixel(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, Pixel& pixel) {
  const Words8 up = load<kMoved>(above);
  pixel.left = value_of<filter>(load<kMoved>(filtered), up, pixel);
  pixel.corner = up;
  store<kMoved>(pixel.left, out);
}

template <PngFilter filter, std::size_t kPixel>
void undo(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, RowPart part) {
  // Moving 4 or 8 bytes is faster than 3 or 6, and correct as long as another pixel follows.
  constexpr std::size_t kMoved = kPixel == 3 ? 4 : kPixel == 6 ? 8 : kPixel;
  Pixel pixel;
  std::size_t i = part.begin;
  if (i > 0) {
    pixel = {load<kPixel>(out + i - kPixel), load<kPixel>(above + i - kPixel)};
  }
  for (; i + kPixel < part.end; i += kPixel) {
    undo_pixel<filter, kMoved>(filtered + i, above + i, out + i, pixel);
  }
  undo_pixel<filter, kPixel>(filtered + i, above + i, out + i, pixel);
}

template <std::size_t kPixel, std::size_t... kByte>
HWY_INLINE Bytes16 moved_right(Bytes16 pixels, std::index_sequence<kByte...>) {
  return __builtin_shufflevector(Bytes16{}, pixels, (kByte < kPixel ? 0 : static_cast<int>(16 + kByte - kPixel))...);
}

/// Copies the pixel that ends at byte kEnd to all positions.
template <std::size_t kPixel, std::size_t kEnd, std::size_t... kByte>
HWY_INLINE Bytes16 repeated(Bytes16 pixels, std::index_sequence<kByte...>) {
  return __builtin_shufflevector(pixels, pixels, static_cast<int>(kEnd - kPixel + kByte % kPixel)...);
}

/// Adds to each pixel the sum of all pixels before it.
template <std::size_t kPixel>
HWY_INLINE Bytes16 running_sums(Bytes16 pixels) {
  constexpr auto kAll = std::make_index_sequence<sizeof(Bytes16)>();
  pixels += moved_right<kPixel>(pixels, kAll);
  if constexpr (2 * kPixel < sizeof(Bytes16)) {
    pixels += moved_right<2 * kPixel>(pixels, kAll);
  }
  if constexpr (4 * kPixel < sizeof(Bytes16)) {
    pixels += moved_right<4 * kPixel>(pixels, kAll);
  }
  if constexpr (8 * kPixel < sizeof(Bytes16)) {
    pixels += moved_right<8 * kPixel>(pixels, kAll);
  }
  return pixels;
}

template <std::size_t kPixel>
void undo_sub(const std::uint8_t* filtered, std::uint8_t* out, RowPart part) {
  constexpr auto kAll = std::make_index_sequence<sizeof(Bytes16)>();
  constexpr std::size_t kWhole = sizeof(Bytes16) / kPixel * kPixel;  // bytes of a vector that form whole pixels
  std::size_t i = part.begin;
  Bytes16 left{};
  if (i > 0) {
    std::memcpy(&left, out + i - kPixel, kPixel);
    left = repeated<kPixel, kPixel>(left, kAll);
  }
  for (; i + sizeof(Bytes16) <= part.end; i += kWhole) {
    Bytes16 sums;
    std::memcpy(&sums, filtered + i, sizeof sums);
    sums = running_sums<kPixel>(sums);
    const Bytes16 values = sums + left;
    std::memcpy(out + i, &values, sizeof values);
    left += repeated<kPixel, kWhole>(sums, kAll);
  }
  for (; i < part.end; ++i) {
    out[i] = static_cast<std::uint8_t>(filtered[i] + (i < kPixel ? 0 : out[i - kPixel]));
  }
}

void undo_up(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, RowPart part) {
  std::size_t i = part.begin;
  for (; i + sizeof(Bytes32) <= part.end; i += sizeof(Bytes32)) {
    Bytes32 values;
    Bytes32 up;
    std::memcpy(&values, filtered + i, sizeof values);
    std::memcpy(&up, above + i, sizeof up);
    values += up;
    std::memcpy(out + i, &values, sizeof values);
  }
  for (; i < part.end; ++i) {
    out[i] = static_cast<std::uint8_t>(filtered[i] + above[i]);
  }
}

template <std::size_t kPixel>
void undo_with_left(PngFilter filter, const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out,
                    RowPart part) {
  switch (filter) {
    case PngFilter::sub: undo_sub<kPixel>(filtered, out, part); break;
    case PngFilter::average: undo<PngFilter::average, kPixel>(filtered, above, out, part); break;
    default: undo<PngFilter::paeth, kPixel>(filtered, above, out, part); break;
  }
}

void undo_row(PngFilter filter, const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out,
              RowPart part, std::size_t pixel_bytes) {
  if (filter == PngFilter::up) {
    undo_up(filtered, above, out, part);
    return;
  }
  switch (pixel_bytes) {
    case 1: undo_with_left<1>(filter, filtered, above, out, part); break;
    case 2: undo_with_left<2>(filter, filtered, above, out, part); break;
    case 3: undo_with_left<3>(filter, filtered, above, out, part); break;
    case 4: undo_with_left<4>(filter, filtered, above, out, part); break;
    case 6: undo_with_left<6>(filter, filtered, above, out, part); break;
    default: undo_with_left<8>(filter, filtered, above, out, part); break;
  }
}

// Undoing the filters of several rows in parallel. Each pixel depends on its left neighbor, and this dependency chain
// cannot be shortened. But the next row can be processed in the same vector, two pixels behind.

using Words = std::uint32_t __attribute__((vector_size(16)));
using LongWords = std::uint64_t __attribute__((vector_size(16)));
using Words32 = std::uint32_t __attribute__((vector_size(32)));
using LongWords32 = std::uint64_t __attribute__((vector_size(32)));

/// 255 in the rows whose filter uses the neighbor. If all neighbors but one are zero, Paeth's predictor returns the
/// remaining one. So Sub and Up are computed as Paeth with the other neighbors masked out, and None as Paeth with all
/// neighbors masked out.
template <class Bytes>
struct NeighborMasks {
  Bytes left;
  Bytes up;
  Bytes corner;
  Bytes average;
};

template <bool has_average, class Bytes>
HWY_INLINE Bytes prediction(const NeighborMasks<Bytes>& masks, const Bytes& left, const Bytes& up,
                            const Bytes& corner) {
  const Bytes seen = corner & masks.corner;
  const Bytes choice = seen + paeth_less_corner(left & masks.left, up & masks.up, seen);
  if constexpr (has_average) {
    return choice + (average_of(left, up) & masks.average);
  }
  return choice;
}

/// A group of rows that fills one vector of type Bytes.
template <std::size_t kPixel, class Bytes>
class RowGroup {
  static constexpr std::size_t kSlot = kPixel <= 4 ? 4 : 8;  ///< bytes of the vector per row

 public:
  static constexpr std::size_t kRows = sizeof(Bytes) / kSlot;

  RowGroup(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, std::size_t bytes) {
    for (std::size_t r = 0; r < kRows; ++r) {
      filters_[r] = static_cast<PngFilter>(filtered[r * (bytes + 1)]);
      filtered_[r] = filtered + r * (bytes + 1) + 1;
      out_[r] = out + r * bytes;
      above_[r] = r == 0 ? above : out_[r - 1];
    }
  }

  void undo(std::size_t bytes) {
    const std::size_t first = (kRows - 1) * kBehind;  // from this byte on, all rows advance together
    const std::size_t last = bytes - kPixel;          // moving more than one pixel here would exceed the row
    undo_ends([&](std::size_t behind) { return RowPart{0, first - behind}; });
    if (std::find(filters_.begin(), filters_.end(), PngFilter::average) != filters_.end()) {
      undo_together<true>(first, last);
    } else {
      undo_together<false>(first, last);
    }
    undo_ends([&](std::size_t behind) { return RowPart{last - behind, bytes}; });
  }

 private:
  static constexpr std::size_t kBehind = 2 * kPixel;

  template <class PartOf>
  void undo_ends(PartOf part_of) {
    for (std::size_t r = 0; r < kRows; ++r) {
      const RowPart part = part_of(r * kBehind);
      if (part.begin < part.end) {
        unfilter_row(filters_[r], filtered_[r], above_[r], out_[r], part, kPixel);
      }
    }
  }

  template <bool has_average>
  void undo_together(std::size_t first, std::size_t last) {
    const NeighborMasks<Bytes> masks = neighbor_masks();
    Bytes left = finished(first, 1);
    Bytes two_back = finished(first, 2);
    Bytes corner = with_above(finished(first, 3), first - kPixel);
    for (std::size_t i = first; i < last; i += kPixel) {
      const Bytes up = with_above(two_back, i);
      const Bytes values = residues(i) + prediction<has_average>(masks, left, up, corner);
      store(values, i);
      corner = up;
      two_back = left;
      left = values;
    }
  }

  [[nodiscard]] HWY_INLINE NeighborMasks<Bytes> neighbor_masks() const {
    NeighborMasks<Bytes> masks{};
    for (std::size_t i = 0; i < sizeof(Bytes); ++i) {
      const auto mask_of = [&](PngFilter one, PngFilter other) {
        return static_cast<std::uint8_t>(filters_[i / kSlot] == one || filters_[i / kSlot] == other ? 255 : 0);
      };
      masks.left[i] = mask_of(PngFilter::sub, PngFilter::paeth);
      masks.up[i] = mask_of(PngFilter::up, PngFilter::paeth);
      masks.corner[i] = mask_of(PngFilter::paeth, PngFilter::paeth);
      masks.average[i] = mask_of(PngFilter::average, PngFilter::average);
    }
    return masks;
  }

  /// The pixels `back` pixels to the left of the current ones, in the step whose top row is at byte `i`. Pixels left of
  /// the image are zero.
  [[nodiscard]] HWY_INLINE Bytes finished(std::size_t i, std::size_t back) const {
    Bytes pixels{};
    for (std::size_t r = 0; r < kRows; ++r) {
      if (const std::size_t away = r * kBehind + back * kPixel; away <= i) {
        std::memcpy(reinterpret_cast<std::uint8_t*>(&pixels) + r * kSlot, out_[r] + i - away, kPixel);
      }
    }
    return pixels;
  }

  /// The neighbors above. The top row loads them from memory; each other row uses the row above it, two steps back.
  [[nodiscard]] HWY_INLINE Bytes with_above(const Bytes& two_back, std::size_t i) const {
    if constexpr (kSlot == 8) {
      std::uint64_t pixel = 0;
      std::memcpy(&pixel, above_[0] + i, kMoved);
      if constexpr (kRows == 2) {
        const LongWords first{pixel};
        return reinterpret_cast<Bytes>(__builtin_shufflevector(first, reinterpret_cast<LongWords>(two_back), 0, 2));
      } else {
        const LongWords32 first{pixel};
        return reinterpret_cast<Bytes>(
            __builtin_shufflevector(first, reinterpret_cast<LongWords32>(two_back), 0, 4, 5, 6));
      }
    } else {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, above_[0] + i, kMoved);
      if constexpr (kRows == 4) {
        const Words first{pixel};
        const auto moved = __builtin_shufflevector(Words{}, reinterpret_cast<Words>(two_back), 0, 4, 5, 6);
        return reinterpret_cast<Bytes>(first | moved);
      } else {
        const Words32 first{pixel};
        return reinterpret_cast<Bytes>(
            __builtin_shufflevector(first, reinterpret_cast<Words32>(two_back), 0, 8, 9, 10, 11, 12, 13, 14));
      }
    }
  }

  [[nodiscard]] HWY_INLINE Bytes residues(std::size_t i) const {
    if constexpr (sizeof(Bytes) == sizeof(Words)) {
      return residues_from(0, i);
    } else {
      const auto upper = reinterpret_cast<Words>(residues_from(0, i));
      const auto lower = reinterpret_cast<Words>(residues_from(kRows / 2, i));
      return reinterpret_cast<Bytes>(__builtin_shufflevector(upper, lower, 0, 1, 2, 3, 4, 5, 6, 7));
    }
  }

  /// The residues of as many rows as fill 16 bytes, from row `first` on.
  [[nodiscard]] HWY_INLINE Bytes16 residues_from(std::size_t first, std::size_t i) const {
    const auto row = [&](std::size_t r) HWY_ATTR {
      Words words;
      std::memcpy(&words, filtered_[first + r] + i - (first + r) * kBehind, sizeof words);
      return words;
    };
    if constexpr (kSlot == 8) {
      return reinterpret_cast<Bytes16>(__builtin_shufflevector(row(0), row(1), 0, 1, 4, 5));
    } else {
      const auto upper = __builtin_shufflevector(row(0), row(1), 0, 4, 1, 5);
      const auto lower = __builtin_shufflevector(row(2), row(3), 0, 4, 1, 5);
      return reinterpret_cast<Bytes16>(__builtin_shufflevector(upper, lower, 0, 1, 4, 5));
    }
  }

  HWY_INLINE void store(const Bytes& values, std::size_t i) const {
    store_rows(values, i, std::make_index_sequence<kRows>());
  }
  template <std::size_t... kRow>
  HWY_INLINE void store_rows(const Bytes& values, std::size_t i, std::index_sequence<kRow...> /*rows*/) const {
    using Slots = std::conditional_t<sizeof(Bytes) == sizeof(Words), std::conditional_t<kSlot == 8, LongWords, Words>,
                                     std::conditional_t<kSlot == 8, LongWords32, Words32>>;
    const auto pixels = reinterpret_cast<Slots>(values);
    (put(pixels[kRow], out_[kRow] + i - kRow * kBehind), ...);
  }

  template <class Pixel>
  static HWY_INLINE void put(Pixel pixel, std::uint8_t* to) {
    std::memcpy(to, &pixel, kMoved);
  }

  /// Moving 4 or 8 bytes is faster than 3 or 6, and correct as long as another pixel follows.
  static constexpr std::size_t kMoved = kPixel == 3 ? 4 : kPixel == 6 ? 8 : kPixel;

  std::array<PngFilter, kRows> filters_;
  std::array<const std::uint8_t*, kRows> filtered_;
  std::array<const std::uint8_t*, kRows> above_;
  std::array<std::uint8_t*, kRows> out_;
};

template <std::size_t kPixel>
void undo_pixels_of(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, std::size_t bytes,
                    std::size_t rows) {
#if HWY_TARGET == HWY_AVX2
  if (rows == RowGroup<kPixel, Bytes32>::kRows) {
    RowGroup<kPixel, Bytes32>(filtered, above, out, bytes).undo(bytes);
    return;
  }
#endif
  constexpr std::size_t kRows = RowGroup<kPixel, Bytes16>::kRows;
  for (std::size_t done = 0; done < rows; done += kRows) {
    RowGroup<kPixel, Bytes16>(filtered + done * (bytes + 1), above, out + done * bytes, bytes).undo(bytes);
    above = out + (done + kRows - 1) * bytes;
  }
}

void undo_group(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, std::size_t bytes,
                std::size_t pixel_bytes, std::size_t rows) {
  switch (pixel_bytes) {
    case 1: undo_pixels_of<1>(filtered, above, out, bytes, rows); break;
    case 2: undo_pixels_of<2>(filtered, above, out, bytes, rows); break;
    case 3: undo_pixels_of<3>(filtered, above, out, bytes, rows); break;
    case 4: undo_pixels_of<4>(filtered, above, out, bytes, rows); break;
    case 6: undo_pixels_of<6>(filtered, above, out, bytes, rows); break;
    default: undo_pixels_of<8>(filtered, above, out, bytes, rows); break;
  }
}

}  // namespace gpuimg::codecs::png::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::codecs::png {
namespace {

HWY_EXPORT(filter_costs);
HWY_EXPORT(write_filtered);
HWY_EXPORT(undo_row);
HWY_EXPORT(undo_group);

/// A group takes the same time for all filters. Row by row, only Average and Paeth take longer than in a group.
bool is_worth_a_group(const std::uint8_t* filtered, std::size_t rows, std::size_t row_bytes) {
  bool is_slow = false;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto filter = static_cast<PngFilter>(filtered[r * row_bytes]);
    is_slow |= filter == PngFilter::average || filter == PngFilter::paeth;
  }
  return is_slow;
}

}  // namespace

PngFilter choose_filter(const PngRow& row) {
  const auto costs = HWY_DYNAMIC_DISPATCH(filter_costs)(row);
  return static_cast<PngFilter>(std::min_element(costs.begin(), costs.end()) - costs.begin());
}

void filter_row(PngFilter filter, const PngRow& row, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(write_filtered)(filter, row, out);
}

/// Not inlined into the code for the ends of a row group, because that would make the group's loop about 3 % slower.
HWY_NOINLINE void unfilter_row(PngFilter filter, const std::uint8_t* filtered, const std::uint8_t* above,
                               std::uint8_t* out, RowPart part, std::size_t pixel_bytes) {
  if (filter == PngFilter::none) {
    std::memcpy(out + part.begin, filtered + part.begin, part.end - part.begin);
    return;
  }
  HWY_DYNAMIC_DISPATCH(undo_row)(filter, filtered, above, out, part, pixel_bytes);
}

void unfilter_rows(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, std::size_t bytes,
                   std::size_t pixel_bytes, std::size_t rows) {
  constexpr std::size_t kMinPixels = 16;  // the last row of a group is 14 pixels behind the first
  const std::size_t most = rows_unfiltered_at_once(pixel_bytes);
  while (rows > 0) {
    std::size_t taken = rows >= most ? most : rows >= most / 2 ? most / 2 : 1;
    if (taken > 1 && bytes >= kMinPixels * pixel_bytes && is_worth_a_group(filtered, taken, bytes + 1)) {
      HWY_DYNAMIC_DISPATCH(undo_group)(filtered, above, out, bytes, pixel_bytes, taken);
    } else {
      taken = 1;
      unfilter_row(static_cast<PngFilter>(*filtered), filtered + 1, above, out, {0, bytes}, pixel_bytes);
    }
    filtered += taken * (bytes + 1);
    out += taken * bytes;
    above = out - bytes;
    rows -= taken;
  }
}

}  // namespace gpuimg::codecs::png
#endif
