// RGB to HSL, back, and adjustment. Specified in docs/operations.md, "HSL". Restates core/ops/hsl.hpp.
//
// Choices: ENCODING.

#ifndef SPECIALIZED
#define ENCODING choices.s0
#endif
#define F32 0
#define U16 1
#define OPENCV 2
#define OPENCV_FULL 3
#define HUE_RANGE (ENCODING == OPENCV_FULL ? 256.0f : 180.0f)
#define STORED_BITS (ENCODING == F32 ? 32 : ENCODING == U16 ? 16 : 8)  // of a sample of HSL
#define STORED_MAX (STORED_BITS == 8 ? 255u : 65535u)
#define HAS_ALPHA (CHANNELS == 2 || CHANNELS == 4)
#define STORED_CHANNELS (HAS_ALPHA ? 4 : 3)
#define MAX_STORED_WORDS (GROUP * STORED_CHANNELS)
#define SAMPLE_WORDS WORDS_OF(GROUP * CHANNELS, SAMPLE_BITS)
#define TO_INTEGER 12582912.0f  // 1.5·2²³: adding it leaves the rounded integer in the low bits

// Scales `value` from 0 … from_max to 0 … to_max, rounded to nearest. The product has at most 33 bits.
static uint scaled_level(uint value, uint from_max, uint to_max) {
  return from_max == to_max ? value
                            : (uint)(((ulong)2 * value * to_max + from_max) / ((ulong)2 * from_max));
}

static void clear_words(uint* words, int count) {
  for (int i = 0; i < count; ++i) {
    words[i] = 0u;
  }
}

// The integer nearest to (n - m)/d, halves rounded up, in the low 22 bits. n, m and d are integers, 0 ≤ n - m < 2¹⁷·d
// and 1 ≤ d < 2¹⁹. The remainder of the estimate is exact. With 1/4 added, the remainder is never half of d, so
// rounding its quotient corrects the estimate.
static uint nearest_ratio(float n, float m, float d) {
  const float near = near_reciprocal(d);
  const float estimate = fma(n - m, near, TO_INTEGER);
  const float rest = fma(TO_INTEGER - estimate, d, n) - m;
  return as_uint(fma(rest + 0.25f, near, estimate));
}

// Uses floats, because GPUs add floats faster than they compare and select integers.
static uint3 hsl_u16(uint4 p) {
  const uint exponent = 0x4B000000u;  // the bits of 2²³; combined with a level, those of the float 2²³ + level
  const uint red = p.x | exponent;
  const uint green = p.y | exponent;
  const uint blue = p.z | exponent;
  const uint high = max(red, max(green, blue));
  const uint low = min(red, min(green, blue));
  const bool red_is_high = high == red;
  const bool green_is_high = high == green;
  const float chroma = as_float(high) - as_float(low);
  const float sum = (as_float(high) - 8388608.0f) + (as_float(low) - 8388608.0f);
  const float green_blue = as_float(green) - as_float(blue);
  const float blue_red = as_float(blue) - as_float(red);
  const float red_green = as_float(red) - as_float(green);
  const float unless_red = green_is_high ? blue_red : red_green;
  const float sixth_unless_red = green_is_high ? 2.0f : 4.0f;
  const float difference = red_is_high ? green_blue : unless_red;
  const float sixth = red_is_high ? 6.0f : sixth_unless_red;  // 6 is a whole turn, which the 16 bits drop
  const float hue_numerator = fma(sixth, chroma, difference);
  const float denominator = (float)V_MAX - fabs(sum - (float)V_MAX);
  const bool is_exact = SAMPLE_BITS == 8;  // float32 holds 65535·chroma exactly
  const uint hue = nearest_ratio(65536.0f * hue_numerator, 0.0f, fmax(6.0f * chroma, 1.0f));
  const uint saturation = nearest_ratio((is_exact ? 65535.0f : 65536.0f) * chroma, is_exact ? 0.0f : chroma,
                                        fmax(denominator, 1.0f));
  const uint lightness = as_uint(fma(sum, SAMPLE_BITS == 8 ? 128.5f : 0.5f, 0.25f) + TO_INTEGER);
  return (uint3)(hue, saturation, lightness) & 0xFFFFu;
}

