// One property after the other: first whole bytes, then colors.
#include "codecs/png/png_expansion.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace gpuimg::codecs {
namespace {

/// The samples of each byte of packed ones, times `factor`.
using UnpackedBytes = std::array<std::array<std::uint8_t, 8>, 256>;

UnpackedBytes unpacked_bytes(unsigned bits, unsigned factor) {
  UnpackedBytes table{};
  const unsigned max = (1U << bits) - 1;
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    for (unsigned i = 0; i < 8 / bits; ++i) {
      table[byte][i] = static_cast<std::uint8_t>((byte >> (8 - bits * (i + 1)) & max) * factor);
    }
  }
  return table;
}

template <std::size_t kBits>
void unpack_rows(const std::uint8_t* packed, std::uint8_t* to, const SimplePng& png, int rows) {
  constexpr std::size_t kPerByte = 8 / kBits;
  const UnpackedBytes table = unpacked_bytes(kBits, png.palette ? 1 : 0xFF / ((1U << kBits) - 1));
  const auto width = static_cast<std::size_t>(png.width);
  for (int y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x + kPerByte <= width; x += kPerByte, to += kPerByte) {
      std::copy_n(table[*packed++].begin(), kPerByte, to);
    }
    if (const std::size_t rest = width % kPerByte; rest > 0) {
      to = std::copy_n(table[*packed++].begin(), rest, to);
    }
  }
}

/// Adds alpha: 0 for the transparent color, else opaque.
template <class T, std::size_t kChannels>
void add_alpha(Image& rows, const PngColor& transparent) {
  const std::size_t pixels = rows.view().pixel_count();
  auto* to = reinterpret_cast<T*>(rows.view().data);
  const T* from = to + pixels;
  for (std::size_t i = 0; i < pixels; ++i, from += kChannels) {
    const bool is_transparent = std::equal(from, from + kChannels, transparent.begin());
    to = std::copy_n(from, kChannels, to);
    *to++ = is_transparent ? T{0} : kMaxOf<T>;
  }
}

template <class T>
void add_alpha(Image& rows, const SimplePng& png) {
  png.stored.channels == 1 ? add_alpha<T, 1>(rows, *png.transparent) : add_alpha<T, 3>(rows, *png.transparent);
}

}  // namespace

std::byte* stored_rows_of(Image& rows, const SimplePng& png) {
  return rows.view().data + (rows.size_bytes() - static_cast<std::size_t>(rows.height()) * png.row_bytes());
}

void expand_stored_rows(Image& rows, const SimplePng& png, const std::string& name) {
  const auto* const packed = reinterpret_cast<const std::uint8_t*>(stored_rows_of(rows, png));
  auto* const samples = reinterpret_cast<std::uint8_t*>(PngPalette::indices_of(rows));
  switch (png.bits) {
    case 1: unpack_rows<1>(packed, samples, png, rows.height()); break;
    case 2: unpack_rows<2>(packed, samples, png, rows.height()); break;
    case 4: unpack_rows<4>(packed, samples, png, rows.height()); break;
    default: break;
  }
  if (png.palette) {
    png.palette->paint(rows, name);
  } else if (png.transparent && png.bits == 16) {
    add_alpha<std::uint16_t>(rows, png);
  } else if (png.transparent) {
    add_alpha<std::uint8_t>(rows, png);
  }
}

}  // namespace gpuimg::codecs
