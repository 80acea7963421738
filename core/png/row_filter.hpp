// PNG's five row filters, on four bytes at a time, first byte lowest: applying and choosing them, undoing them for
// several pixels at once, and turning unfiltered rows into a picture. Also packs samples of one bit. PNG specification,
// sections 7.2 and 9.
#pragma once

#include <cstdint>

#include "host_device.hpp"

namespace gpuimg::png {

constexpr int kFilterCount = 5;

/// To choose a filter, every other stretch of this length is sampled, beginning after the first pixel.
constexpr std::uint32_t kCostStretchBytes = 480;
constexpr std::uint32_t kCostCap = 8;

/// Four bytes of a row, and the corresponding bytes of the pixels to the left, above, and above to the left.
struct Neighbors {
  std::uint32_t value;
  std::uint32_t left;
  std::uint32_t up;
  std::uint32_t corner;
};

constexpr std::uint32_t kTopBits = 0x80808080U;
constexpr std::uint32_t kBottomBits = 0x01010101U;

/// Per byte: a − b.
GPUIMG_HD constexpr std::uint32_t bytes_minus(std::uint32_t a, std::uint32_t b) {
  return ((a | kTopBits) - (b & ~kTopBits)) ^ ((a ^ ~b) & kTopBits);
}

/// Per byte: a + b.
GPUIMG_HD constexpr std::uint32_t bytes_plus(std::uint32_t a, std::uint32_t b) {
  return ((a & ~kTopBits) + (b & ~kTopBits)) ^ ((a ^ b) & kTopBits);
}

/// Per byte: (a + b) / 2, rounded down.
GPUIMG_HD constexpr std::uint32_t bytes_average(std::uint32_t a, std::uint32_t b) {
  return (a & b) + ((a ^ b) >> 1 & ~kTopBits);
}

/// Per byte: 255 if the top bit of `tops` is set, else 0.
GPUIMG_HD constexpr std::uint32_t byte_mask(std::uint32_t tops) { return (tops >> 7 & kBottomBits) * 255U; }

/// Per byte: 255 if a ≥ b, else 0.
GPUIMG_HD constexpr std::uint32_t bytes_at_least(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t low = (a | kTopBits) - (b & ~kTopBits);
  return byte_mask((a & ~b) | (~(a ^ b) & low));
}

GPUIMG_HD constexpr std::uint32_t selected(std::uint32_t mask, std::uint32_t a, std::uint32_t b) {
  return (mask & a) | (~mask & b);
}

/// Per byte: max(a − b, 0).
GPUIMG_HD constexpr std::uint32_t bytes_excess(std::uint32_t a, std::uint32_t b) {
  return bytes_minus(a, b) & bytes_at_least(a, b);
}

/// Paeth's predictor. By specification, it is whichever of left, up and corner is nearest to left + up − corner. Let
/// low and high be the smaller and the larger of left and up. The predictor is low if corner ≥ high, or if corner − low
/// ≥ 2 · (high − corner). It is high if corner ≤ low, or if high − corner ≥ 2 · (corner − low). Otherwise it is the
/// corner.
GPUIMG_HD constexpr std::uint32_t bytes_paeth(std::uint32_t left, std::uint32_t up, std::uint32_t corner) {
  const std::uint32_t is_left_high = bytes_at_least(left, up);
  const std::uint32_t low = selected(is_left_high, up, left);
  const std::uint32_t high = selected(is_left_high, left, up);
  const std::uint32_t to_high = bytes_excess(high, corner);
  const std::uint32_t to_low = bytes_excess(corner, low);
  const std::uint32_t is_low = bytes_at_least(bytes_excess(to_low, to_high), to_high);
  const std::uint32_t is_high = bytes_at_least(bytes_excess(to_high, to_low), to_low);
  // Both conditions hold only if low, high and corner are equal.
  return selected(is_low, low, selected(is_high, high, corner));
}

GPUIMG_HD constexpr std::uint32_t residues(int filter, const Neighbors& n) {
  switch (filter) {
    case 0: return n.value;
    case 1: return bytes_minus(n.value, n.left);
    case 2: return bytes_minus(n.value, n.up);
    case 3: return bytes_minus(n.value, bytes_average(n.left, n.up));
    default: return bytes_minus(n.value, bytes_paeth(n.left, n.up, n.corner));
  }
}

GPUIMG_HD constexpr std::uint32_t sum_of_bytes(std::uint32_t bytes) {
  const std::uint32_t pairs = (bytes & 0x00FF00FFU) + (bytes >> 8 & 0x00FF00FFU);
  return (pairs + (pairs >> 16)) & 0xFFFFU;
}

/// The sum of min(|residue|, kCostCap) over four bytes.
GPUIMG_HD constexpr std::uint32_t cost_of(std::uint32_t residues) {
  const std::uint32_t negative = byte_mask(residues);
  const std::uint32_t size = (residues ^ negative) + (negative & kBottomBits);  // at most 128
  const std::uint32_t is_large = byte_mask(size + (128 - kCostCap) * kBottomBits);
  return sum_of_bytes(selected(is_large, kCostCap * kBottomBits, size));
}

/// The first `count` of four bytes; the others become 0.
GPUIMG_HD constexpr std::uint32_t first_bytes(std::uint32_t bytes, std::uint64_t count) {
  return count >= 4 ? bytes : bytes & ((1U << (8 * count)) - 1U);
}

/// The filter with the lowest cost; the first such filter if several have equal costs.
GPUIMG_HD constexpr int cheapest_filter(const std::uint64_t* costs) {
  int best = 0;
  for (int filter = 1; filter < kFilterCount; ++filter) {
    best = costs[filter] < costs[best] ? filter : best;
  }
  return best;
}

/// Unpadded rows of pixels in memory, read in PNG's byte order. `load(at)` must return the four bytes at an address; it
/// may be called up to 7 bytes past the end of a row.
template <class Load>
class PngRows {
 public:
  GPUIMG_HD PngRows(const std::uint8_t* pixels, std::uint64_t row_bytes, std::uint32_t pixel_bytes, bool is_16_bit,
                    Load load)
      : pixels_(pixels), row_bytes_(row_bytes), pixel_bytes_(pixel_bytes), is_16_bit_(is_16_bit), load_(load) {}

