// Oracle of summed-area tables.
#include "support/oracle_integral.hpp"

namespace gpuimg::oracle {
namespace {

std::uint32_t value_of(const Pixel& p, const IntegralOptions& options, PixelFormat format) {
  switch (options.channel) {
    case Channel::red: return p.r;
    case Channel::green: return p.g;
    case Channel::blue: return p.b;
    case Channel::alpha: return p.a;
    default: return format.channels < 3 ? p.r : luma_of_kind(options.luma)(p);
  }
}

}  // namespace

Sums padded_sums(ConstView pixels, const IntegralOptions& options) {
  const auto width = static_cast<std::size_t>(pixels.width);
  const auto height = static_cast<std::size_t>(pixels.height);
  Sums sums((width + 1) * (height + 1), 0);
  for (std::size_t y = 0; y < height; ++y) {
    std::uint64_t row = 0;
    for (std::size_t x = 0; x < width; ++x) {
      const Pixel p = pixel_at(pixels, static_cast<int>(x), static_cast<int>(y));
      const std::uint64_t value = value_of(p, options, pixels.format);
      row += options.square ? value * value : value;
      sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row;
    }
  }
  return sums;
}

}  // namespace gpuimg::oracle
