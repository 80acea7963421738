// A PNG palette, and the conversion of indices to colors.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "codecs/byte_fields.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

class PngPalette {
 public:
  PngPalette() = default;

  /// `colors` is the PLTE payload: 1 to 256 times red, green, blue. `opacities` is the tRNS payload, with at most as
  /// many entries; empty without transparency.
  PngPalette(ByteSpan colors, ByteSpan opacities);

  [[nodiscard]] int channels() const { return has_alpha_ ? 4 : 3; }

  /// Where paint() expects the indices, one per byte, in an image of channels() channels: at its end, so that painting
  /// from the front never overwrites an unread index.
  [[nodiscard]] static std::byte* indices_of(Image& image);

  /// Throws Error{decode} for an index outside the palette. `name` is the file's printable name.
  void paint(Image& image, const std::string& name) const;

 private:
  std::array<std::array<std::byte, 4>, 256> colors_{};
  std::size_t size_ = 0;
  bool has_alpha_ = false;
};

}  // namespace gpuimg::codecs