  /// Bytes `at` … at + 3 of a row and their neighbors. Neighbors before the row or above the first row are 0. Bytes
  /// beyond the end of the row are arbitrary.
  [[nodiscard]] GPUIMG_HD Neighbors neighbors(std::uint32_t row, std::int64_t at) const {
    const std::uint8_t* const current = pixels_ + row * row_bytes_;
    const std::uint8_t* const above = current - row_bytes_;
    const std::int64_t before = at - pixel_bytes_;
    return {word(current, at), word(current, before), row == 0 ? 0U : word(above, at),
            row == 0 ? 0U : word(above, before)};
  }

 private:
  [[nodiscard]] GPUIMG_HD std::uint32_t word(const std::uint8_t* row, std::int64_t at) const {
    if (at < 0) {
      return at <= -4 ? 0U : word_inside(row, 0) << (8 * static_cast<std::uint32_t>(-at));
    }
    return word_inside(row, at);
  }

  [[nodiscard]] GPUIMG_HD std::uint32_t word_inside(const std::uint8_t* row, std::int64_t at) const {
    if (!is_16_bit_) {
      return load_(row + at);
    }
    if (at % 2 == 0) {
      return swapped(load_(row + at));
    }
    return swapped(load_(row + at - 1)) >> 8 | swapped(load_(row + at + 3)) << 24;
  }

