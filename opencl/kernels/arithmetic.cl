// Exact quotients on any device, 64-bit floats on devices with and without them, HSL, and the level of a pixel: the
// value that is counted, summed or mapped. Restates hsl.hpp, luma.hpp, hist.hpp and equalize.hpp of core/ops; the
// parity tests compare all colors.

// 1/b within 2.5 units in the last place, for normal b whose reciprocal is normal.
static float near_reciprocal(float b) { return 1.0f / b; }

// The float32 nearest to a/b, for finite normal a and b whose quotient is normal.
static float divided(float a, float b) {
#ifdef DIVIDES_EXACTLY
  return a / b;
#else
  // OpenCL's own division may be off by 2.5 units in the last place. A Newton step makes the reciprocal correctly
  // rounded. The remainder, which fma computes exactly, then corrects the quotient (Markstein, 1990).
  const float near = near_reciprocal(b);
  const float reciprocal = fma(fma(-b, near, 1.0f), near, near);
  const float quotient = a * reciprocal;
  return fma(fma(-quotient, b, a), reciprocal, quotient);
#endif
}

// ⌊n/d⌋, where r is 1/d within a few units in the last place, and the quotient is below 2¹⁷. The estimate is off by at
// most one; the remainder is small, and exact modulo 2³².
static uint quotient(uint n, uint d, float r) {
  const uint estimate = (uint)((float)n * r);
  const int rest = (int)(n - estimate * d);
  return rest < 0 ? estimate - 1u : rest >= (int)d ? estimate + 1u : estimate;
}

// The bits of the float64 nearest to n, ties to even. Computed with integers, because devices may lack 64-bit floats.
static ulong float64_bits(ulong n) {
  if (n == 0) {
    return 0;
  }
  const int high = 63 - (int)clz(n);
  ulong significand;
  if (high <= 52) {
    significand = n << (52 - high);
  } else {
    const int drop = high - 52;
    const ulong tie = (ulong)1 << (drop - 1);
    const ulong rest = n & (((ulong)1 << drop) - 1);
    significand = n >> drop;
    significand += rest > tie || (rest == tie && (significand & 1) != 0) ? 1 : 0;
  }
  // The significand's leading bit adds 1 to the exponent, and so does a carry out of rounding.
  return ((ulong)(high + 1022) << 52) + significand;
}

#ifdef FLOAT64
// The operations of IEEE 754 on 64-bit floats, rounded to nearest, ties to even. FLOAT64 is 1 if the device has 64-bit
// floats that round in this way. If FLOAT64 is 0, integers compute the same bits.
#if FLOAT64
typedef double Float64;
static Float64 float64_from_bits(ulong bits) { return as_double(bits); }
static ulong bits_of_float64(Float64 a) { return as_ulong(a); }
static Float64 float64_of(ulong n) { return convert_double_rte(n); }
static Float64 float64_sum(Float64 a, Float64 b) { return a + b; }
static Float64 float64_difference(Float64 a, Float64 b) { return a - b; }
static Float64 float64_product(Float64 a, Float64 b) { return a * b; }
static Float64 float64_quotient(Float64 a, Float64 b) { return a / b; }
static Float64 float64_root(Float64 a) { return sqrt(a); }
static bool float64_is_greater(Float64 a, Float64 b) { return a > b; }
#else
typedef ulong Float64;
#define FLOAT64_SIGN ((ulong)1 << 63)
#define FLOAT64_INFINITY ((ulong)0x7FF << 52)
#define FLOAT64_NAN ((ulong)0x7FF8 << 48)

static Float64 float64_from_bits(ulong bits) { return bits; }
static ulong bits_of_float64(Float64 a) { return a; }
static Float64 float64_of(ulong n) { return float64_bits(n); }

static bool float64_is_nan(Float64 a) { return a << 1 > FLOAT64_INFINITY << 1; }
static bool float64_is_infinite(Float64 a) { return a << 1 == FLOAT64_INFINITY << 1; }

// A number that is not 0, infinite or NaN: significand · 2^(exponent − 62), where bit 62 is the significand's highest.
typedef struct {
  int exponent;
  ulong significand;
} Float64Parts;

