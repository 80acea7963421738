// A PNG's palette, and indices turned into its colors.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "codecs/byte_fields.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

class PngPalette {
 public:
  PngPalette() = default;

  /// `colors`: the PLTE chunk's payload, 1 to 256 times red, green, blue. `opacities`: the tRNS chunk's, no longer than
  /// that; empty for a palette without transparency.
  PngPalette(ByteSpan colors, ByteSpan opacities);

  [[nodiscard]] int channels() const { return has_alpha_ ? 4 : 3; }

  /// Where indices, one a byte, must be put in an image of channels() channels for paint(): at its end, where painting
  /// from the front never overtakes them.
  [[nodiscard]] static std::byte* indices_of(Image& image);

  /// Throws Error{decode} for an index beyond the palette. `name` is the file's, printable.
  void paint(Image& image, const std::string& name) const;

 private:
  std::array<std::array<std::byte, 4>, 256> colors_{};
  std::size_t size_ = 0;
  bool has_alpha_ = false;
};

}  // namespace gpuimg