  /// Swaps the two bytes of each sample, because PNG stores the high byte first.
  GPUIMG_HD static constexpr std::uint32_t swapped(std::uint32_t samples) {
    return (samples & 0x00FF00FFU) << 8 | (samples >> 8 & 0x00FF00FFU);
  }

  const std::uint8_t* pixels_;
  std::uint64_t row_bytes_;
  std::uint32_t pixel_bytes_;
  bool is_16_bit_;
  Load load_;
};

// --- Undoing filters -------------------------------------------------------------------------------------------------

/// Words per chunk. A chunk is the unit in which filters are undone: 8 to 16 bytes that hold whole pixels.
template <std::uint32_t kPixelBytes>
constexpr std::uint32_t kChunkWords = kPixelBytes % 3 == 0 ? 3
                                      : kPixelBytes == 4   ? 2
                                                           : 4;

/// State while the filter of a row is undone from left to right. A pixel has at most two words.
struct RowState {
  std::uint32_t left[2] = {};
  std::uint32_t corner[2] = {};
};

/// The predictor of a row's filter. If only one neighbor is not zero, Paeth's predictor equals that neighbor. So
/// masking neighbors gives the simpler filters without branches.
struct Predictor {
  std::uint32_t left = 0;  ///< all ones if this neighbor is used, else 0
  std::uint32_t up = 0;
  std::uint32_t corner = 0;
  bool is_average = false;

  GPUIMG_HD explicit Predictor(std::uint32_t filter)
      : left(filter == 1 || filter == 4 ? ~0U : 0U),
        up(filter == 2 || filter == 4 ? ~0U : 0U),
        corner(filter == 4 ? ~0U : 0U),
        is_average(filter == 3) {}

  [[nodiscard]] GPUIMG_HD std::uint32_t of(std::uint32_t left_bytes, std::uint32_t up_bytes,
                                           std::uint32_t corner_bytes) const {
    const std::uint32_t paeth = bytes_paeth(left_bytes & left, up_bytes & up, corner_bytes & corner);
    return is_average ? bytes_average(left_bytes, up_bytes) : paeth;
  }
};

/// Four bytes of `words` from byte `at` on. Zeros follow the last word.
template <std::uint32_t kWords>
GPUIMG_HD inline std::uint32_t word_from(const std::uint32_t (&words)[kWords], std::uint32_t at) {
  const std::uint32_t next = at / 4 + 1 < kWords ? words[at / 4 + 1] : 0U;
  const std::uint64_t both = words[at / 4] | std::uint64_t{next} << 32;
  return static_cast<std::uint32_t>(both >> 8 * (at % 4));
}

template <std::uint32_t kWords>
GPUIMG_HD inline void add_bytes_at(std::uint32_t (&words)[kWords], std::uint32_t at, std::uint32_t bytes) {
  words[at / 4] |= bytes << 8 * (at % 4);
  if (at % 4 != 0 && at / 4 + 1 < kWords) {
    words[at / 4 + 1] |= bytes >> (32 - 8 * (at % 4));
  }
}

/// Undoes the filter of a chunk. `filtered` and `up` hold bytes of the same columns; `up` is from the row above. Bytes
/// beyond the end of a row are arbitrary. `pixels` must not alias `filtered` or `up`.
template <std::uint32_t kPixelBytes, std::uint32_t kWords>
GPUIMG_HD inline void undo_chunk(const Predictor& predictor, const std::uint32_t (&filtered)[kWords],
                                 const std::uint32_t (&up)[kWords], RowState& state, std::uint32_t (&pixels)[kWords]) {
  static_assert(4 * kWords % kPixelBytes == 0);
  for (std::uint32_t& word : pixels) {
    word = 0;
  }
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (std::uint32_t at = 0; at < 4 * kWords; at += kPixelBytes) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (std::uint32_t part = 0; part < kPixelBytes; part += 4) {
      constexpr std::uint32_t kRest = kPixelBytes % 4;
      const std::uint32_t mask = part + 4 <= kPixelBytes ? ~0U : (1U << 8 * kRest) - 1U;
      const std::uint32_t above = word_from(up, at + part) & mask;
      std::uint32_t& left = state.left[part / 4];
      std::uint32_t& corner = state.corner[part / 4];
      left = bytes_plus(word_from(filtered, at + part), predictor.of(left, above, corner)) & mask;
      corner = above;
      add_bytes_at(pixels, at + part, left);
    }
  }
}

