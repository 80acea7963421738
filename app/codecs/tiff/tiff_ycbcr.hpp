// YCbCr with or without subsampling, as decoded blocks hold it: clumps of luma samples with one Cb and one Cr.
// TIFF 6.0, section 21.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codecs/tiff/tiff_file.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

class YcbcrConverter {
 public:
  /// Throws Error{decode} for an impossible subsampling.
  explicit YcbcrConverter(const TiffFile& file);

  /// Rows of pixels that share a row of clumps.
  [[nodiscard]] std::uint32_t clump_height() const { return vertical_; }

  [[nodiscard]] std::uint64_t bytes_of_clump_row(std::uint64_t width) const {
    return (width + horizontal_ - 1) / horizontal_ * (std::uint64_t{horizontal_} * vertical_ + 2);
  }

  /// From a row of clumps to RGB: of its clump_height() rows, as many as `to` has, from row `first` on. Computes as
  /// libtiff does.
  void convert(const std::byte* clumps, std::uint32_t first, View to);

 private:
  void set_pixel(std::uint8_t luma, const std::uint8_t* chroma, std::uint8_t* pixel) const;

  std::uint32_t horizontal_ = 1;
  std::uint32_t vertical_ = 1;
  std::vector<std::uint64_t> memory_;  ///< of tables_
  TIFFYCbCrToRGB* tables_ = nullptr;
};

}  // namespace gpuimg::codecs
