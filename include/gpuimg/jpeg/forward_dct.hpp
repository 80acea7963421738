// The forward DCT of libjpeg's "islow" method, to the bit, and its quantization: Loeffler, Ligtenberg and Moschytz
// 1989, in 13-bit fixed point, rows first.
#pragma once

#include <cstdint>

#include "gpuimg/codec.hpp"
#include "gpuimg/host_device.hpp"
#include "gpuimg/jpeg/layout.hpp"

namespace gpuimg::jpeg {

enum class DctPass { rows, columns };

/// Divides by 2^shift. Halves are rounded up.
GPUIMG_HD inline std::int32_t descale(std::int32_t value, int shift) { return (value + (1 << (shift - 1))) >> shift; }

/// Transforms eight numbers in place. Rows take samples minus 128 and give two bits more than columns give, whose
/// results are 8 times the coefficients.
template <DctPass kPass>
GPUIMG_HD inline void forward_dct_1d(std::int32_t v[kBlockSide]) {
  constexpr int kExtraBits = 2;
  constexpr int kShift = kPass == DctPass::rows ? 13 - kExtraBits : 13 + kExtraBits;
  const std::int32_t sum0 = v[0] + v[7];
  const std::int32_t sum1 = v[1] + v[6];
  const std::int32_t sum2 = v[2] + v[5];
  const std::int32_t sum3 = v[3] + v[4];
  const std::int32_t d0 = v[0] - v[7];
  const std::int32_t d1 = v[1] - v[6];
  const std::int32_t d2 = v[2] - v[5];
  const std::int32_t d3 = v[3] - v[4];
  const std::int32_t even0 = sum0 + sum3;
  const std::int32_t even1 = sum1 + sum2;
  const std::int32_t even2 = sum1 - sum2;
  const std::int32_t even3 = sum0 - sum3;
  if constexpr (kPass == DctPass::rows) {
    v[0] = (even0 + even1) * (1 << kExtraBits);
    v[4] = (even0 - even1) * (1 << kExtraBits);
  } else {
    v[0] = descale(even0 + even1, kExtraBits);
    v[4] = descale(even0 - even1, kExtraBits);
  }
  // Constants times 2¹³, named in jfdctint.c after their values: 4433 is 0.541196100, 15137 is 1.847759065 …
  const std::int32_t even = (even2 + even3) * 4433;
  v[2] = descale(even + even3 * 6270, kShift);
  v[6] = descale(even - even2 * 15137, kShift);
  const std::int32_t z5 = (d0 + d1 + d2 + d3) * 9633;
  const std::int32_t z1 = (d3 + d0) * -7373;
  const std::int32_t z2 = (d2 + d1) * -20995;
  const std::int32_t z3 = (d3 + d1) * -16069 + z5;
  const std::int32_t z4 = (d2 + d0) * -3196 + z5;
  v[7] = descale(d3 * 2446 + z1 + z3, kShift);
  v[5] = descale(d2 * 16819 + z2 + z4, kShift);
  v[3] = descale(d1 * 25172 + z2 + z3, kShift);
  v[1] = descale(d0 * 12299 + z1 + z4, kShift);
}

/// Divides a result of the columns by a step: rounds to the nearest, halves away from 0.
struct alignas(8) Quantizer {
  std::uint32_t reciprocal;  ///< of the divisor, 8 times the step, as a fraction of 2³², rounded up
  std::uint16_t half;        ///< of the divisor
  std::uint16_t place;       ///< of the coefficient in zigzag order

  /// Exact, as the numerator stays below 2¹⁶ and the divisor below 2¹¹.
  [[nodiscard]] GPUIMG_HD std::int32_t quantize(std::int32_t value) const {
    const auto magnitude = static_cast<std::uint32_t>(value < 0 ? -value : value) + half;
    const auto quotient = static_cast<std::int32_t>(static_cast<std::uint64_t>(magnitude) * reciprocal >> 32);
    return value < 0 ? -quotient : quotient;
  }
};

constexpr std::uint32_t kMaxStep = 255;  ///< of baseline

/// Of each frequency, in row order.
struct Quantizers {
  Quantizer of[kBlockSize];
};

/// Every step is from 1 to kMaxStep. Defined in core/jpeg_codes.cpp.
Quantizers quantizers_of(const EncodedJpegComponent& component);

}  // namespace gpuimg::jpeg