static Float64Parts float64_parts(Float64 a) {
  const int field = (int)(a >> 52 & 0x7FF);
  const ulong fraction = a & (((ulong)1 << 52) - 1);
  Float64Parts parts;
  if (field == 0) {
    const int shift = (int)clz(fraction) - 1;
    parts.significand = fraction << shift;
    parts.exponent = -1012 - shift;
  } else {
    parts.significand = (fraction | (ulong)1 << 52) << 10;
    parts.exponent = field - 1023;
  }
  return parts;
}

// Shifts right by any amount. Bit 0 of the result is also set if a bit was lost.
static ulong shifted_with_rest(ulong n, int shift) {
  return shift == 0 ? n : shift > 63 ? (n != 0 ? 1 : 0) : n >> shift | ((n & (((ulong)1 << shift) - 1)) != 0 ? 1 : 0);
}

// The nearest float64. Bit 62 of the significand is its highest; bit 0 also stands for all bits below.
static Float64 float64_rounded(ulong sign, int exponent, ulong significand) {
  const int field = exponent + 1023;
  if (field >= 0x7FF) {
    return sign | FLOAT64_INFINITY;
  }
  const ulong shifted = field > 0 ? significand : shifted_with_rest(significand, 1 - field);
  const ulong rest = shifted & 0x3FF;
  const ulong kept = shifted >> 10;
  const ulong rounded = kept + (rest > 0x200 || (rest == 0x200 && (kept & 1) != 0) ? 1 : 0);
  // The significand's leading bit adds 1 to the exponent, and so does a carry out of rounding.
  return sign | ((ulong)max(field - 1, 0) << 52) + rounded;
}

static Float64 float64_sum(Float64 a, Float64 b) {
  if (float64_is_nan(a) || float64_is_nan(b)) {
    return FLOAT64_NAN;
  }
  if (float64_is_infinite(a) || float64_is_infinite(b)) {
    return !float64_is_infinite(a) ? b : float64_is_infinite(b) && a != b ? FLOAT64_NAN : a;
  }
  if (a << 1 == 0 || b << 1 == 0) {
    return a << 1 != 0 ? a : b << 1 != 0 ? b : a & b;
  }
  const Float64 larger = a << 1 >= b << 1 ? a : b;
  const Float64 smaller = larger == a ? b : a;
  const Float64Parts large = float64_parts(larger);
  const Float64Parts small = float64_parts(smaller);
  const ulong added = shifted_with_rest(small.significand, large.exponent - small.exponent);
  const ulong sign = larger & FLOAT64_SIGN;
  if (((a ^ b) & FLOAT64_SIGN) == 0) {
    const ulong sum = large.significand + added;
    return sum >> 63 != 0 ? float64_rounded(sign, large.exponent + 1, shifted_with_rest(sum, 1))
                          : float64_rounded(sign, large.exponent, sum);
  }
  const ulong difference = large.significand - added;
  if (difference == 0) {
    return 0;
  }
  const int shift = (int)clz(difference) - 1;
  return float64_rounded(sign, large.exponent - shift, difference << shift);
}

static Float64 float64_difference(Float64 a, Float64 b) { return float64_sum(a, b ^ FLOAT64_SIGN); }

static Float64 float64_product(Float64 a, Float64 b) {
  const ulong sign = (a ^ b) & FLOAT64_SIGN;
  const bool has_zero = a << 1 == 0 || b << 1 == 0;
  if (float64_is_nan(a) || float64_is_nan(b)) {
    return FLOAT64_NAN;
  }
  if (float64_is_infinite(a) || float64_is_infinite(b)) {
    return has_zero ? FLOAT64_NAN : sign | FLOAT64_INFINITY;
  }
  if (has_zero) {
    return sign;
  }
  const Float64Parts x = float64_parts(a);
  const Float64Parts y = float64_parts(b);
  const ulong low = x.significand * y.significand;
  const ulong product =
      mul_hi(x.significand, y.significand) << 2 | low >> 62 | (low << 2 != 0 ? (ulong)1 : (ulong)0);
  return product >> 63 != 0 ? float64_rounded(sign, x.exponent + y.exponent + 1, shifted_with_rest(product, 1))
                            : float64_rounded(sign, x.exponent + y.exponent, product);
}

