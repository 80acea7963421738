// Rounding in integer arithmetic.
#include "support/oracle_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gpuimg::oracle {
namespace {

int width_of(std::uint64_t x) { return 64 - std::countl_zero(x); }

/// The quotient with one more bit, which is 1 if the division has a remainder (sticky bit).
std::uint64_t with_sticky_bit(std::uint64_t a, std::uint64_t b) { return a / b * 2 + (a % b != 0 ? 1 : 0); }

Binary32 normalized(std::uint64_t mantissa, int exponent) {
  Binary32 x{rounded_to_bits(mantissa, 24), exponent};
  while (x.mantissa >= (1U << 24)) {
    x.mantissa /= 2;  // exact: the digits after the leading 24 are zero
    ++x.exponent;
  }
  return x;
}

}  // namespace

std::uint64_t rounded_to_bits(std::uint64_t x, int bits) {
  const int extra = width_of(x) - bits;
  if (extra <= 0) {
    return x;
  }
  const std::uint64_t unit = std::uint64_t{1} << extra;
  const std::uint64_t rest = x % unit;
  const std::uint64_t below = x - rest;
  const bool up = rest > unit / 2 || (rest == unit / 2 && (below & unit) != 0);
  return up ? below + unit : below;
}

float nearest_float(std::uint64_t a, std::uint64_t b) {
  if (a == 0) {
    return 0.0F;
  }
  const int shift = std::max(0, 27 + width_of(b) - width_of(a));
  const std::uint64_t digits = rounded_to_bits(with_sticky_bit(a << shift, b), 24);
  return std::ldexp(static_cast<float>(digits), -(shift + 1));
}

Binary32 binary32_of(std::uint64_t x) { return normalized(x, 0); }

Binary32 quotient(std::uint64_t a, const Binary32& b) {
  constexpr int kShift = 46;
  return normalized(with_sticky_bit(a << kShift, b.mantissa), -kShift - 1 - b.exponent);
}

Binary32 product(const Binary32& a, const Binary32& b) {
  return normalized(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

std::uint64_t rounded_integer(const Binary32& x, std::uint64_t limit) {
  if (x.exponent >= 0) {
    const bool beyond = x.exponent > 39 || (x.mantissa << x.exponent) > limit;
    return x.mantissa == 0 ? 0 : beyond ? limit : x.mantissa << x.exponent;
  }
  if (x.exponent < -40) {
    return 0;  // smaller than 2²⁴ / 2⁴¹, so it rounds to 0
  }
  const std::uint64_t unit = std::uint64_t{1} << -x.exponent;
  const std::uint64_t rest = x.mantissa % unit;
  const std::uint64_t below = x.mantissa / unit;
  const bool up = rest > unit / 2 || (rest == unit / 2 && below % 2 == 1);
  return std::min(limit, below + (up ? 1 : 0));
}

}  // namespace gpuimg::oracle
