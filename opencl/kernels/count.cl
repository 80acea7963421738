// Histograms. Specified in docs/operations.md, "Histogram".
//
// Macros: LEVEL, or TABLES = 3 for red, green and blue at once; SKIPS_TRANSPARENT; and of count_local COPIES, a power of
// two. Counts are 64 bits as two words, the low one first, because OpenCL 1.2 does not promise 64-bit atomics.

#ifndef TABLES
#define TABLES 1
#endif
#define SAMPLE_WORDS WORDS_OF(GROUP * CHANNELS, SAMPLE_BITS)

uint level_in_table(uint4 p, int table, uint bins) {
#if TABLES == 3
  return table == 0 ? p.x : table == 1 ? p.y : p.z;
#else
  return LEVEL(p, bins);
#endif
}

void add_to(__global uint* count, uint more) {
  const uint before = atomic_add(count, more);
  if (before + more < before) {
    atomic_inc(count + 1);
  }
}

bool counts_pixel(uint4 p) {
#ifdef SKIPS_TRANSPARENT
  return p.w != 0u;
#else
  return true;
#endif
}

#ifdef COPIES
// Adds a pixel to the work-group's table. Work-items next to each other use different copies of a bin, which are in
// different banks.
void count_here(__local uint* counters, uint4 p, uint bins) {
  if (counts_pixel(p)) {
#pragma unroll
    for (int t = 0; t < TABLES; ++t) {
      const uint bin = (uint)t * bins + level_in_table(p, t, bins);
      atomic_inc(counters + bin * COPIES + get_local_id(0) % COPIES);
    }
  }
}

void clear(__local uint* counters, uint bins) {
  for (uint i = get_local_id(0); i < TABLES * bins * COPIES; i += GROUP_ITEMS) {
    counters[i] = 0u;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all counters are zero before any is counted in
}

void add_all(__local const uint* counters, uint bins, __global uint* counts) {
  barrier(CLK_LOCAL_MEM_FENCE);  // the work-group has counted all its pixels
  for (uint bin = get_local_id(0); bin < TABLES * bins; bin += GROUP_ITEMS) {
    uint sum = 0u;
    for (uint copy = 0u; copy < COPIES; ++copy) {
      // Starts at another copy in each work-item, hence in another bank.
      sum += counters[bin * COPIES + (copy + get_local_id(0)) % COPIES];
    }
    if (sum != 0u) {
      add_to(counts + 2u * bin, sum);
    }
  }
}

// Pixels [first, end) of a whole image. One work-item takes GROUP pixels at a time, and strides over the image with all
// others. At most 2³¹ pixels, so that a counter cannot overflow.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void count_local(
    __global const uint* pixels, ulong first, ulong end, uint bins, __local uint* counters, __global uint* counts) {
  clear(counters, bins);
  for (ulong at = first + get_global_id(0) * GROUP; at < end; at += get_global_size(0) * GROUP) {
    uint words[SAMPLE_WORDS];
    load_words(words, pixels + at / GROUP * SAMPLE_WORDS, SAMPLE_WORDS);
    const uint valid = (uint)min(end - at, (ulong)GROUP);
#pragma unroll
    for (int p = 0; p < GROUP; ++p) {
      if (p < valid) {
        count_here(counters, pixel_of(words, p), bins);
      }
    }
  }
  add_all(counters, bins, counts);
}

// The pixels of a region whose mask, if there is one, is not 0. Rows are dealt out along dimension 1.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void count_local_selected(
    __global const Sample* pixels, __global const uchar* mask, uint has_mask, ulong width, uint4 region, uint bins,
    __local uint* counters, __global uint* counts) {
  clear(counters, bins);
  for (uint y = get_global_id(1); y < region.w; y += get_global_size(1)) {
    const ulong row = (ulong)(region.y + y) * width + region.x;
    for (uint x = get_global_id(0); x < region.z; x += get_global_size(0)) {
      if (has_mask == 0u || mask[row + x] != 0) {
        count_here(counters, pixel_at(pixels, row + x), bins);
      }
    }
  }
  add_all(counters, bins, counts);
}
#else

// Counts in global memory: for tables that local memory does not hold. A run of equal levels is added at once, so that
// flat images do not queue at one counter.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void count_global(
    __global const uint* pixels, ulong first, ulong end, uint bins, __global uint* counts) {
  for (ulong at = first + get_global_id(0) * GROUP; at < end; at += get_global_size(0) * GROUP) {
    uint words[SAMPLE_WORDS];
    load_words(words, pixels + at / GROUP * SAMPLE_WORDS, SAMPLE_WORDS);
    const uint valid = (uint)min(end - at, (ulong)GROUP);
    uint run = 0u;
    uint level = 0u;
#pragma unroll
    for (int p = 0; p < GROUP; ++p) {
      const uint4 pixel = pixel_of(words, p);
      if (p < valid && counts_pixel(pixel)) {
        const uint next = LEVEL(pixel, bins);
        if (run != 0u && next != level) {
          add_to(counts + 2u * level, run);
          run = 0u;
        }
        level = next;
        ++run;
      }
    }
    if (run != 0u) {
      add_to(counts + 2u * level, run);
    }
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void count_global_selected(
    __global const Sample* pixels, __global const uchar* mask, uint has_mask, ulong width, uint4 region, uint bins,
    __global uint* counts) {
  for (uint y = get_global_id(1); y < region.w; y += get_global_size(1)) {
    const ulong row = (ulong)(region.y + y) * width + region.x;
    for (uint x = get_global_id(0); x < region.z; x += get_global_size(0)) {
      const uint4 pixel = pixel_at(pixels, row + x);
      if (counts_pixel(pixel) && (has_mask == 0u || mask[row + x] != 0)) {
        add_to(counts + 2u * LEVEL(pixel, bins), 1u);
      }
    }
  }
}
#endif
