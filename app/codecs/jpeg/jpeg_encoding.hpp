// Quantization tables and sampling factors of a JPEG, for `--quality keep`.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace gpuimg {

struct JpegComponent {
  std::array<std::uint16_t, 64> steps{};  ///< quantization step of each frequency, row by row
  int horizontal_sampling = 1;            ///< 1 … 4: sampling factor, relative to the other components
  int vertical_sampling = 1;

  bool operator==(const JpegComponent&) const = default;
};

/// One component (gray), or Y, Cb and Cr.
using JpegEncoding = std::vector<JpegComponent>;

/// True if one scan can hold the components with this sampling, and libjpeg-turbo supports it.
bool is_writable_sampling(const JpegEncoding& encoding);

/// The encoding of the transposed image.
JpegEncoding transposed(const JpegEncoding& encoding);

}  // namespace gpuimg
