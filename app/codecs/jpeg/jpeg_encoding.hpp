// The quantization and sampling of a JPEG: they determine how much detail of a picture the file keeps.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

struct JpegComponent {
  std::array<std::uint16_t, 64> steps{};  ///< quantization step of each frequency, in row order
  int horizontal_sampling = 1;            ///< 1 to 4, relative to the other components
  int vertical_sampling = 1;

  bool operator==(const JpegComponent&) const = default;
};

struct JpegEncoding final : SourceEncoding {
  std::vector<JpegComponent> components;  ///< one for gray, otherwise Y, Cb and Cr

  [[nodiscard]] std::shared_ptr<const SourceEncoding> transposed() const override;
};

/// True if one scan can hold the components with this sampling, and libjpeg-turbo can write such a scan.
bool is_writable_sampling(const JpegEncoding& encoding);

}  // namespace gpuimg::codecs
