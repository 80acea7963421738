// Oracle of HSL in both directions, written independently from docs/operations.md. Does not use gpuimg/ops.
#pragma once

#include <array>
#include <cstdint>

#include "support/oracle_levels.hpp"

namespace gpuimg::oracle {

/// Exact fractions: H = hue/turn (1 is the full circle), S = chroma/reach, L = sum/(2V). For gray, H and S are 0/1.
struct Fractions {
  std::uint64_t hue = 0;
  std::uint64_t turn = 1;
  std::uint64_t chroma = 0;
  std::uint64_t reach = 1;
  std::uint64_t sum = 0;
};
Fractions fractions_of(const Pixel& p, std::uint32_t v_max);

/// H in degrees, S and L; each is the float32 nearest to its fraction.
std::array<float, 3> hsl_float(const Pixel& p, std::uint32_t v_max);

/// H in 1/65536 turn, S and L in 1/65535, rounded half up.
std::array<std::uint32_t, 3> hsl_u16(const Pixel& p, std::uint32_t v_max);

/// Bins of H, S and L.
std::array<std::uint32_t, 3> hsl_bins(const Pixel& p, std::uint32_t v_max, std::uint64_t bins);

/// Converts to 0 … V with the float32 formula. h is in [0,360), s and l in [0,1]. Alpha is V.
Pixel rgb_of(float h, float s, float l, std::uint32_t v_max);

/// Converts to HSL, shifts and scales in float32, and converts back. Keeps alpha.
Pixel adjusted(const Pixel& p, std::uint32_t v_max, float hue_degrees, float saturation, float lightness);

/// Distances in levels between the 8-bit values `hls` and the exact values of H, L and S. The exact H ranges from 0 to
/// `hue_range` (180 or 256) and is limited to 255; L and S range from 0 to 255.
std::array<double, 3> hls_distance(const Pixel& p, std::uint32_t v_max, const std::uint8_t* hls,
                                   std::uint64_t hue_range);

}  // namespace gpuimg::oracle
