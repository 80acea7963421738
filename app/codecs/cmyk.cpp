// CMYK to RGB in integers.
#include "codecs/cmyk.hpp"

#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

template <class T>
void cmyk_to_rgb(const T* cmyk, T* rgb, std::size_t count) {
  constexpr std::size_t kInks = 4;
  constexpr std::size_t kChannels = 3;
  for (std::size_t i = 0; i < count; ++i, cmyk += kInks, rgb += kChannels) {
    const std::uint32_t black = cmyk[3];
    for (std::size_t c = 0; c < kChannels; ++c) {
      // V is odd, so the quotient never lies halfway.
      rgb[c] = static_cast<T>((cmyk[c] * black + kMaxOf<T> / 2) / kMaxOf<T>);
    }
  }
}

template void cmyk_to_rgb(const std::uint8_t*, std::uint8_t*, std::size_t);
template void cmyk_to_rgb(const std::uint16_t*, std::uint16_t*, std::size_t);

}  // namespace gpuimg::codecs