static Float64 float64_quotient(Float64 a, Float64 b) {
  const ulong sign = (a ^ b) & FLOAT64_SIGN;
  if (float64_is_nan(a) || float64_is_nan(b) || (float64_is_infinite(a) && float64_is_infinite(b)) ||
      (a << 1 == 0 && b << 1 == 0)) {
    return FLOAT64_NAN;
  }
  if (float64_is_infinite(a) || b << 1 == 0) {
    return sign | FLOAT64_INFINITY;
  }
  if (float64_is_infinite(b) || a << 1 == 0) {
    return sign;
  }
  const Float64Parts x = float64_parts(a);
  const Float64Parts y = float64_parts(b);
  const bool is_below = x.significand < y.significand;  // the quotient of the significands is below 1
  ulong rest = (x.significand << (is_below ? 1 : 0)) - y.significand;
  ulong quotient = 1;
  for (int bit = 0; bit < 62; ++bit) {
    rest <<= 1;
    quotient <<= 1;
    if (rest >= y.significand) {
      rest -= y.significand;
      quotient |= 1;
    }
  }
  return float64_rounded(sign, x.exponent - y.exponent - (is_below ? 1 : 0), quotient | (rest != 0 ? 1 : 0));
}

// The square root of a ≥ 0.
static Float64 float64_root(Float64 a) {
  if (a << 1 == 0 || float64_is_nan(a) || float64_is_infinite(a)) {
    return a;
  }
  const Float64Parts of = float64_parts(a);
  const int odd = of.exponent & 1;
  ulong digits = of.significand << odd;  // two bits of it make one bit of the root
  ulong rest = 0;
  ulong root = 0;
  for (int bit = 0; bit < 55; ++bit) {
    rest = rest << 2 | digits >> 62;
    digits <<= 2;
    const ulong trial = root << 2 | 1;
    root <<= 1;
    if (rest >= trial) {
      rest -= trial;
      root |= 1;
    }
  }
  return float64_rounded(0, (of.exponent - odd) / 2, root << 8 | (rest != 0 ? 1 : 0));
}

// Maps float64 numbers to integers in the same order. Without this mapping, the bits of negative numbers are in the
// opposite order.
static ulong float64_order(Float64 a) {
  return a << 1 == 0 ? FLOAT64_SIGN : (a & FLOAT64_SIGN) != 0 ? ~a : a | FLOAT64_SIGN;
}
static bool float64_is_greater(Float64 a, Float64 b) {
  return !float64_is_nan(a) && !float64_is_nan(b) && float64_order(a) > float64_order(b);
}
#endif
#endif

typedef struct {
  uint hue_numerator;
  uint chroma;
  uint saturation_denominator;
  uint sum;
} HslFractions;

static HslFractions hsl_fractions(uint4 p) {
  const uint high = max(p.x, max(p.y, p.z));
  const uint low = min(p.x, min(p.y, p.z));
  const bool red_is_high = high == p.x;
  const bool green_is_high = high == p.y;
  const uint sixths = red_is_high ? (p.y >= p.z ? 0u : 6u) : green_is_high ? 2u : 4u;
  const uint plus = red_is_high ? p.y : green_is_high ? p.z : p.x;
  const uint minus = red_is_high ? p.z : green_is_high ? p.x : p.y;
  HslFractions f;
  f.chroma = high - low;
  f.sum = high + low;
  f.hue_numerator = sixths * f.chroma + plus - minus;
  f.saturation_denominator = f.chroma == 0u ? 1u : f.sum <= V_MAX ? f.sum : 2u * V_MAX - f.sum;
  return f;
}

