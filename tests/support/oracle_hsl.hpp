// HSL of one pixel and back, written anew from docs/operations.md for the tests. Nothing of gpuimg/ops is used here.
#pragma once

#include <array>
#include <cstdint>

#include "support/oracle_levels.hpp"

namespace gpuimg::oracle {

/// Exact: H = hue/turn of a whole turn, S = chroma/reach, L = sum/(2V). Gray: 0/1, 0/1.
struct Fractions {
  std::uint64_t hue = 0;
  std::uint64_t turn = 1;
  std::uint64_t chroma = 0;
  std::uint64_t reach = 1;
  std::uint64_t sum = 0;
};
Fractions fractions_of(const Pixel& p, std::uint32_t v_max);

/// H in degrees, S, L: each the float32 nearest to the fraction.
std::array<float, 3> hsl_float(const Pixel& p, std::uint32_t v_max);

/// H in 65536ths of a turn, S and L in 65535ths, rounded half up.
std::array<std::uint32_t, 3> hsl_u16(const Pixel& p, std::uint32_t v_max);

/// Bins of H, S and L.
std::array<std::uint32_t, 3> hsl_bins(const Pixel& p, std::uint32_t v_max, std::uint64_t bins);

/// Back to 0 … V by the float32 formula; h in [0,360), s and l in [0,1]. Alpha is V.
Pixel rgb_of(float h, float s, float l, std::uint32_t v_max);

/// Convert, shift and scale in float32, convert back; alpha is kept.
Pixel adjusted(const Pixel& p, std::uint32_t v_max, float hue_degrees, float saturation, float lightness);

/// How far an 8-bit H/2 (hue_range 180) or H·256/360 (256), L·255 and S·255 are from the exact value, in levels.
/// H saturated to 255 has the distance 0.
std::array<double, 3> hls_distance(const Pixel& p, std::uint32_t v_max, const std::uint8_t* hls,
                                   std::uint64_t hue_range);

}  // namespace gpuimg::oracle
