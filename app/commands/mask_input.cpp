// Loads the mask once, for all images of the run.
#include "commands/mask_input.hpp"

#include <algorithm>
#include <cstdint>

namespace gpuimg {
namespace {

/// 255 where any color channel is nonzero.
template <class T>
Image mask_levels(ConstView pixels) {
  Image mask(pixels.width, pixels.height, PixelFormat{Sample::u8, 1});
  const auto channels = static_cast<std::size_t>(pixels.format.channels);
  const int colors = pixels.format.color_channels();
  const View out = mask.view();
  for (int y = 0; y < pixels.height; ++y) {
    const T* from = pixels.row<T>(y);
    auto* to = out.row<std::uint8_t>(y);
    for (std::size_t x = 0; x < static_cast<std::size_t>(pixels.width); ++x, from += channels) {
      to[x] = std::any_of(from, from + colors, [](T value) { return value != 0; }) ? 255 : 0;
    }
  }
  return mask;
}

/// The form of masks: u8, 1 channel.
Image mask_of(ConstView pixels) {
  return pixels.format.sample == Sample::u8 ? mask_levels<std::uint8_t>(pixels) : mask_levels<std::uint16_t>(pixels);
}

}  // namespace

SharedMask load_mask(const std::string& path, CommandContext& context) {
  return path.empty() ? nullptr : std::make_shared<const Image>(mask_of(context.load_on_host(path).view()));
}

}  // namespace gpuimg
