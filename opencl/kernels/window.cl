// Windows around each pixel: means, variances, deviations, and thresholds, from summed-area tables. Also thresholds of
// the whole image. Specified in docs/operations.md, "Windows" and "Thresholds". Restates core/window/table.hpp and
// core/ops/window.hpp and threshold.hpp.
//
// Pixels may have weights. A window then has the sums of the weights, of the weighted levels, and of the weighted
// squares; the last of these sums can exceed 64 bits. Products of weights and levels are cut into parts of 16 bits
// (weigh), each with its own table, because integral.cl sums samples.
//
// Only write_levels is compiled for pixels of several channels. It writes a plane of levels, which the other kernels
// read; they take the number of channels of the picture as an argument. Compiling takes long, so a program has only the
// kernels that the host runs with its macros, and only three choices are macros of specialized programs.
//
// Macros: IS_NARROW, entries of tables have 32 bits instead of 64. A table's sums are modulo 2³² or 2⁶⁴; sums of
// windows are exact if they fit. Choices: LEVEL; BORDER; WHAT, the result; IS_WEIGHTED, tables of weighted parts;
// BY_ALPHA, alpha is the weight; HAS_MASK; INVERTS.

#define BORDER choices.s1
#define BY_ALPHA choices.s4
#define HAS_MASK choices.s5
#define INVERTS choices.s6
#ifdef SPECIALIZED
#define SERVES(results) (results)
#else
#define LEVEL choices.s0
#define WHAT choices.s2
#define IS_WEIGHTED choices.s3
#define SERVES(results) 1
#endif
#if IS_NARROW
typedef uint Sum;
#else
typedef ulong Sum;
#endif
#define REFLECTED 0
#define REPLICATED 1
#define CUT 2
#define MEAN 0
#define VARIANCE 1
#define DEVIATION 2
#define FLAT 3
#define OTSU 4
#define LOCAL_MEAN 5
#define BRADLEY 6
#define NIBLACK 7
#define SAUVOLA 8
#define WOLF 9
#define NICK 10
#define SAMPLE_WORDS WORDS_OF(GROUP * CHANNELS, SAMPLE_BITS)
#define LEVEL_WORDS WORDS_OF(GROUP, SAMPLE_BITS)
#define LEVEL_PARTS (SAMPLE_BITS == 8 ? 1 : 2)
#define SQUARE_PARTS (SAMPLE_BITS == 8 ? 2 : 3)

#if CHANNELS > 1
// Work-item → a group of GROUP pixels. The last group may reach beyond the image.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void write_levels(int8 choices,
                                                                                    __global const uint* pixels,
                                                                                    ulong groups,
                                                                                    __global uint* plane) {
  const ulong group = get_global_id(0);
  if (group >= groups) {
    return;
  }
  uint words[SAMPLE_WORDS];
  load_words(words, pixels + group * SAMPLE_WORDS, SAMPLE_WORDS);
  uint levels[LEVEL_WORDS];
  for (int i = 0; i < LEVEL_WORDS; ++i) {
    levels[i] = 0u;
  }
#pragma unroll
  for (int p = 0; p < GROUP; ++p) {
    pack(levels, p, SAMPLE_BITS, level_of(LEVEL, pixel_of(words, p), 0u));
  }
  store_words(levels, plane + group * LEVEL_WORDS, LEVEL_WORDS);
}
#else

// --- 128-bit integers ---

typedef struct {
  ulong low;
  ulong high;
} Wide;

static Wide wide_product(ulong a, ulong b) {
  const Wide product = {a * b, mul_hi(a, b)};
  return product;
}

static Wide wide_sum(Wide a, Wide b) {
  const Wide sum = {a.low + b.low, a.high + b.high + (a.low + b.low < a.low ? 1 : 0)};
  return sum;
}

static Wide wide_difference(Wide a, Wide b) {
  const Wide difference = {a.low - b.low, a.high - b.high - (a.low < b.low ? 1 : 0)};
  return difference;
}

