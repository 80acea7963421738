// Quantization and sampling of a JPEG: what decides how much of a picture it keeps.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace gpuimg {

struct JpegComponent {
  std::array<std::uint16_t, 64> steps{};  ///< quantization of each frequency, row by row
  int horizontal_sampling = 1;            ///< 1 … 4: samples where the other components have theirs
  int vertical_sampling = 1;

  bool operator==(const JpegComponent&) const = default;
};

/// Gray, or Y, Cb and Cr.
using JpegEncoding = std::vector<JpegComponent>;

/// True if one scan can hold the components with this sampling, and libjpeg-turbo samples an image so.
bool is_writable_sampling(const JpegEncoding& encoding);

/// The encoding of the picture with rows and columns exchanged.
JpegEncoding transposed(const JpegEncoding& encoding);

}  // namespace gpuimg
