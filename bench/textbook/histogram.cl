// Textbook histograms in OpenCL, rewritten from descriptions in course material: one table per work-group in local
// memory, atomics, and a fixed grid that strides over the pixels. Luma is bt601_trunc; gray pixels are the levels
// themselves.

#pragma OPENCL FP_CONTRACT OFF

uint luma_of(uchar4 p) { return (uint)((0.299f * (float)p.x + 0.587f * (float)p.y) + 0.114f * (float)p.z); }

// For work-groups of 256 items. counts[0 … 255] must be zero.
#define TEXTBOOK_HISTOGRAM(NAME, PIXEL, LEVEL_OF)                                              \
  __kernel void NAME(__global const PIXEL* pixels, ulong pixel_count, __global uint* counts) { \
    __local uint table[256];                                                                   \
    table[get_local_id(0)] = 0u;                                                               \
    barrier(CLK_LOCAL_MEM_FENCE); /* the table is clear */                                     \
    for (ulong i = get_global_id(0); i < pixel_count; i += get_global_size(0)) {               \
      atomic_inc(&table[LEVEL_OF(pixels[i])]);                                                 \
    }                                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE); /* the work-group has counted all its pixels */              \
    atomic_add(&counts[get_local_id(0)], table[get_local_id(0)]);                              \
  }

TEXTBOOK_HISTOGRAM(luma_histogram, uchar4, luma_of)
TEXTBOOK_HISTOGRAM(gray_histogram, uchar, (uint))
