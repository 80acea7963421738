// CMYK to RGB in integers.
#include "codecs/jpeg/cmyk.hpp"

namespace gpuimg::codecs {

void cmyk_to_rgb(const std::uint8_t* cmyk, std::uint8_t* rgb, std::size_t count, bool is_ink) {
  constexpr std::size_t kInks = 4;
  constexpr std::size_t kChannels = 3;
  const unsigned flip = is_ink ? 255 : 0;
  for (std::size_t i = 0; i < count; ++i, cmyk += kInks, rgb += kChannels) {
    const unsigned black = cmyk[3] ^ flip;
    for (std::size_t c = 0; c < kChannels; ++c) {
      // 255 is odd, so the quotient never lies halfway.
      rgb[c] = static_cast<std::uint8_t>(((cmyk[c] ^ flip) * black + 127) / 255);
    }
  }
}

}  // namespace gpuimg::codecs