// For a product below 2¹²⁸.
static Wide wide_times(Wide a, ulong b) {
  Wide product = wide_product(a.low, b);
  product.high += a.high * b;
  return product;
}

static bool wide_is_greater(Wide a, Wide b) { return a.high != b.high ? a.high > b.high : a.low > b.low; }

static Wide shifted_up(ulong n, int shift) {
  const Wide shifted = {n << shift, shift == 0 ? 0 : n >> (64 - shift)};
  return shifted;
}

// The nearest float64. The lowest bit of `top` also stands for all bits below.
static Float64 float64_of_wide(Wide n) {
  if (n.high == 0) {
    return float64_of(n.low);
  }
  const int zeros = (int)clz(n.high);
  const ulong top = zeros == 0 ? n.high : n.high << zeros | n.low >> (64 - zeros);
  const ulong bits = float64_bits(top | (n.low << zeros != 0 ? 1 : 0));
  return float64_from_bits(bits + ((ulong)(64 - zeros) << 52));
}

// The float32 nearest to a float64 ≥ 0 that is 0 or a normal float32.
static float float32_of(Float64 a) {
#if FLOAT64
  return convert_float_rte(a);
#else
  if (a == 0) {
    return 0.0f;
  }
  const ulong rest = a & 0x1FFFFFFF;
  const ulong kept = (a >> 29) - ((ulong)(1023 - 127) << 23);
  return as_float((uint)(kept + (rest > 0x10000000 || (rest == 0x10000000 && (kept & 1) != 0) ? 1 : 0)));
#endif
}

// --- Sums of windows ---

// A window: its pixel (x, y), the size of the image, and the window's radius along both sides.
typedef struct {
  int2 at;
  int2 size;
  int2 radius;
} Window;

#define TERMS 5
// The sum of a window along a line of samples, as Σ times[i] · (the sum of the first at[i] samples).
typedef struct {
  int at[TERMS];
  Sum times[TERMS];
} Terms;

// Adds `sign` times the sum of the first n samples of a line, which BORDER continues beyond its end. The terms 0 to 2
// have the sums of `size`, `size` − 1 and 1 samples; term `own` has the remainder.
static void add_prefix(int8 choices, Terms* terms, int n, int size, Sum sign, int own) {
  if (n <= size) {
    terms->at[own] = n;
    terms->times[own] = sign;
  } else if (BORDER == CUT) {
    terms->times[0] += sign;
  } else if (BORDER == REPLICATED || size == 1) {
    terms->times[0] += sign * (Sum)(n - size + 1);
    terms->times[1] -= sign * (Sum)(n - size);
  } else {
    const long period = 2 * ((long)size - 1);
    const long rest = n % period;
    const Sum periods = sign * (Sum)(n / period);
    terms->times[0] += periods;
    terms->times[1] += periods;
    terms->times[2] -= periods;
    terms->at[own] = (int)(rest <= size ? rest : period - rest + 1);
    terms->times[own] = rest <= size ? sign : -sign;
    if (rest > size) {
      terms->times[0] += sign;
      terms->times[1] += sign;
    }
  }
}

static Terms terms_of(int8 choices, int at, int radius, int size) {
  Terms terms = {{size, size - 1, 1, 0, 0}, {0, 0, 0, 0, 0}};
  add_prefix(choices, &terms, at + radius + 1, size, 1, 3);
  if (at >= radius) {
    terms.at[4] = at - radius;
    terms.times[4] = -(Sum)1;
  } else if (BORDER != CUT) {
    const int outside = radius - at;
    if (BORDER == REPLICATED || size == 1) {
      terms.times[2] += (Sum)outside;
    } else {
      add_prefix(choices, &terms, outside + 1, size, 1, 4);
      terms.times[2] -= 1;
    }
  }
  return terms;
}