// Hue, lightness and saturation with OpenCV's order of float operations, including its fused multiply-add.
static uint3 hls_opencv(int8 choices, uint4 p) {
  const float unit = divided(1.0f, (float)V_MAX);
  const float red_part = (float)p.x * unit;
  const float green_part = (float)p.y * unit;
  const float blue_part = (float)p.z * unit;
  const float high = fmax(red_part, fmax(green_part, blue_part));
  const float low = fmin(red_part, fmin(green_part, blue_part));
  const float diff = high - low;
  const float sum = high + low;
  const float lightness = sum * 0.5f;
  float hue = 0.0f;
  float saturation = 0.0f;
  if (diff > 1.1920929e-7f) {
    saturation = divided(diff, lightness < 0.5f ? sum : 2.0f - sum);
    const float degrees_per_unit = divided(60.0f, diff);
    if (high == red_part) {
      hue = fma(green_part - blue_part, degrees_per_unit, green_part < blue_part ? 360.0f : 0.0f);
    } else if (high == green_part) {
      hue = fma(blue_part - red_part, degrees_per_unit, 120.0f);
    } else {
      hue = fma(red_part - green_part, degrees_per_unit, 240.0f);
    }
  }
  const float level = rint(hue * (HUE_RANGE / 360.0f));
  return (uint3)((uint)(level > 255.0f ? 255.0f : level), (uint)rint(lightness * 255.0f),
                 (uint)rint(saturation * 255.0f));
}

static uint3 encoded(int8 choices, uint4 p) {
  switch (ENCODING) {
    case F32: return as_uint3(hsl_float(hsl_fractions(p)));
    case U16: return hsl_u16(p);
    default: return hls_opencv(choices, p);
  }
}

static uint encoded_alpha(int8 choices, uint a) {
  return ENCODING == F32 ? as_uint(divided((float)a, (float)V_MAX)) : scaled_level(a, V_MAX, STORED_MAX);
}

__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void to_hsl(int8 choices,
                                                                              __global const uint* pixels,
                                                                              __global uint* result, ulong count) {
  __local uint staging[STAGING_WORDS(WORDS_OF(GROUP * STORED_CHANNELS, STORED_BITS))] __attribute__((aligned(16)));
  const int stored_words = WORDS_OF(GROUP * STORED_CHANNELS, STORED_BITS);
  const ulong groups = (count + GROUP - 1) / GROUP;
  uint in[SAMPLE_WORDS];
  uint out[MAX_STORED_WORDS];
  load_words(in, pixels + min((ulong)get_global_id(0), groups - 1) * SAMPLE_WORDS, SAMPLE_WORDS);
  clear_words(out, stored_words);
#pragma unroll
  for (int p = 0; p < GROUP; ++p) {
    const uint4 pixel = pixel_of(in, p);
    const uint3 hsl = encoded(choices, pixel);
    pack(out, p * STORED_CHANNELS, STORED_BITS, hsl.x);
    pack(out, p * STORED_CHANNELS + 1, STORED_BITS, hsl.y);
    pack(out, p * STORED_CHANNELS + 2, STORED_BITS, hsl.z);
#if HAS_ALPHA
    pack(out, p * STORED_CHANNELS + 3, STORED_BITS, encoded_alpha(choices, pixel.w));
#endif
  }
  store_group(out, result, get_global_id(0), groups, stored_words, staging);
}

