// RGB of 8 bits to HSL of 16 bits with three dozen instructions a pixel. The rule stands in docs/operations.md, "HSL";
// the design in docs/performance.md.
#pragma once

#include "device/exact_divide.cuh"
#include "device/samples.cuh"

namespace gpuimg::cuda {

/// hsl_u16<std::uint8_t> in float32, where every number but the reciprocals is exact. A rounded quotient is an estimate
/// q (an integer, off by one at most) plus its remainder times the reciprocal, rounded once: remainders are integers,
/// so adding an eighth to them turns ties upward and reaches no other tie.
struct FastHslU16 {
  static constexpr float kToInteger = 12582912.0F;  // 1.5·2²³: the low 16 bits of a sum with it are the rounded integer
  static constexpr float kTieBreak = 0.125F;
  static constexpr float kTieBreakRatio = 1.0F + 1.0F / 1048576.0F;

  /// kToInteger + ⌊a/b + ½⌋; the estimate comes from a, the remainder is a multiple of `unit`.
  static __device__ __forceinline__ std::uint32_t rounded_ratio(float a, float b, float unit) {
    const float reciprocal = approximate_reciprocal(b);
    const float estimate = __fmaf_rn(a, reciprocal, kToInteger);
    const float remainder = __fmaf_rn(-(estimate - kToInteger), b, a);
    return __float_as_uint(__fmaf_rn(remainder + kTieBreak * unit, reciprocal, estimate));
  }

  /// r, g, b as the bits of kBias + value; the results' low 16 bits are hue, saturation and lightness.
  static __device__ __forceinline__ uint3 mapped(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
    constexpr float kHueUnit = 1.0F / 32768.0F;
    const float r = __uint_as_float(red);
    const float g = __uint_as_float(green);
    const float b = __uint_as_float(blue);
    const float high = fmaxf(r, fmaxf(g, b));
    const float low = fminf(r, fminf(g, b));
    const float chroma = high - low;
    const float sum = __fmaf_rn(2.0F, low - kBias, chroma);
    const float denominator = fmaxf(255.0F - fabsf(sum - 255.0F), 1.0F);
    // H = 65536·n/(6·chroma) = n/(3·chroma/32768); n below 0 is a hue below 0, which wraps by itself.
    const float if_red = g - b;
    const float if_green = __fmaf_rn(2.0F, chroma, b - r);
    const float if_blue = __fmaf_rn(4.0F, chroma, r - g);
    const float numerator = high == r ? if_red : high == g ? if_green : if_blue;
    const float turn = fmaxf(chroma * (3.0F * kHueUnit), 3.0F * kHueUnit);
    // L = 128.5·sum, and ties are the odd sums.
    const float lightness = __fmaf_rn(sum, 128.5F * kTieBreakRatio, kToInteger);
    return make_uint3(rounded_ratio(numerator, turn, kHueUnit), rounded_ratio(chroma * 65535.0F, denominator, 1.0F),
                      __float_as_uint(lightness));
  }
};

}  // namespace gpuimg::cuda