// The sum of a window. `origin` is the index of a padded table's first entry, `pitch` the entries of a row. Loops are
// not unrolled, because this code is inlined at many places.
static Sum sum_of_terms(__global const Sum* table, ulong origin, ulong pitch, const Terms* across, const Terms* down) {
  Sum sum = 0;
#pragma unroll 1
  for (int j = 0; j < TERMS; ++j) {
    if (down->times[j] != 0) {
      __global const Sum* row = table + origin + down->at[j] * pitch;
      Sum of_row = 0;
#pragma unroll 1
      for (int i = 0; i < TERMS; ++i) {
        of_row += across->times[i] != 0 ? across->times[i] * row[across->at[i]] : (Sum)0;
      }
      sum += down->times[j] * of_row;
    }
  }
  return sum;
}

// Likewise, for a window inside the image.
static Sum sum_inside(__global const Sum* table, ulong origin, ulong pitch, Window window) {
  __global const Sum* above =
      table + origin + (window.at.y - window.radius.y) * pitch + (window.at.x - window.radius.x);
  __global const Sum* below = above + (2 * window.radius.y + 1) * pitch;
  const int side = 2 * window.radius.x + 1;
  return (below[side] - below[0]) - (above[side] - above[0]);
}

static bool is_inside(Window window) {
  return all(window.at >= window.radius) && all(window.at < window.size - window.radius);
}

// How many positions of the window count, along one axis.
static ulong positions(int8 choices, int at, int radius, int size) {
  if (BORDER != CUT) {
    return 2 * (ulong)radius + 1;
  }
  const int first = at > radius ? at - radius : 0;
  const int last = at < size - radius ? at + radius : size - 1;
  return (ulong)(last - first + 1);
}

// The sums of the weights a, of a·x and of a·x² over a window, where x is the level. Without weights, a is 1.
typedef struct {
  ulong weights;
  ulong levels;
  Wide squares;
} WindowSums;

// One sum of a window, from a table.
#define SUM_OF(table) \
  (inside ? sum_inside(table, origin, pitch, window) : sum_of_terms(table, origin, pitch, &across, &down))

// If `with_squares` is 0, the tables of squares are not read. If all weights of a window are V, divides the sums by V;
// they then equal the sums without weights. V divides the squares exactly, and their quotient fits in 64 bits, so the
// product with the inverse of V modulo 2⁶⁴ is the quotient.
static WindowSums sums_of_window(int8 choices, Window window, ulong origin, ulong pitch, bool with_squares,
                          __global const Sum* weights, __global const Sum* levels, __global const Sum* high_levels,
                          __global const Sum* squares, __global const Sum* high_squares,
                          __global const Sum* highest_squares) {
  const bool inside = is_inside(window);
  Terms across;
  Terms down;
  if (!inside) {
    across = terms_of(choices, window.at.x, window.radius.x, window.size.x);
    down = terms_of(choices, window.at.y, window.radius.y, window.size.y);
  }
  const ulong n = positions(choices, window.at.x, window.radius.x, window.size.x) *
                  positions(choices, window.at.y, window.radius.y, window.size.y);
  WindowSums sums = {n, SUM_OF(levels), {0, 0}};
  if (with_squares) {
    sums.squares.low = SUM_OF(squares);
  }
  if (IS_WEIGHTED != 0) {
    sums.weights = SUM_OF(weights);
    if (LEVEL_PARTS > 1) {
      sums.levels += (ulong)SUM_OF(high_levels) << 16;
    }
    if (with_squares) {
      sums.squares = wide_sum(sums.squares, shifted_up(SUM_OF(high_squares), 16));
      if (SQUARE_PARTS > 2) {
        sums.squares = wide_sum(sums.squares, shifted_up(SUM_OF(highest_squares), 32));
      }
    }
    if (sums.weights == n * V_MAX) {
      sums.weights = n;
      sums.levels /= V_MAX;
      sums.squares.low *= V_MAX == 255u ? 0xFEFEFEFEFEFEFEFFul : 0xFFFEFFFEFFFEFFFFul;
      sums.squares.high = 0;
    }
  }
  return sums;
}

