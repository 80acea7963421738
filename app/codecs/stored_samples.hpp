// Converts samples that files store differently from an Image: at one bit each, in the other byte order, or as inks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "gpuimg/image.hpp"
#include "png/row_filter.hpp"

namespace gpuimg::codecs {

// --- One bit per sample: black and white, as PNG, PBM and TIFF store it ---------------------------------------------

/// True for the pixel format that can be written at one bit per sample: 8-bit gray. All samples must be 0 or 255.
constexpr bool can_pack_bits(PixelFormat format) { return format == PixelFormat{Sample::u8, 1}; }

using gpuimg::png::packed_row_bytes;

/// Packs each row of pixels into packed_row_bytes bytes. A white pixel becomes the bit `white` (0 or 1); the bits after
/// the last pixel are 0. A byte holds eight pixels, the leftmost in the highest bit. Throws Error{out_of_memory}.
inline Image packed_bits(ConstView pixels, unsigned white = 1) {
  const int row_bytes = packed_row_bytes(pixels.width);
  Image packed(row_bytes, pixels.height, {Sample::u8, 1});
  const unsigned flip = white == 1 ? 0U : 0xFFU;
  for (int y = 0; y < pixels.height; ++y) {
    const auto* row = pixels.row<std::uint8_t>(y);
    auto* out = packed.view().row<std::uint8_t>(y);
    for (int i = 0; i < row_bytes; ++i) {
      const int first = 8 * i;
      const int count = std::min(8, pixels.width - first);
      if (count == 8) {
        std::uint64_t eight;
        std::memcpy(&eight, row + first, sizeof eight);
        out[i] = static_cast<std::uint8_t>(gpuimg::png::packed_byte(eight) ^ flip);
      } else {
        const std::uint32_t bits = gpuimg::png::packed_byte(row + first, count);
        out[i] = static_cast<std::uint8_t>(bits ^ (flip & 0xFFU << (8 - count)));
      }
    }
  }
  return packed;
}

// --- 16-bit samples in the other byte order -------------------------------------------------------------------------

/// Copies `bytes` bytes of whole samples from `from` to `to` and swaps the two bytes of each sample. `to` may equal
/// `from`, but must not overlap it otherwise.
inline void swap_sample_bytes(const std::uint8_t* from, std::uint8_t* to, std::size_t bytes) {
  constexpr std::uint64_t kLowBytes = 0x00FF00FF00FF00FFU;
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= bytes; i += sizeof(std::uint64_t)) {
    std::uint64_t four;
    std::memcpy(&four, from + i, sizeof four);
    four = (four & kLowBytes) << 8 | (four >> 8 & kLowBytes);
    std::memcpy(to + i, &four, sizeof four);
  }
  for (; i < bytes; i += 2) {
    const std::uint8_t first = from[i];
    to[i] = from[i + 1];
    to[i + 1] = first;
  }
}

// --- CMYK to RGB without color management: docs/operations.md, "Files" ----------------------------------------------

inline constexpr std::string_view kCmykNote = "CMYK is converted to RGB without color management";

/// Converts `count` pixels of 8 or 16 bits. `cmyk` holds the amount of light that each ink transmits, as Adobe stores
/// it: the maximum value V means no ink. R = C·K / V, rounded to nearest; G and B are computed from M and Y in the same
/// way.
template <class T>
void cmyk_to_rgb(const T* cmyk, T* rgb, std::size_t count) {
  constexpr std::size_t kInks = 4;
  constexpr std::size_t kChannels = 3;
  for (std::size_t i = 0; i < count; ++i, cmyk += kInks, rgb += kChannels) {
    const std::uint32_t black = cmyk[3];
    for (std::size_t c = 0; c < kChannels; ++c) {
      // V is odd, so the quotient is never exactly halfway between two integers.
      rgb[c] = static_cast<T>((cmyk[c] * black + kMaxOf<T> / 2) / kMaxOf<T>);
    }
  }
}

}  // namespace gpuimg::codecs
