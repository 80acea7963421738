// Palette look-up, in place.
#include "codecs/png/png_palette.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codecs/refusals.hpp"

namespace gpuimg::codecs {
namespace {

/// Returns the largest index.
template <std::size_t kChannels, class Colors>
std::size_t expand(const std::byte* indices, std::byte* pixels, std::size_t count, const Colors& colors) {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = std::to_integer<std::size_t>(indices[i]);
    largest = std::max(largest, index);
    const auto color = colors[index];
    for (std::size_t c = 0; c < kChannels; ++c) {
      pixels[i * kChannels + c] = color[c];
    }
  }
  return largest;
}

}  // namespace

PngPalette::PngPalette(ByteSpan colors, ByteSpan opacities) : size_(colors.size() / 3), has_alpha_(!opacities.empty()) {
  for (std::size_t i = 0; i < size_; ++i) {
    const std::byte opacity = i < opacities.size() ? opacities[i] : std::byte{255};
    colors_[i] = {colors[3 * i], colors[3 * i + 1], colors[3 * i + 2], opacity};
  }
}

std::byte* PngPalette::indices_of(Image& image) {
  return image.view().data + (image.size_bytes() - image.view().pixel_count());
}

void PngPalette::paint(Image& image, const std::string& name) const {
  const std::size_t count = image.view().pixel_count();
  const std::byte* const indices = indices_of(image);
  std::byte* const pixels = image.view().data;
  const std::size_t largest =
      has_alpha_ ? expand<4>(indices, pixels, count, colors_) : expand<3>(indices, pixels, count, colors_);
  if (largest >= size_) {
    refuse_damaged(name, fmt::format("a pixel has color index {}, but its palette has size {}", largest, size_));
  }
}

}  // namespace gpuimg::codecs