// ⌊Σax/Σa + ½⌋, for weights that are not all 0. If IS_NARROW, the sum plus half of the weights fits in 32 bits.
static uint window_mean(WindowSums sums) {
  if (IS_NARROW) {
    const uint weights = (uint)sums.weights;
    return quotient((uint)sums.levels + weights / 2u, weights, near_reciprocal((float)weights));
  }
  const ulong mean = sums.levels / sums.weights;
  const ulong rest = sums.levels - mean * sums.weights;
  return (uint)(rest >= sums.weights - rest ? mean + 1 : mean);
}

// (Σa·Σax² − (Σax)²)/(Σa)²; 0 if all weights are 0. The numerator is exact; both operands and the quotient are each
// rounded once.
static Float64 window_variance(WindowSums sums) {
  if (sums.weights == 0) {
    return float64_of(0);
  }
  const Wide numerator =
      wide_difference(wide_times(sums.squares, sums.weights), wide_product(sums.levels, sums.levels));
  const Float64 weights = float64_of(sums.weights);
  return float64_quotient(float64_of_wide(numerator), float64_product(weights, weights));
}

// min(V, ⌊x·V/m + ½⌋); V if m is 0.
static uint flat_level(uint level, uint mean) {
  return level >= mean ? V_MAX : (uint)((2 * (ulong)level * V_MAX + mean) / (2 * mean));
}

// --- Weights ---

// The pixels of a picture, read only if BY_ALPHA, and a mask, read only if HAS_MASK.
typedef struct {
  __global const Sample* samples;
  __global const uchar* mask;
  uint channels;
} Pixels;

// The pixel's alpha, its last channel; V if alpha is not the weight.
static uint alpha_at(int8 choices, Pixels pixels, ulong pixel) {
  return BY_ALPHA != 0 ? pixels.samples[(pixel + 1) * pixels.channels - 1] : V_MAX;
}

// True if the mask or the pixel's alpha excludes it.
static bool is_blank(int8 choices, Pixels pixels, ulong pixel) {
  return (HAS_MASK != 0 && pixels.mask[pixel] == 0) || alpha_at(choices, pixels, pixel) == 0u;
}

// The weight of a pixel; 0 if it does not count. `region` is (x, y, width, height).
static uint weight_of(int8 choices, Pixels pixels, uint2 at, ulong pixel, uint4 region) {
  const bool is_selected = at.x - region.x < region.z && at.y - region.y < region.w;
  return !is_selected || is_blank(choices, pixels, pixel) ? 0u : alpha_at(choices, pixels, pixel);
}

#if !IS_NARROW && SERVES(WHAT == MEAN)
// Sets *found if some pixel is not opaque. Alpha is the last of `channels`. Work-item → one pixel in each grid stride.
__kernel void find_translucent(int8 choices, __global const Sample* pixels, ulong count, uint channels,
                               __global uint* found) {
  bool is_opaque = true;
  for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
    is_opaque = is_opaque && pixels[(i + 1) * channels - 1] == V_MAX;
  }
  if (!is_opaque) {
    atomic_or(found, 1u);
  }
}

// Writes one 16-bit part of weight · levelᵖ, where p is `power`. Part 0 has the lowest bits. Work-item → a pixel.
__kernel void weigh(int8 choices, __global const Sample* plane, __global const Sample* samples,
                    __global const uchar* mask, uint channels, uint width, uint4 region, uint power, uint part,
                    __global ushort* products) {
  const uint x = get_global_id(0);
  const uint y = get_global_id(1);
  if (x < width) {
    const ulong i = (ulong)y * width + x;
    const Pixels pixels = {samples, mask, channels};
    ulong product = weight_of(choices, pixels, (uint2)(x, y), i, region);
    for (uint k = 0u; k < power; ++k) {
      product *= plane[i];
    }
    products[i] = (ushort)(product >> (16u * part));
  }
}
#endif

// --- Results. Work-item → a pixel. `shape` is (width, height, radius along x, radius along y) ---

#define TABLES                                                                                           \
  ulong origin, ulong pitch, __global const Sum *weights, __global const Sum *levels,                    \
      __global const Sum *high_levels, __global const Sum *squares, __global const Sum *high_squares,    \
      __global const Sum *highest_squares
