// Converts the colors of TIFF that are not stored as RGB: YCbCr, with or without subsampled chroma, and CIELab. TIFF
// 6.0, sections 20, 21 and 23; docs/operations.md, "CMYK and flaws of files".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codecs/tiff/tiff_file.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs::tiff {

/// Converts YCbCr to RGB. Uses libtiff's tables for 8 bits, so that the pixels match other programs, and fixed-point
/// tables for 16 bits. Decoded blocks consist of clumps: some luma samples with one Cb and one Cr sample.
class YcbcrConverter {
 public:
  /// `bits` is 8 or 16. Throws Error{decode} for an impossible subsampling or impossible coefficients, and
  /// Error{unsupported} for subsampled chroma in planes.
  YcbcrConverter(const TiffFile& file, int bits, bool is_planar);

  /// Number of pixel rows in a row of clumps.
  [[nodiscard]] std::uint32_t clump_height() const { return vertical_; }

  [[nodiscard]] std::uint64_t bytes_of_clump_row(std::uint64_t width) const {
    const std::uint64_t samples = std::uint64_t{horizontal_} * vertical_ + 2;
    return (width + horizontal_ - 1) / horizontal_ * samples * (fixed_.luma.empty() ? 1 : 2);
  }

  /// Converts a row of clumps of T to RGB. Skips the first `first` of its clump_height() pixel rows; the others fill
  /// `to`.
  template <class T>
  void convert(const std::byte* clumps, std::uint32_t first, View to) const;

  /// Converts one pixel from Y, Cb and Cr to R, G and B.
  void convert_pixel(const std::uint16_t* ycbcr, std::uint8_t* rgb) const;
  void convert_pixel(const std::uint16_t* ycbcr, std::uint16_t* rgb) const;

 private:
  /// The amount that each 16-bit sample adds to a channel, in units of 2⁻²⁴.
  struct FixedTables {
    std::vector<std::int64_t> luma;
    std::vector<std::int64_t> red_of_cr;
    std::vector<std::int64_t> green_of_cb;
    std::vector<std::int64_t> green_of_cr;
    std::vector<std::int64_t> blue_of_cb;
  };

  void read_sampling(const TiffFile& file, bool is_planar);
  void make_libtiff_tables(const TiffFile& file);
  void make_fixed_tables(const TiffFile& file);

  std::uint32_t horizontal_ = 1;
  std::uint32_t vertical_ = 1;
  std::vector<std::uint64_t> memory_;  ///< memory for tables_
  TIFFYCbCrToRGB* tables_ = nullptr;
  FixedTables fixed_;
};

/// Converts CIELab of 8 or 16 bits, relative to a white of D50, to sRGB with the same number of bits.
class LabConverter {
 public:
  explicit LabConverter(int bits);

  void convert_pixel(const std::uint16_t* lab, std::uint8_t* rgb) const;
  void convert_pixel(const std::uint16_t* lab, std::uint16_t* rgb) const;

 private:
  template <class T>
  void convert(std::int64_t lightness, std::int64_t a, std::int64_t b, T* rgb) const;

  std::vector<std::int32_t> thresholds_;  ///< linear light, in units of 2⁻²⁴, at which each level from 1 on begins
};

}  // namespace gpuimg::codecs::tiff
