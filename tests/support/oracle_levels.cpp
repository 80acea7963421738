// Oracle of levels and counts.
#include "support/oracle_levels.hpp"

#include <utility>

#include "support/oracle_numbers.hpp"

namespace gpuimg::oracle {
namespace {

template <class T>
Pixel pixel_of(const T* row, int x, PixelFormat format) {
  const auto channels = static_cast<std::size_t>(format.channels);
  const T* p = row + static_cast<std::size_t>(x) * channels;
  Pixel out;
  out.r = p[0];
  out.g = channels >= 3 ? p[1] : p[0];
  out.b = channels >= 3 ? p[2] : p[0];
  out.a = format.has_alpha() ? p[channels - 1] : format.max_value();
  return out;
}

/// The weighted sum of the channels, rounded half up. The weights are multiples of 1/`one`.
std::uint32_t weighted(const Pixel& p, std::uint64_t red, std::uint64_t green, std::uint64_t blue, std::uint64_t one) {
  return static_cast<std::uint32_t>((red * p.r + green * p.g + blue * p.b + one / 2) / one);
}

}  // namespace

Pixel pixel_at(ConstView pixels, int x, int y) {
  return pixels.format.sample == Sample::u8 ? pixel_of(pixels.row<std::uint8_t>(y), x, pixels.format)
                                            : pixel_of(pixels.row<std::uint16_t>(y), x, pixels.format);
}

std::uint32_t luma_bt601(const Pixel& p) { return weighted(p, 19595, 38470, 7471, 65536); }
std::uint32_t luma_opencv(const Pixel& p) { return weighted(p, 9798, 19235, 3735, 32768); }
std::uint32_t luma_bt709(const Pixel& p) { return weighted(p, 13933, 46871, 4732, 65536); }

std::uint32_t luma_bt601_trunc(const Pixel& p) {
  // The float32 weights are 10032775/2²⁵, 9848226/2²⁴ and 15300821/2²⁷. Everything is in units of 1/2²⁷.
  const std::uint64_t red = rounded_to_bits(std::uint64_t{10032775} * 4 * p.r, 24);
  const std::uint64_t green = rounded_to_bits(std::uint64_t{9848226} * 8 * p.g, 24);
  const std::uint64_t blue = rounded_to_bits(std::uint64_t{15300821} * p.b, 24);
  const std::uint64_t sum = rounded_to_bits(rounded_to_bits(red + green, 24) + blue, 24);
  return static_cast<std::uint32_t>(sum >> 27);
}

LevelFunction for_format(LevelFunction of_color, PixelFormat format) {
  if (format.channels >= 3) {
    return of_color;
  }
  return [](const Pixel& p) { return p.r; };
}

bool is_counted(ConstView pixels, int x, int y, const Choice& choice) {
  if (choice.region) {
    const Rect& r = *choice.region;
    if (x < r.x || y < r.y || x >= r.x + r.width || y >= r.y + r.height) {
      return false;
    }
  }
  if (choice.mask != nullptr && choice.mask->view().row<std::uint8_t>(y)[x] == 0) {
    return false;
  }
  return choice.count_transparent || pixel_at(pixels, x, y).a != 0;
}

std::vector<std::uint64_t> count(ConstView pixels, const Choice& choice, std::size_t bins, const LevelFunction& level) {
  std::vector<std::uint64_t> counts(bins, 0);
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      if (is_counted(pixels, x, y, choice)) {
        ++counts.at(level(pixel_at(pixels, x, y)));
      }
    }
  }
  return counts;
}

}  // namespace gpuimg::oracle