/// Unfiltered rows in memory. Each begins at a multiple of the pitch.
struct UnfilteredRows {
  static constexpr std::uint32_t kAlignment = 48;  ///< a multiple of 16 bytes and of every chunk size

  const std::uint32_t* words = nullptr;
  std::uint32_t pitch = 0;
  std::uint32_t row_bytes = 0;
  bool is_16_bit = false;

  [[nodiscard]] static GPUIMG_HD constexpr std::uint32_t pitch_of(std::uint32_t row_bytes) {
    return (row_bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  /// Bytes `at` … at + 3 of the picture, which has unpadded rows and stores the low byte of a sample first. `at` must
  /// be a multiple of 4. Bytes from `end` on are 0.
  [[nodiscard]] GPUIMG_HD std::uint32_t picture_bytes(std::uint32_t at, std::uint32_t end) const {
    const std::uint32_t row = at / row_bytes;
    const std::uint32_t place = at - row * row_bytes;
    const std::uint32_t* const in_row = words + std::uint64_t{row} * (pitch / 4);
    if (place + 4 > row_bytes || at + 4 > end) {
      return bytes_across_rows(in_row, place, end - at);
    }
    const std::uint32_t last = pitch / 4 - 1;
    const std::uint32_t next = place / 4 < last ? place / 4 + 1 : last;
    const std::uint64_t both = in_row[place / 4] | std::uint64_t{in_row[next]} << 32;
    const auto found = static_cast<std::uint32_t>(both >> 8 * (place % 4));
    return is_16_bit ? (found & 0x00FF00FFU) << 8 | (found >> 8 & 0x00FF00FFU) : found;
  }

 private:
  [[nodiscard]] GPUIMG_HD std::uint32_t bytes_across_rows(const std::uint32_t* in_row, std::uint32_t place,
                                                          std::uint32_t count) const {
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < 4 && i < count; ++i) {
      const std::uint32_t from = is_16_bit ? place ^ 1U : place;
      found |= (in_row[from / 4] >> 8 * (from % 4) & 0xFFU) << 8 * i;
      if (++place == row_bytes) {
        place = 0;
        in_row += pitch / 4;
      }
    }
    return found;
  }
};

// --- Samples of one bit ----------------------------------------------------------------------------------------------

/// Bytes per row of one-bit samples: ⌈width/8⌉.
GPUIMG_HD constexpr int packed_row_bytes(int width) { return (width - 1) / 8 + 1; }

/// Packs the top bits of up to eight bytes, the first byte highest; unused bits are 0.
GPUIMG_HD constexpr std::uint32_t packed_byte(const std::uint8_t* bytes, int count) {
  std::uint32_t bits = 0;
  for (int i = 0; i < count; ++i) {
    bits |= (std::uint32_t{bytes[i]} >> 7) << (7 - i);
  }
  return bits;
}

/// Packs the top bits of eight bytes. The first byte is the lowest byte of `bytes`. The multiplication moves each bit
/// to its place in the highest byte.
GPUIMG_HD constexpr std::uint32_t packed_byte(std::uint64_t bytes) {
  constexpr std::uint64_t kLowestBits = 0x0101010101010101U;
  constexpr std::uint64_t kToTheirPlaces = 0x8040201008040201U;
  return static_cast<std::uint32_t>((bytes >> 7 & kLowestBits) * kToTheirPlaces >> 56);
}

}  // namespace gpuimg::png
