// The tables are libtiff's, so that the pixels are those of other programs.
#include "codecs/tiff/tiff_ycbcr.hpp"

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

void YcbcrConverter::set_pixel(std::uint8_t luma, const std::uint8_t* chroma, std::uint8_t* pixel) const {
  std::uint32_t red = 0;
  std::uint32_t green = 0;
  std::uint32_t blue = 0;
  TIFFYCbCrtoRGB(tables_, luma, chroma[0], chroma[1], &red, &green, &blue);
  pixel[0] = static_cast<std::uint8_t>(red);
  pixel[1] = static_cast<std::uint8_t>(green);
  pixel[2] = static_cast<std::uint8_t>(blue);
}

void YcbcrConverter::convert(const std::byte* clumps, std::uint32_t first, View to) {
  const std::size_t luma_bytes = std::size_t{horizontal_} * vertical_;
  for (int y = 0; y < to.height; ++y) {
    const std::size_t row = std::size_t{first + static_cast<std::uint32_t>(y)} * horizontal_;
    auto* pixel = to.row<std::uint8_t>(y);
    for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(to.width); ++x, pixel += 3) {
      const auto* clump = reinterpret_cast<const std::uint8_t*>(clumps) + x / horizontal_ * (luma_bytes + 2);
      set_pixel(clump[row + x % horizontal_], clump + luma_bytes, pixel);
    }
  }
}

}  // namespace gpuimg::codecs