#if CHANNELS >= 3
static float3 decoded(int8 choices, uint a, uint b, uint c) {
  switch (ENCODING) {
    case F32: return (float3)(wrapped_degrees(as_float(a)), unit_clamped(as_float(b)), unit_clamped(as_float(c)));
    case U16: return (float3)((float)a * (360.0f / 65536.0f), divided((float)b, 65535.0f), divided((float)c, 65535.0f));
    default:
      // The stored order is hue, lightness, saturation. 360/256 is exact, and 360/180 is 2.
      return (float3)(wrapped_degrees((float)a * (360.0f / HUE_RANGE)), divided((float)c, 255.0f),
                      divided((float)b, 255.0f));
  }
}

static uint decoded_alpha(int8 choices, uint a) {
  return ENCODING == F32 ? channel_level(unit_clamped(as_float(a)), 0.0f, (float)V_MAX)
                         : scaled_level(a, STORED_MAX, V_MAX);
}

__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void from_hsl(int8 choices,
                                                                                __global const uint* pixels,
                                                                                __global uint* result, ulong count) {
  __local uint staging[STAGING_WORDS(SAMPLE_WORDS)] __attribute__((aligned(16)));
  const int stored_words = WORDS_OF(GROUP * CHANNELS, STORED_BITS);
  const ulong groups = (count + GROUP - 1) / GROUP;
  uint in[MAX_STORED_WORDS];
  uint out[SAMPLE_WORDS];
  load_words(in, pixels + min((ulong)get_global_id(0), groups - 1) * stored_words, stored_words);
  clear_words(out, SAMPLE_WORDS);
#pragma unroll
  for (int p = 0; p < GROUP; ++p) {
    const int i = p * CHANNELS;
    const uint3 rgb = rgb_from_hsl(decoded(choices, packed(in, i, STORED_BITS), packed(in, i + 1, STORED_BITS),
                                           packed(in, i + 2, STORED_BITS)), V_MAX);
    pack(out, i, SAMPLE_BITS, rgb.x);
    pack(out, i + 1, SAMPLE_BITS, rgb.y);
    pack(out, i + 2, SAMPLE_BITS, rgb.z);
#if HAS_ALPHA
    pack(out, i + 3, SAMPLE_BITS, decoded_alpha(choices, packed(in, i + 3, STORED_BITS)));
#endif
  }
  store_group(out, result, get_global_id(0), groups, SAMPLE_WORDS, staging);
}
#endif

// `by.x` is added to the hue; `by.y` and `by.z` multiply saturation and lightness.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void adjust_hsl(int8 choices,
                                                                                  __global const uint* pixels,
                                                                                  __global uint* result, ulong count,
                                                                                  float4 by) {
  __local uint staging[STAGING_WORDS(SAMPLE_WORDS)] __attribute__((aligned(16)));
  const ulong groups = (count + GROUP - 1) / GROUP;
  uint in[SAMPLE_WORDS];
  uint out[SAMPLE_WORDS];
  load_words(in, pixels + min((ulong)get_global_id(0), groups - 1) * SAMPLE_WORDS, SAMPLE_WORDS);
  clear_words(out, SAMPLE_WORDS);
#pragma unroll
  for (int p = 0; p < GROUP; ++p) {
    const int i = p * CHANNELS;
    const uint4 from = pixel_of(in, p);
    const float3 hsl = hsl_float(hsl_fractions(from));
    const uint3 rgb = rgb_from_hsl((float3)(wrapped_degrees(hsl.x + by.x), unit_clamped(hsl.y * by.y),
                                            unit_clamped(hsl.z * by.z)), V_MAX);
    pack(out, i, SAMPLE_BITS, rgb.x);
#if CHANNELS >= 3
    pack(out, i + 1, SAMPLE_BITS, rgb.y);
    pack(out, i + 2, SAMPLE_BITS, rgb.z);
#endif
#if HAS_ALPHA
    pack(out, i + CHANNELS - 1, SAMPLE_BITS, from.w);
#endif
  }
  store_group(out, result, get_global_id(0), groups, SAMPLE_WORDS, staging);
}
