// Exact quotients from an approximate reciprocal and a correction, for the divisions of ops/hsl.hpp and
// ops/equalize.hpp. tests/cuda compares them with plain division over the whole domain.
#pragma once

#include <cstdint>

namespace gpuimg::cuda {

/// 1/b, at most one unit in the last place off.
__device__ __forceinline__ float approximate_reciprocal(float b) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
  return r;
}

/// Divide for hsl_float and hsl_u16. a and b must be integers; a has at most 24 significant bits.
struct CorrectedDivide {
  /// The float32 nearest to a/b. The remainder is exact, and the corrected estimate is closer to the quotient than any
  /// tie is.
  static __device__ __forceinline__ float ratio(std::uint32_t a, std::uint32_t b) {
    const float divisor = static_cast<float>(b);
    return corrected(static_cast<float>(a), divisor, approximate_reciprocal(divisor));
  }
  template <std::uint32_t b>
  static __device__ __forceinline__ float ratio_by(std::uint32_t a) {
    constexpr float kDivisor = static_cast<float>(b);
    return corrected(static_cast<float>(a), kDivisor, 1.0F / kDivisor);
  }

  /// ⌊scale·a/b + ½⌋ for scale = 65535 or 65536, where a ≤ b or the result is below 2¹⁷. The estimate is at most one
  /// off, and the exact remainder corrects it.
  template <std::uint32_t scale>
  static __device__ __forceinline__ std::uint32_t scaled(std::uint32_t a, std::uint32_t b) {
    constexpr float kToInteger = 12582912.0F;  // 1.5·2²³: adding it leaves the rounded integer in the low bits
    const float divisor = static_cast<float>(b);
    const float part = static_cast<float>(a);
    const float whole = part * 65536.0F;
    const float missing = scale == 65536U ? 0.0F : part;
    const float estimate = __fmaf_rn(whole - missing, approximate_reciprocal(divisor), kToInteger);
    const float quotient = estimate - kToInteger;
    const float remainder = __fmaf_rn(-quotient, divisor, whole) - missing;
    const float twice = remainder + remainder;
    const std::uint32_t level = __float_as_uint(estimate) & 0x3FFFFFU;
    return twice >= divisor ? level + 1U : twice < -divisor ? level - 1U : level;
  }

 private:
  static __device__ __forceinline__ float corrected(float a, float b, float reciprocal) {
    const float quotient = a * reciprocal;
    return __fmaf_rn(__fmaf_rn(-quotient, b, a), reciprocal, quotient);
  }
};

}  // namespace gpuimg::cuda
