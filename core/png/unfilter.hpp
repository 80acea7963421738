// Undoes PNG's row filters some pixels at a time, and puts the bytes of rows into the order of a picture.
// PNG specification, sections 7.2 and 9.2.
#pragma once

#include <cstdint>

#include "host_device.hpp"
#include "png/row_filter.hpp"

namespace gpuimg::png {

/// Pixels that are undone at once: as many as fill whole words, and 8 to 16 bytes.
template <std::uint32_t kPixelBytes>
constexpr std::uint32_t kChunkWords = kPixelBytes % 3 == 0 ? 3
                                      : kPixelBytes == 4   ? 2
                                                           : 4;

/// A row on its way from left to right. A pixel is at most two words.
struct RowState {
  std::uint32_t left[2] = {};
  std::uint32_t corner[2] = {};
};

/// How a row is predicted. Paeth's predictor of zeros and one other neighbor is that neighbor: so it also makes the
/// simpler ones, without a branch.
struct Predictor {
  std::uint32_t left = 0;  ///< masks of the neighbors that count
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

/// Four bytes of `words` from byte `at` on; behind the last word there are zeros.
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

/// Undoes a chunk. `filtered` and `up`, the row above, have the same places; what is behind the end of a row may be
/// anything. `pixels` may be neither.
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

/// Unfiltered rows in memory: each begins at a multiple of the pitch.
struct UnfilteredRows {
  static constexpr std::uint32_t kAlignment = 48;  ///< whole chunks of every pixel size; and of 16 bytes

  const std::uint32_t* words = nullptr;
  std::uint32_t pitch = 0;
  std::uint32_t row_bytes = 0;
  bool is_16_bit = false;

  [[nodiscard]] static GPUIMG_HD constexpr std::uint32_t pitch_of(std::uint32_t row_bytes) {
    return (row_bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  /// Bytes `at` … at + 3 of the picture, whose rows have no padding and whose samples the lower byte first. `at` is a
  /// multiple of 4. What is behind byte `end` is 0.
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

}  // namespace gpuimg::png
