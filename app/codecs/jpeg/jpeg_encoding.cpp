// Checks the sampling that libjpeg-turbo can write, and transposes an encoding.
#include "codecs/jpeg/jpeg_encoding.hpp"

#include <algorithm>
#include <utility>

namespace gpuimg::codecs {

bool is_writable_sampling(const JpegEncoding& encoding) {
  constexpr int kMaxBlocks = 10;  // per MCU: ITU-T T.81, B.2.3
  int width = 1;
  int height = 1;
  int blocks = 0;
  for (const JpegComponent& component : encoding) {
    width = std::max(width, component.horizontal_sampling);
    height = std::max(height, component.vertical_sampling);
    blocks += component.horizontal_sampling * component.vertical_sampling;
  }
  const bool is_integral = std::all_of(encoding.begin(), encoding.end(), [&](const JpegComponent& component) {
    return width % component.horizontal_sampling == 0 && height % component.vertical_sampling == 0;
  });
  return is_integral && (blocks <= kMaxBlocks || encoding.size() == 1);
}

JpegEncoding transposed(const JpegEncoding& encoding) {
  constexpr std::size_t kSide = 8;
  JpegEncoding transposed_encoding = encoding;
  for (JpegComponent& component : transposed_encoding) {
    std::swap(component.horizontal_sampling, component.vertical_sampling);
    for (std::size_t row = 0; row < kSide; ++row) {
      for (std::size_t column = 0; column < row; ++column) {
        std::swap(component.steps[row * kSide + column], component.steps[column * kSide + row]);
      }
    }
  }
  return transposed_encoding;
}

}  // namespace gpuimg::codecs
