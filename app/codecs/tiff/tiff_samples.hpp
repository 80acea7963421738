// From the samples of one row, as libtiff decodes them, to pixels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/tiff/tiff_kind.hpp"

namespace gpuimg::codecs {

/// The colors of a palette, 8 bits each.
using TiffPalette = std::vector<std::array<std::uint8_t, 3>>;

/// Converts rows of T: u8 for samples of up to 8 bits, else u16.
template <class T>
class TiffRowConverter {
 public:
  /// Rows have up to `width` pixels.
  TiffRowConverter(const TiffKind& kind, const TiffPalette& palette, std::size_t width);

  /// `planes` are the stored rows: one with all samples of each pixel, or one for each sample that is used.
  void convert(std::span<const std::byte* const> planes, std::size_t width, T* to);

 private:
  void unpack(const std::byte* from, std::size_t count, T* to) const;
  void join(std::size_t width, T* to);
  void convert_color(const T* samples, T* to) const;

  const TiffKind& kind_;
  const TiffPalette& palette_;
  bool are_pixels_;                       ///< rows are stored as they are decoded
  std::vector<std::vector<T>> unpacked_;  ///< one of each plane
};

extern template class TiffRowConverter<std::uint8_t>;
extern template class TiffRowConverter<std::uint16_t>;

}  // namespace gpuimg::codecs
