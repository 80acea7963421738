// Resize: passes of weighted sums, the look-up of nearest pixels, and filling the bars of `--fit pad`. The host
// computes the weights. Specified in docs/operations.md, "Resize". Restates core/ops/resize.hpp.

#define HAS_ALPHA (CHANNELS == 2 || CHANNELS == 4)
#if SAMPLE_BITS == 8
#define WEIGHT_BITS 22
typedef int Weight;
#else
#define WEIGHT_BITS 38
typedef long Weight;
#endif

static uint premultiplied(uint color, uint alpha) {
#if SAMPLE_BITS == 8
  const uint t = color * alpha + 128u;
  return ((t >> 8) + t) >> 8;
#else
  return (color * alpha + 32767u) / 65535u;
#endif
}

static uint unmultiplied(uint color, uint alpha) {
  if (alpha == 0u) {
    return color;
  }
#if SAMPLE_BITS == 8
  return min(255u * color / alpha, V_MAX);
#else
  return min((65535u * color + alpha / 2u) / alpha, V_MAX);
#endif
}

// Work-item → a pixel of the result: the weighted sum of the pixels in window i. These pixels start at `from` and are
// `step` pixels apart. `ends` has bit 0 set in the first pass and bit 1 set in the last pass; it matters only for
// images with alpha.
static void weighted_pixel(__global const Sample* from, ulong step, uint i, __global const uint* starts,
                    __global const Weight* weights, uint ends, __global Sample* to) {
  Weight sums[CHANNELS];
  for (int c = 0; c < CHANNELS; ++c) {
    sums[c] = (Weight)1 << (WEIGHT_BITS - 1);
  }
  for (uint k = starts[i]; k < starts[i + 1]; ++k, from += step * CHANNELS) {
    for (int c = 0; c < CHANNELS; ++c) {
      const bool is_color = HAS_ALPHA && c < CHANNELS - 1;
      const uint level = is_color && (ends & 1u) ? premultiplied(from[c], from[CHANNELS - 1]) : from[c];
      sums[c] += weights[k] * (Weight)level;
    }
  }
  uint levels[CHANNELS];
  for (int c = 0; c < CHANNELS; ++c) {
    levels[c] = (uint)clamp(sums[c] >> WEIGHT_BITS, (Weight)0, (Weight)V_MAX);
  }
  for (int c = 0; c < CHANNELS; ++c) {
    const bool is_color = HAS_ALPHA && c < CHANNELS - 1;
    to[c] = (Sample)(is_color && (ends & 2u) ? unmultiplied(levels[c], levels[CHANNELS - 1]) : levels[c]);
  }
}

__kernel void across(int8 choices, __global const Sample* pixels, ulong in_width, ulong first_row,
                     __global Sample* result, ulong out_width, ulong out_first, uint width, __global const int* first,
                     __global const uint* starts, __global const Weight* weights, uint ends) {
  const uint x = get_global_id(0);
  const ulong y = get_global_id(1);
  if (x < width) {
    weighted_pixel(pixels + CHANNELS * ((first_row + y) * in_width + (ulong)first[x]), 1, x, starts, weights, ends,
                   result + CHANNELS * (out_first + y * out_width + x));
  }
}

__kernel void down(int8 choices, __global const Sample* pixels, ulong in_width, ulong first_row,
                   __global Sample* result, ulong out_width, ulong out_first, uint width, __global const int* first,
                   __global const uint* starts, __global const Weight* weights, uint ends) {
  const uint x = get_global_id(0);
  const uint y = get_global_id(1);
  if (x < width) {
    weighted_pixel(pixels + CHANNELS * (((ulong)first[y] - first_row) * in_width + x), in_width, y, starts, weights,
                   ends, result + CHANNELS * (out_first + y * out_width + x));
  }
}

__kernel void nearest(int8 choices, __global const Sample* pixels, ulong in_width, __global Sample* result,
                      ulong out_width, ulong out_first, uint width, __global const int* columns,
                      __global const int* rows) {
  const uint x = get_global_id(0);
  const ulong y = get_global_id(1);
  if (x < width) {
    __global const Sample* from = pixels + CHANNELS * ((ulong)rows[y] * in_width + (ulong)columns[x]);
    __global Sample* to = result + CHANNELS * (out_first + y * out_width + x);
    for (int c = 0; c < CHANNELS; ++c) {
      to[c] = from[c];
    }
  }
}

// Sets every pixel to `pixel`.
__kernel void fill(int8 choices, __global Sample* result, uint width, uint4 pixel) {
  const uint x = get_global_id(0);
  const ulong y = get_global_id(1);
  const uint levels[4] = {pixel.x, pixel.y, pixel.z, pixel.w};
  if (x < width) {
    for (int c = 0; c < CHANNELS; ++c) {
      result[CHANNELS * (y * width + x) + c] = (Sample)levels[c];
    }
  }
}