// Hue in degrees, saturation and lightness: each the nearest float32. Numerators have at most 24 significant bits.
static float3 hsl_float(HslFractions f) {
  return (float3)(divided((float)(60u * f.hue_numerator), (float)(f.chroma == 0u ? 1u : f.chroma)),
                  divided((float)f.chroma, (float)f.saturation_denominator),
                  divided((float)f.sum, (float)(2u * V_MAX)));
}

static uint channel_level(float x, float m, float v_max) {
  const float level = v_max * (x + m) + 0.5f;
  return level <= 0.0f ? 0u : level >= v_max + 0.5f ? (uint)v_max : (uint)level;
}

static float unit_clamped(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

static float wrapped_degrees(float hue) {
  if (!(hue > -1.0e9f && hue < 1.0e9f)) {
    return 0.0f;
  }
  const float rest = fmod(hue, 360.0f);
  const float positive = rest < 0.0f ? rest + 360.0f : rest;
  return positive >= 360.0f ? 0.0f : positive;
}

static uint3 rgb_from_hsl(float3 hsl, uint v_max) {
  const float v = (float)v_max;
  const float c = (1.0f - fabs(2.0f * hsl.z - 1.0f)) * hsl.y;
  const float sector = divided(hsl.x, 60.0f);
  const float within_pair = sector - 2.0f * floor(sector * 0.5f);
  const float x = c * (1.0f - fabs(within_pair - 1.0f));
  const float m = hsl.z - c * 0.5f;
  const uint full = channel_level(c, m, v);
  const uint part = channel_level(x, m, v);
  const uint none = channel_level(0.0f, m, v);
  switch ((int)sector) {
    case 0: return (uint3)(full, part, none);
    case 1: return (uint3)(part, full, none);
    case 2: return (uint3)(none, full, part);
    case 3: return (uint3)(none, part, full);
    case 4: return (uint3)(part, none, full);
    default: return (uint3)(full, none, part);
  }
}

static uint luma_bt601(uint4 p) { return (19595u * p.x + 38470u * p.y + 7471u * p.z + 32768u) >> 16; }
static uint luma_opencv(uint4 p) { return (9798u * p.x + 19235u * p.y + 3735u * p.z + 16384u) >> 15; }
static uint luma_bt709(uint4 p) { return (13933u * p.x + 46871u * p.y + 4732u * p.z + 32768u) >> 16; }
static uint luma_bt601_trunc(uint4 p) {
  const float red = 0.299f * (float)p.x;
  const float green = 0.587f * (float)p.y;
  const float blue = 0.114f * (float)p.z;
  return (uint)((red + green) + blue);
}
static uint luma_ycbcr(uint4 p) { return (4899u * p.x + 9617u * p.y + 1868u * p.z + 8192u) >> 14; }
static uint hsl_level(uint4 p) { return (max(p.x, max(p.y, p.z)) + min(p.x, min(p.y, p.z)) + 1u) / 2u; }

static uint hue_bin(uint4 p, uint bins) {
  const HslFractions f = hsl_fractions(p);
  return f.chroma == 0u ? 0u : (uint)((ulong)bins * f.hue_numerator / (ulong)(6u * f.chroma));
}
static uint saturation_bin(uint4 p, uint bins) {
  const HslFractions f = hsl_fractions(p);
  return min((uint)((ulong)bins * f.chroma / f.saturation_denominator), bins - 1u);
}
static uint lightness_bin(uint4 p, uint bins) {
  return min((uint)((ulong)bins * hsl_fractions(p).sum / (2u * V_MAX)), bins - 1u);
}

// Levels by number, in the order of Level in count_levels.hpp. Only the last three use `bins`.
static uint level_of(int level, uint4 p, uint bins) {
  switch (level) {
    case 0: return p.x;
    case 1: return p.y;
    case 2: return p.z;
    case 3: return p.w;
    case 4: return luma_bt601(p);
    case 5: return luma_bt601_trunc(p);
    case 6: return luma_opencv(p);
    case 7: return luma_bt709(p);
    case 8: return luma_ycbcr(p);
    case 9: return hsl_level(p);
    case 10: return hue_bin(p, bins);
    case 11: return saturation_bin(p, bins);
    default: return lightness_bin(p, bins);
  }
}
