// Compares tables with those that libjpeg scales from the examples of ITU-T T.81, annex K.1.
#include "codecs/jpeg/jpeg_quality.hpp"

#include <algorithm>
#include <cstddef>

#include "codecs/jpeg/jpeg_zigzag.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kSteps = 64;

// In row order, as printed.
constexpr std::array<std::uint8_t, kSteps> kLuma = {16, 11, 10, 16, 24,  40,  51,  61,   //
                                                    12, 12, 14, 19, 26,  58,  60,  55,   //
                                                    14, 13, 16, 24, 40,  57,  69,  56,   //
                                                    14, 17, 22, 29, 51,  87,  80,  62,   //
                                                    18, 22, 37, 56, 68,  109, 103, 77,   //
                                                    24, 35, 55, 64, 81,  104, 113, 92,   //
                                                    49, 64, 78, 87, 103, 121, 120, 101,  //
                                                    72, 92, 95, 98, 112, 100, 103, 99};
constexpr std::array<std::uint8_t, kSteps> kChroma = {17, 18, 24, 47, 99, 99, 99, 99,  //
                                                      18, 21, 26, 66, 99, 99, 99, 99,  //
                                                      24, 26, 56, 99, 99, 99, 99, 99,  //
                                                      47, 66, 99, 99, 99, 99, 99, 99,  //
                                                      99, 99, 99, 99, 99, 99, 99, 99,  //
                                                      99, 99, 99, 99, 99, 99, 99, 99,  //
                                                      99, 99, 99, 99, 99, 99, 99, 99,  //
                                                      99, 99, 99, 99, 99, 99, 99, 99};

/// libjpeg's jpeg_quality_scaling and jpeg_add_quant_table, for baseline tables.
int scaled(int step, int quality) {
  const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return std::clamp((step * percent + 50) / 100, 1, 255);
}

bool is_scaled(const JpegSteps& steps, const std::array<std::uint8_t, kSteps>& example, int quality) {
  for (std::size_t i = 0; i < kSteps; ++i) {
    if (steps[i] != scaled(example[kJpegZigzag[i]], quality)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<int> jpeg_quality(const JpegSteps& luma, const JpegSteps* chroma) {
  for (int quality = 100; quality >= 1; --quality) {
    if (is_scaled(luma, kLuma, quality) && (chroma == nullptr || is_scaled(*chroma, kChroma, quality))) {
      return quality;
    }
  }
  return std::nullopt;
}

}  // namespace gpuimg::codecs
