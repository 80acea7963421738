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

#include "codecs/png/png_predict-inl.hpp"
#include "codecs/png/png_unfilter.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::codecs::HWY_NAMESPACE {

using Words = std::uint32_t __attribute__((vector_size(16)));
using LongWords = std::uint64_t __attribute__((vector_size(16)));

/// 255 in the rows whose filter uses the neighbor. Paeth's predictor with zeros for all neighbors but one returns that
/// one, so Sub and Up are Paeth with the other neighbors masked out, and None is Paeth with all masked out.
struct NeighborMasks {
  Bytes16 left;
  Bytes16 up;
  Bytes16 corner;
  Bytes16 average;
};

template <bool has_average>
HWY_INLINE Bytes16 prediction(const NeighborMasks& masks, Bytes16 left, Bytes16 up, Bytes16 corner) {
  const Bytes16 seen = corner & masks.corner;
  const Bytes16 choice = seen + paeth_less_corner(left & masks.left, up & masks.up, seen);
  if constexpr (has_average) {
    return choice + (average_of(left, up) & masks.average);
  }
  return choice;
}

template <std::size_t kPixel>
class RowGroup {
 public:
  static constexpr std::size_t kRows = rows_unfiltered_at_once(kPixel);

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
  static constexpr std::size_t kSlot = sizeof(std::uint64_t) * 2 / kRows;  ///< bytes of the vector per row
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
    const NeighborMasks masks = neighbor_masks();
    Bytes16 left = finished(first, 1);
    Bytes16 two_back = finished(first, 2);
    Bytes16 corner = with_above(finished(first, 3), first - kPixel);
    for (std::size_t i = first; i < last; i += kPixel) {
      const Bytes16 up = with_above(two_back, i);
      const Bytes16 values = residues(i) + prediction<has_average>(masks, left, up, corner);
      store(values, i);
      corner = up;
      two_back = left;
      left = values;
    }
  }

  [[nodiscard]] NeighborMasks neighbor_masks() const {
    const auto rows_with = [&](PngFilter one, PngFilter other) {
      Bytes16 mask{};
      for (std::size_t i = 0; i < sizeof mask; ++i) {
        mask[i] = filters_[i / kSlot] == one || filters_[i / kSlot] == other ? 255 : 0;
      }
      return mask;
    };
    return {rows_with(PngFilter::sub, PngFilter::paeth), rows_with(PngFilter::up, PngFilter::paeth),
            rows_with(PngFilter::paeth, PngFilter::paeth), rows_with(PngFilter::average, PngFilter::average)};
  }

  /// The pixels `back` pixels before the current ones, for the step that has the top row at byte `i`. Zeros left of the
  /// image.
  [[nodiscard]] Bytes16 finished(std::size_t i, std::size_t back) const {
    Bytes16 pixels{};
    for (std::size_t r = 0; r < kRows; ++r) {
      if (const std::size_t away = r * kBehind + back * kPixel; away <= i) {
        std::memcpy(reinterpret_cast<std::uint8_t*>(&pixels) + r * kSlot, out_[r] + i - away, kPixel);
      }
    }
    return pixels;
  }

  /// The neighbors above: for the top row from memory, for each other row from the row above it, two steps back.
  [[nodiscard]] HWY_INLINE Bytes16 with_above(Bytes16 two_back, std::size_t i) const {
    if constexpr (kRows == 2) {
      std::uint64_t pixel = 0;
      std::memcpy(&pixel, above_[0] + i, kMoved);
      const LongWords first{pixel};
      return reinterpret_cast<Bytes16>(__builtin_shufflevector(first, reinterpret_cast<LongWords>(two_back), 0, 2));
    } else {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, above_[0] + i, kMoved);
      const Words first{pixel};
      const auto moved = __builtin_shufflevector(Words{}, reinterpret_cast<Words>(two_back), 0, 4, 5, 6);
      return reinterpret_cast<Bytes16>(first | moved);
    }
  }

  [[nodiscard]] HWY_INLINE Bytes16 residues(std::size_t i) const {
    const auto row = [&](std::size_t r) HWY_ATTR {
      Words words;
      std::memcpy(&words, filtered_[r] + i - r * kBehind, sizeof words);
      return words;
    };
    if constexpr (kRows == 2) {
      return reinterpret_cast<Bytes16>(__builtin_shufflevector(row(0), row(1), 0, 1, 4, 5));
    } else {
      const auto upper = __builtin_shufflevector(row(0), row(1), 0, 4, 1, 5);
      const auto lower = __builtin_shufflevector(row(2), row(3), 0, 4, 1, 5);
      return reinterpret_cast<Bytes16>(__builtin_shufflevector(upper, lower, 0, 1, 4, 5));
    }
  }

  HWY_INLINE void store(Bytes16 values, std::size_t i) const {
    if constexpr (kRows == 2) {
      const auto pixels = reinterpret_cast<LongWords>(values);
      put(pixels[0], out_[0] + i);
      put(pixels[1], out_[1] + i - kBehind);
    } else {
      const auto pixels = reinterpret_cast<Words>(values);
      put(pixels[0], out_[0] + i);
      put(pixels[1], out_[1] + i - kBehind);
      put(pixels[2], out_[2] + i - 2 * kBehind);
      put(pixels[3], out_[3] + i - 3 * kBehind);
    }
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
void undo_pixels_of(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, std::size_t bytes) {
  RowGroup<kPixel>(filtered, above, out, bytes).undo(bytes);
}

void undo_group(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, std::size_t bytes,
                std::size_t pixel_bytes) {
  switch (pixel_bytes) {
    case 1: undo_pixels_of<1>(filtered, above, out, bytes); break;
    case 2: undo_pixels_of<2>(filtered, above, out, bytes); break;
    case 3: undo_pixels_of<3>(filtered, above, out, bytes); break;
    case 4: undo_pixels_of<4>(filtered, above, out, bytes); break;
    case 6: undo_pixels_of<6>(filtered, above, out, bytes); break;
    default: undo_pixels_of<8>(filtered, above, out, bytes); break;
  }
}

}  // namespace gpuimg::codecs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::codecs {
namespace {

HWY_EXPORT(undo_group);

/// A group takes the same time for any filters. Row by row, only Paeth is slower than that.
bool is_worth_a_group(const std::uint8_t* filtered, std::size_t rows, std::size_t row_bytes) {
  bool has_paeth = false;
  for (std::size_t r = 0; r < rows; ++r) {
    has_paeth |= static_cast<PngFilter>(filtered[r * row_bytes]) == PngFilter::paeth;
  }
  return has_paeth;
}

}  // namespace

void unfilter_rows(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, std::size_t bytes,
                   std::size_t pixel_bytes) {
  constexpr std::size_t kMinPixels = 8;
  const std::size_t rows = rows_unfiltered_at_once(pixel_bytes);
  if (bytes >= kMinPixels * pixel_bytes && is_worth_a_group(filtered, rows, bytes + 1)) {
    HWY_DYNAMIC_DISPATCH(undo_group)(filtered, above, out, bytes, pixel_bytes);
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    unfilter_row(static_cast<PngFilter>(*filtered), filtered + 1, above, out, {0, bytes}, pixel_bytes);
    filtered += bytes + 1;
    above = out;
    out += bytes;
  }
}

}  // namespace gpuimg::codecs
#endif
