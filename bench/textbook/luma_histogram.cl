// Textbook luma histogram in OpenCL, rewritten from descriptions of course material (docs/performance.md, "The textbook
// kernels"): a table for each work-group in local memory, atomics, and a fixed grid that strides over the pixels. The
// luma is bt601_trunc.

#pragma OPENCL FP_CONTRACT OFF

uint luma_of(uchar4 p) { return (uint)((0.299f * (float)p.x + 0.587f * (float)p.y) + 0.114f * (float)p.z); }

// Work-groups of 256 items. counts[256] is zero before.
__kernel void luma_histogram(__global const uchar4* pixels, ulong pixel_count, __global uint* counts) {
  __local uint table[256];
  table[get_local_id(0)] = 0u;
  barrier(CLK_LOCAL_MEM_FENCE);  // the table is clear
  for (ulong i = get_global_id(0); i < pixel_count; i += get_global_size(0)) {
    atomic_inc(&table[luma_of(pixels[i])]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the work-group has counted all its pixels
  atomic_add(&counts[get_local_id(0)], table[get_local_id(0)]);
}
