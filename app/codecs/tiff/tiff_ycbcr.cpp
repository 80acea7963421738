// The tables are libtiff's, so that the pixels are those of other programs.
#include "codecs/tiff/tiff_ycbcr.hpp"

#include <algorithm>

#include "codecs/refusals.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs {

YcbcrConverter::YcbcrConverter(const TiffFile& file) {
  std::uint16_t horizontal = 2;
  std::uint16_t vertical = 2;
  TIFFGetFieldDefaulted(file.tiff(), TIFFTAG_YCBCRSUBSAMPLING, &horizontal, &vertical);
  const auto is_known = [](std::uint16_t factor) { return factor == 1 || factor == 2 || factor == 4; };
  if (!is_known(horizontal) || !is_known(vertical)) {
    refuse_damaged(file.name(), "its chroma has an impossible size");
  }
  horizontal_ = horizontal;
  vertical_ = vertical;
  float* luma = nullptr;
  float* reference = nullptr;
  TIFFGetFieldDefaulted(file.tiff(), TIFFTAG_YCBCRCOEFFICIENTS, &luma);
  TIFFGetFieldDefaulted(file.tiff(), TIFFTAG_REFERENCEBLACKWHITE, &reference);
  // The tables lie after the structure, each of 256 entries.
  constexpr std::size_t kTables = 256 * (4 * sizeof(TIFFRGBValue) + 2 * sizeof(int) + 3 * sizeof(std::int32_t));
  constexpr std::size_t kWords = (sizeof(TIFFYCbCrToRGB) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  memory_.resize(kWords + kTables / sizeof(std::uint64_t) + 1);
  tables_ = reinterpret_cast<TIFFYCbCrToRGB*>(memory_.data());
  if (luma == nullptr || reference == nullptr || luma[1] == 0 || TIFFYCbCrToRGBInit(tables_, luma, reference) < 0) {
    refuse_damaged(file.name(), "its YCbCr has impossible coefficients");
  }
}

void YcbcrConverter::set_pixel(View to, std::uint32_t x, std::uint32_t y, const std::uint8_t* clump) {
  const std::uint8_t* chroma = clump + std::size_t{horizontal_} * vertical_;
  const std::uint32_t luma = clump[std::size_t{y} * horizontal_ + x % horizontal_];
  std::uint32_t red = 0;
  std::uint32_t green = 0;
  std::uint32_t blue = 0;
  TIFFYCbCrtoRGB(tables_, luma, chroma[0], chroma[1], &red, &green, &blue);
  auto* pixel = to.row<std::uint8_t>(static_cast<int>(y)) + std::size_t{3} * x;
  pixel[0] = static_cast<std::uint8_t>(red);
  pixel[1] = static_cast<std::uint8_t>(green);
  pixel[2] = static_cast<std::uint8_t>(blue);
}

void YcbcrConverter::convert(const std::byte* clumps, View to) {
  const std::size_t clump_bytes = std::size_t{horizontal_} * vertical_ + 2;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(clumps);
  for (std::uint32_t y = 0; y < static_cast<std::uint32_t>(to.height); ++y) {
    for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(to.width); ++x) {
      set_pixel(to, x, y, bytes + x / horizontal_ * clump_bytes);
    }
  }
}

}  // namespace gpuimg::codecs