#define SUMS_AT(x, y, with_squares)                                                                      \
  sums_of_window(choices, window_at(x, y, shape), origin, pitch, with_squares, weights, levels,          \
                 high_levels, squares, high_squares, highest_squares)

static Window window_at(int x, int y, int4 shape) {
  const Window window = {(int2)(x, y), shape.xy, shape.zw};
  return window;
}

#if SERVES(WHAT == MEAN || WHAT == FLAT)
// Writes one channel of means, or of samples divided by their means (FLAT). The call for channel 0 also copies the last
// channel: that is alpha, or a color that this call or a later one replaces.
__kernel void window_means(int8 choices, __global const Sample* pixels, __global Sample* result, int4 shape,
                           uint channel, uint channels, TABLES) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x < shape.x) {
    const WindowSums sums = SUMS_AT(x, y, false);
    const ulong first = ((ulong)y * shape.x + x) * channels;
    const uint own = pixels[first + channel];
    const uint mean = sums.weights == 0 ? own : window_mean(sums);
    if (channel == 0u) {
      result[first + channels - 1u] = pixels[first + channels - 1u];
    }
    result[first + channel] = (Sample)(WHAT == FLAT ? flat_level(own, mean) : mean);
  }
}
#endif
#if !IS_NARROW && SERVES(WHAT == VARIANCE || WHAT == DEVIATION)
__kernel void window_moments(int8 choices, __global float* result, int4 shape, TABLES) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x < shape.x) {
    const Float64 variance = window_variance(SUMS_AT(x, y, true));
    result[(ulong)y * shape.x + x] = float32_of(WHAT == VARIANCE ? variance : float64_root(variance));
  }
}
#endif

// The parameters of a threshold: ThresholdRule of core/ops/threshold.hpp. k, range and darkest are float64.
typedef struct {
  int offset;
  uint percent;
  Float64 k;
  Float64 range;
  Float64 darkest;
} Rule;

// True if a level is above the threshold of its window. The order of these products and sums is fixed.
static bool is_above(int8 choices, uint level, WindowSums sums, Rule rule) {
  const Float64 one = float64_of(1);
  const Float64 weights = float64_of(sums.weights);
  const Float64 mean = float64_quotient(float64_of(sums.levels), weights);
  const Float64 spread =
      float64_root(WHAT == NICK ? float64_quotient(float64_of_wide(sums.squares), weights) : window_variance(sums));
  Float64 threshold;
  if (WHAT == NIBLACK) {
    threshold = float64_difference(mean, float64_product(rule.k, spread));
  } else if (WHAT == SAUVOLA) {
    const Float64 part = float64_difference(float64_quotient(spread, rule.range), one);
    threshold = float64_product(mean, float64_sum(one, float64_product(rule.k, part)));
  } else if (WHAT == WOLF) {
    const bool has_range = float64_is_greater(rule.range, float64_of(0));
    const Float64 part = has_range ? float64_quotient(spread, rule.range) : float64_of(0);
    const Float64 factor = float64_product(rule.k, float64_difference(one, part));
    threshold = float64_difference(mean, float64_product(factor, float64_difference(mean, rule.darkest)));
  } else {
    threshold = float64_sum(mean, float64_product(rule.k, spread));
  }
  return float64_is_greater(float64_of(level), threshold);
}

static bool is_white(int8 choices, uint level, WindowSums sums, Rule rule) {
  if (sums.weights == 0) {
    return true;
  }
  if (WHAT == LOCAL_MEAN) {
    return (int)level - (int)window_mean(sums) > -rule.offset;
  }
  if (WHAT == BRADLEY) {
    return wide_is_greater(wide_product(100 * (ulong)level, sums.weights), wide_product(sums.levels, rule.percent));
  }
  return is_above(choices, level, sums, rule);
}

