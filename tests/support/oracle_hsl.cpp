// Oracle of HSL, one pixel at a time.
#include "support/oracle_hsl.hpp"

#include <algorithm>
#include <cmath>

#include "support/oracle_numbers.hpp"

namespace gpuimg::oracle {

Fractions fractions_of(const Pixel& p, std::uint32_t v_max) {
  const auto r = static_cast<std::int64_t>(p.r);
  const auto g = static_cast<std::int64_t>(p.g);
  const auto b = static_cast<std::int64_t>(p.b);
  const auto v = static_cast<std::int64_t>(v_max);
  const std::int64_t high = std::max({r, g, b});
  const std::int64_t low = std::min({r, g, b});
  const std::int64_t chroma = high - low;
  const std::int64_t sum = high + low;
  Fractions f;
  f.sum = static_cast<std::uint64_t>(sum);
  if (chroma == 0) {
    return f;
  }
  std::int64_t sixths = 0;
  if (r == high) {
    sixths = g - b;
  } else if (g == high) {
    sixths = 2 * chroma + (b - r);
  } else {
    sixths = 4 * chroma + (r - g);
  }
  if (sixths < 0) {
    sixths += 6 * chroma;
  }
  f.hue = static_cast<std::uint64_t>(sixths);
  f.turn = static_cast<std::uint64_t>(6 * chroma);
  f.chroma = static_cast<std::uint64_t>(chroma);
  f.reach = static_cast<std::uint64_t>(std::min(sum, 2 * v - sum));
  return f;
}

std::array<float, 3> hsl_float(const Pixel& p, std::uint32_t v_max) {
  const Fractions f = fractions_of(p, v_max);
  const float hue = nearest_float(360 * f.hue, f.turn);
  return {hue == 360.0F ? 0.0F : hue, nearest_float(f.chroma, f.reach), nearest_float(f.sum, 2 * std::uint64_t{v_max})};
}

std::array<std::uint32_t, 3> hsl_u16(const Pixel& p, std::uint32_t v_max) {
  const Fractions f = fractions_of(p, v_max);
  const auto half_up = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint32_t>((2 * a + b) / (2 * b));
  };
  return {half_up(65536 * f.hue, f.turn) % 65536, half_up(65535 * f.chroma, f.reach),
          half_up(65535 * f.sum, 2 * std::uint64_t{v_max})};
}

std::array<std::uint32_t, 3> hsl_bins(const Pixel& p, std::uint32_t v_max, std::uint64_t bins) {
  const Fractions f = fractions_of(p, v_max);
  return {static_cast<std::uint32_t>(bins * f.hue / f.turn),
          static_cast<std::uint32_t>(std::min(bins - 1, bins * f.chroma / f.reach)),
          static_cast<std::uint32_t>(std::min(bins - 1, bins * f.sum / (2 * std::uint64_t{v_max})))};
}

Pixel rgb_of(float h, float s, float l, std::uint32_t v_max) {
  const float v = static_cast<float>(v_max);
  const float c = (1.0F - std::fabs(2.0F * l - 1.0F)) * s;
  const float sixth = h / 60.0F;
  const float x = c * (1.0F - std::fabs(std::fmod(sixth, 2.0F) - 1.0F));
  const float m = l - c / 2.0F;
  const auto level = [&](float value) {
    const float rounded = std::floor(v * (value + m) + 0.5F);
    return static_cast<std::uint32_t>(std::clamp(rounded, 0.0F, v));
  };
  const std::uint32_t strong = level(c);
  const std::uint32_t middle = level(x);
  const std::uint32_t weak = level(0.0F);
  if (sixth < 1.0F) {
    return {strong, middle, weak, v_max};
  }
  if (sixth < 2.0F) {
    return {middle, strong, weak, v_max};
  }
  if (sixth < 3.0F) {
    return {weak, strong, middle, v_max};
  }
  if (sixth < 4.0F) {
    return {weak, middle, strong, v_max};
  }
  if (sixth < 5.0F) {
    return {middle, weak, strong, v_max};
  }
  return {strong, weak, middle, v_max};
}

Pixel adjusted(const Pixel& p, std::uint32_t v_max, float hue_degrees, float saturation, float lightness) {
  const auto [h, s, l] = hsl_float(p, v_max);
  float hue = std::fmod(h + hue_degrees, 360.0F);
  if (hue < 0.0F) {
    hue += 360.0F;
  }
  Pixel out = rgb_of(hue == 360.0F ? 0.0F : hue, std::clamp(s * saturation, 0.0F, 1.0F),
                     std::clamp(l * lightness, 0.0F, 1.0F), v_max);
  out.a = p.a;
  return out;
}

std::array<double, 3> hls_distance(const Pixel& p, std::uint32_t v_max, const std::uint8_t* hls,
                                   std::uint64_t hue_range) {
  const Fractions f = fractions_of(p, v_max);
  const auto ratio = [](std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); };
  const double hue = std::min(255.0, ratio(hue_range * f.hue, f.turn));
  return {std::fabs(hls[0] - hue), std::fabs(hls[1] - ratio(255 * f.sum, 2 * std::uint64_t{v_max})),
          std::fabs(hls[2] - ratio(255 * f.chroma, f.reach))};
}

}  // namespace gpuimg::oracle
