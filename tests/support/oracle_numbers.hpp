// Rounding in integer arithmetic for the oracles, so that the tests do not depend on the floating-point unit under
// test.
#pragma once

#include <cstdint>

namespace gpuimg::oracle {

/// x rounded to `bits` significant binary digits, ties to even. x + 2^(64 − bits) must be below 2⁶⁴.
std::uint64_t rounded_to_bits(std::uint64_t x, int bits);

/// The float32 nearest to a/b, ties to even. 0 < b < 2³², a < 2³².
float nearest_float(std::uint64_t a, std::uint64_t b);

/// ⌊a/b⌋, for negative a as well. b > 0.
constexpr std::int64_t floor_ratio(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// a/b rounded half away from zero. b > 0.
constexpr std::int64_t half_away_ratio(std::int64_t a, std::int64_t b) {
  return a >= 0 ? (2 * a + b) / (2 * b) : -((-2 * a + b) / (2 * b));
}

/// mantissa · 2^exponent with a mantissa of at most 24 bits: a float32 with unlimited exponent.
struct Binary32 {
  std::uint64_t mantissa = 0;
  int exponent = 0;
};

/// float32(x) of an exact integer.
Binary32 binary32_of(std::uint64_t x);

/// Correctly rounded quotient of a < 2¹⁶ and b > 0, and product.
Binary32 quotient(std::uint64_t a, const Binary32& b);
Binary32 product(const Binary32& a, const Binary32& b);

/// The nearest integer, ties to even, limited to `limit`.
std::uint64_t rounded_integer(const Binary32& x, std::uint64_t limit);

}  // namespace gpuimg::oracle