#if SERVES(WHAT > OTSU)
// Black or white, from the window around each pixel.
__kernel void compare_with_windows(int8 choices, __global const Sample* plane, __global const Sample* samples,
                                   __global const uchar* mask, uint channels, __global uchar* result, int4 shape,
                                   int offset, uint percent, ulong k, ulong range, ulong darkest, TABLES) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x < shape.x) {
    const ulong i = (ulong)y * shape.x + x;
    const Pixels pixels = {samples, mask, channels};
    const Rule rule = {offset, percent, float64_from_bits(k), float64_from_bits(range), float64_from_bits(darkest)};
    const bool white =
        is_blank(choices, pixels, i) || is_white(choices, plane[i], SUMS_AT(x, y, WHAT >= NIBLACK), rule);
    result[i] = white != (INVERTS != 0) ? 255 : 0;
  }
}
#endif

#if !IS_NARROW
// The largest variance of a window, as the bits of a float64, and the lowest level; one of each per work-group. Looks
// at the pixels that count in rows [rows.x, rows.y); each work-group takes rows.z rows. Bits of float64 numbers ≥ 0
// have the order of the numbers.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void look_at_windows(
    int8 choices, __global const Sample* plane, __global const Sample* samples, __global const uchar* mask,
    uint channels, uint4 region, uint4 rows,
    __global ulong* variances, __global uint* darkest, int4 shape, TABLES) {
  __local ulong variances_of[GROUP_ITEMS];
  __local uint darkest_of[GROUP_ITEMS];
  const uint item = get_local_id(0);
  ulong largest = 0;
  uint lowest = 0xFFFFFFFFu;
  const uint x = get_global_id(0);
  const Pixels pixels = {samples, mask, channels};
  const uint first = rows.x + (uint)get_group_id(1) * rows.z;
  for (uint y = first; y < min(first + rows.z, rows.y) && x < (uint)shape.x; ++y) {
    const ulong i = (ulong)y * shape.x + x;
    if (IS_WEIGHTED == 0 || weight_of(choices, pixels, (uint2)(x, y), i, region) != 0u) {
      largest = max(largest, bits_of_float64(window_variance(SUMS_AT((int)x, (int)y, true))));
      lowest = min(lowest, (uint)plane[i]);
    }
  }
  variances_of[item] = largest;
  darkest_of[item] = lowest;
  for (uint kept = GROUP_ITEMS / 2u; kept != 0u; kept /= 2u) {
    barrier(CLK_LOCAL_MEM_FENCE);  // the values of the previous step are written
    if (item < kept) {
      variances_of[item] = max(variances_of[item], variances_of[item + kept]);
      darkest_of[item] = min(darkest_of[item], darkest_of[item + kept]);
    }
  }
  if (item == 0u) {
    const ulong group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    variances[group] = variances_of[0];
    darkest[group] = darkest_of[0];
  }
}
#endif

#if !IS_NARROW && SERVES(WHAT == OTSU)
// The color of each pixel's level; white for pixels that are excluded. Work-item → a group of GROUP pixels. The last
// group may reach beyond the image of `count` pixels.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void look_up_colors(
    int8 choices, __global const uint* plane, __global const Sample* samples, __global const uchar* mask, uint channels,
    __global uint* result, ulong count, __global const uchar* colors) {
  const ulong group = get_global_id(0);
  if (group * GROUP >= count) {
    return;
  }
  const Pixels pixels = {samples, mask, channels};
  uint words[LEVEL_WORDS];
  load_words(words, plane + group * LEVEL_WORDS, LEVEL_WORDS);
  uint packed_colors[WORDS_OF(GROUP, 8)];
  for (int i = 0; i < WORDS_OF(GROUP, 8); ++i) {
    packed_colors[i] = 0u;
  }
#pragma unroll
  for (int p = 0; p < GROUP; ++p) {
    const ulong i = min(group * GROUP + p, count - 1);
    const uint color = is_blank(choices, pixels, i) ? 255u : colors[packed(words, p, SAMPLE_BITS)];
    pack(packed_colors, p, 8, INVERTS != 0 ? 255u - color : color);
  }
  store_words(packed_colors, result + group * WORDS_OF(GROUP, 8), WORDS_OF(GROUP, 8));
}
#endif
#endif
