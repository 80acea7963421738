// Unfilters several rows in parallel. Each pixel depends on its left neighbor, and that chain cannot be shortened. But
// the next row can follow two pixels behind, in the same vector.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/png/png_unfilter_rows.cpp"
#include "codecs/simd_targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "codecs/png/png_predict-inl.hpp"
#include "codecs/png/png_unfilter.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::codecs::HWY_NAMESPACE {

using Words = std::uint32_t __attribute__((vector_size(16)));
using LongWords = std::uint64_t __attribute__((vector_size(16)));
using Words32 = std::uint32_t __attribute__((vector_size(32)));
using LongWords32 = std::uint64_t __attribute__((vector_size(32)));

/// 255 in the rows whose filter uses the neighbor. Paeth's predictor with zeros for all neighbors but one returns that
/// one, so Sub and Up are Paeth with the other neighbors masked out, and None is Paeth with all masked out.
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

/// Rows that fill a vector of type Bytes.
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
    const std::size_t first = (kRows - 1) * kBehind;  // from here on all rows advance together
    const std::size_t last = bytes - kPixel;          // moving more than one pixel here would pass the end
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

  /// The pixels `back` pixels before the current ones, for the step that has the top row at byte `i`. Zeros left of the
  /// image.
  [[nodiscard]] HWY_INLINE Bytes finished(std::size_t i, std::size_t back) const {
    Bytes pixels{};
    for (std::size_t r = 0; r < kRows; ++r) {
      if (const std::size_t away = r * kBehind + back * kPixel; away <= i) {
        std::memcpy(reinterpret_cast<std::uint8_t*>(&pixels) + r * kSlot, out_[r] + i - away, kPixel);
      }
    }
    return pixels;
  }

  /// The neighbors above: for the top row from memory, for each other row from the row above it, two steps back.
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

  /// Of the rows from `first` on that fill 16 bytes.
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

}  // namespace gpuimg::codecs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::codecs {
namespace {

HWY_EXPORT(undo_group);

/// A group takes the same time for any filters. Row by row, only Average and Paeth are slower than that.
bool is_worth_a_group(const std::uint8_t* filtered, std::size_t rows, std::size_t row_bytes) {
  bool is_slow = false;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto filter = static_cast<PngFilter>(filtered[r * row_bytes]);
    is_slow |= filter == PngFilter::average || filter == PngFilter::paeth;
  }
  return is_slow;
}

}  // namespace

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

}  // namespace gpuimg::codecs
#endif
