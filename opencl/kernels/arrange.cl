// Crop, rotate and flip: each pixel of the result is a copy of one pixel of the input. Specified in docs/operations.md,
// "Crop, rotate, flip". Restates core/ops/arrange.hpp.

// Work-item → a pixel of the result, copied from pixel origin + x·along_x + y·along_y.
__kernel void move_pixels(int8 choices, __global const Sample* pixels, __global Sample* result, ulong width,
                          long origin, long along_x, long along_y) {
  const long x = get_global_id(0);
  const long y = get_global_id(1);
  if (x >= (long)width) {
    return;
  }
  __global const Sample* from = pixels + CHANNELS * (origin + x * along_x + y * along_y);
  __global Sample* to = result + CHANNELS * (y * (long)width + x);
  for (int c = 0; c < CHANNELS; ++c) {
    to[c] = from[c];
  }
}
