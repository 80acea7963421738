// Histograms of an image, and of the tiles of CLAHE. Specified in docs/operations.md, "Histogram" and "CLAHE".
//
// Macros: AHEAD, the number of groups of pixels that a work-item loads before it counts the first; COPIES, the number
// of copies of the table in local memory, a power of two, not defined for counting in global memory. A count has 64
// bits in two words, the low one first, because OpenCL 1.2 does not guarantee 64-bit atomics.
//
// Choices: LEVEL; TABLES, 3 for red, green and blue at once, otherwise 1; SKIPS_TRANSPARENT.

#ifndef SPECIALIZED
#define LEVEL choices.s0
#define TABLES choices.s1
#define SKIPS_TRANSPARENT choices.s2
#endif
#define SAMPLE_WORDS WORDS_OF(GROUP * CHANNELS, SAMPLE_BITS)

static void add_to(__global uint* count, uint more) {
  const uint before = atomic_add(count, more);
  if (before + more < before) {
    atomic_inc(count + 1);
  }
}

static bool counts_pixel(int8 choices, uint4 p) { return SKIPS_TRANSPARENT == 0 || p.w != 0u; }

// The tiles of an image of `size` pixels. Tiles that reach beyond the right or the bottom edge see the image reflected
// there, without a repeated edge. Dimension 1 of the grid counts tiles; the work-groups of dimension 0 share the rows
// of a tile. In a work-group, `across` adjacent work-items share a row.
typedef struct {
  int2 size;
  int2 tile;  // size of a tile
  uint tiles_x;
  uint first;  // number of the first tile; tiles are numbered row by row
  uint across;
} Tiles;

static int reflected(int at, int size) {
  if (at < size) {
    return at;
  }
  const int in_period = size == 1 ? 0 : (int)(at % (2 * (long)size - 2));
  return in_period < size ? in_period : (int)(2 * (long)size - 2 - in_period);
}

// A work-item's first position in its tile, and the steps from one of its positions to the next.
static int2 first_in_tile(Tiles tiles) {
  const uint item = get_local_id(0);
  const uint down = GROUP_ITEMS / tiles.across;
  return (int2)((int)(item % tiles.across), (int)(get_group_id(0) * down + item / tiles.across));
}
static int2 steps_in_tile(Tiles tiles) {
  return (int2)((int)tiles.across, (int)(get_num_groups(0) * (GROUP_ITEMS / tiles.across)));
}

// The pixel at a position of the work-group's tile.
static int2 pixel_of_tile(Tiles tiles, int2 at) {
  const uint tile = tiles.first + (uint)get_group_id(1);
  const int2 corner = (int2)((int)(tile % tiles.tiles_x), (int)(tile / tiles.tiles_x)) * tiles.tile;
  return (int2)(reflected(corner.x + at.x, tiles.size.x), reflected(corner.y + at.y, tiles.size.y));
}

// True if the pixel is in the region (x, y, width, height), and its mask, if there is one, is not 0.
static bool is_selected(int2 at, uint4 region, __global const uchar* mask, uint has_mask, ulong pixel) {
  return (uint)at.x - region.x < region.z && (uint)at.y - region.y < region.w && (has_mask == 0u || mask[pixel] != 0);
}

#ifdef COPIES
// Adds a pixel to the work-item's copy of the table. Adjacent work-items use different copies, whose bins are in
// different banks.
static void count_here(int8 choices, __local uint* copy, uint4 p, uint bins) {
  if (counts_pixel(choices, p)) {
    if (TABLES == 3) {
      atomic_inc(copy + p.x * COPIES);
      atomic_inc(copy + (bins + p.y) * COPIES);
      atomic_inc(copy + (2u * bins + p.z) * COPIES);
    } else {
      atomic_inc(copy + level_of(LEVEL, p, bins) * COPIES);
    }
  }
}

static void clear(__local uint* counters, uint size) {
  for (uint i = get_local_id(0); i < size; i += GROUP_ITEMS) {
    counters[i] = 0u;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all counters are zero before counting starts
}

static void add_all(__local const uint* counters, uint all_bins, __global uint* counts) {
  barrier(CLK_LOCAL_MEM_FENCE);  // the work-group has counted all its pixels
  for (uint bin = get_local_id(0); bin < all_bins; bin += GROUP_ITEMS) {
    uint sum = 0u;
    for (uint copy = 0u; copy < COPIES; ++copy) {
      // Each work-item starts at another copy, and so in another bank.
      sum += counters[bin * COPIES + (copy + get_local_id(0)) % COPIES];
    }
    if (sum != 0u) {
      add_to(counts + 2u * bin, sum);
    }
  }
}

// Counts pixels [first, end) of a whole image; `first` is a multiple of GROUP. OpenCL does not tell how many
// work-groups run at once, so work-groups take chunks of `chunk` groups of pixels until none is left. counts[taken_at]
// counts the chunks taken. A work-group takes its next chunk while it counts, and ends at once if it starts too late to
// get one. One launch counts at most 2³¹ pixels, so that a counter cannot overflow.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void count_local(
    int8 choices, __global const uint* pixels, ulong first, ulong end, ulong chunk, uint bins, __local uint* counters,
    __global uint* counts, uint taken_at) {
  __local uint chunks[2];
  const uint item = get_local_id(0);
  __local uint* copy = counters + item % COPIES;
  const ulong whole = end / GROUP;
  if (item == 0u) {
    chunks[0] = atomic_inc(counts + taken_at);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the first chunk is known
  ulong start = first / GROUP + chunks[0] * chunk;
  if (start < whole || get_group_id(0) == 0) {  // work-group 0 also counts the pixels after the last whole group
    clear(counters, TABLES * bins * COPIES);
    for (uint own = 0u; start < whole; own = 1u - own) {
      const uint next = item == 0u ? atomic_inc(counts + taken_at) : 0u;
      const ulong stop = min(start + chunk, whole);
      for (ulong at = start + item; at < stop; at += AHEAD * GROUP_ITEMS) {
        uint words[AHEAD][SAMPLE_WORDS];
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
          load_words(words[k], pixels + min(at + k * GROUP_ITEMS, stop - 1) * SAMPLE_WORDS, SAMPLE_WORDS);
        }
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
          if (at + k * GROUP_ITEMS < stop) {
#pragma unroll
            for (int p = 0; p < GROUP; ++p) {
              count_here(choices, copy, pixel_of(words[k], p), bins);
            }
          }
        }
      }
      if (item == 0u) {
        chunks[1u - own] = next;
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // the next chunk is known; all have read the previous one
      start = first / GROUP + chunks[1u - own] * chunk;
    }
    const ulong rest = whole * GROUP + get_global_id(0);
    if (rest < end) {
      count_here(choices, copy, pixel_at((__global const Sample*)pixels, rest), bins);
    }
    add_all(counters, TABLES * bins, counts);
  }
}

// Counts the pixels of a region whose mask, if there is one, is not 0. Dimension 1 of the grid divides the rows.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void count_local_selected(
    int8 choices, __global const Sample* pixels, __global const uchar* mask, uint has_mask, ulong width, uint4 region,
    uint bins, __local uint* counters, __global uint* counts) {
  __local uint* copy = counters + get_local_id(0) % COPIES;
  clear(counters, TABLES * bins * COPIES);
  for (uint y = get_global_id(1); y < region.w; y += get_global_size(1)) {
    const ulong row = (ulong)(region.y + y) * width + region.x;
    for (uint x = get_global_id(0); x < region.z; x += get_global_size(0)) {
      if (has_mask == 0u || mask[row + x] != 0) {
        count_here(choices, copy, pixel_at(pixels, row + x), bins);
      }
    }
  }
  add_all(counters, TABLES * bins, counts);
}

// Counts tiles: TABLES · bins counts for each. A bin has 2^shift levels.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void count_tiles_local(
    int8 choices, __global const Sample* pixels, __global const uchar* mask, uint has_mask, uint4 region, int4 sizes,
    uint4 numbers, uint shift, uint bins, __local uint* counters, __global uint* counts) {
  __local uint* copy = counters + get_local_id(0) % COPIES;
  const Tiles tiles = {sizes.xy, sizes.zw, numbers.x, numbers.y, numbers.z};
  const int2 first = first_in_tile(tiles);
  const int2 steps = steps_in_tile(tiles);
  clear(counters, TABLES * bins * COPIES);
  for (int y = first.y; y < tiles.tile.y; y += steps.y) {
    for (int x = first.x; x < tiles.tile.x; x += steps.x) {
      const int2 at = pixel_of_tile(tiles, (int2)(x, y));
      const ulong i = (ulong)at.y * tiles.size.x + at.x;
      const uint4 p = pixel_at(pixels, i);
      if (is_selected(at, region, mask, has_mask, i) && counts_pixel(choices, p)) {
        if (TABLES == 3) {
          atomic_inc(copy + (p.x >> shift) * COPIES);
          atomic_inc(copy + (bins + (p.y >> shift)) * COPIES);
          atomic_inc(copy + (2u * bins + (p.z >> shift)) * COPIES);
        } else {
          atomic_inc(copy + (level_of(LEVEL, p, 0u) >> shift) * COPIES);
        }
      }
    }
  }
  add_all(counters, TABLES * bins, counts + 2 * get_group_id(1) * TABLES * bins);
}
#else

// As count_tiles_local, for tables that do not fit in local memory.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void count_tiles_global(
    int8 choices, __global const Sample* pixels, __global const uchar* mask, uint has_mask, uint4 region, int4 sizes,
    uint4 numbers, uint shift, uint bins, __global uint* counts) {
  const Tiles tiles = {sizes.xy, sizes.zw, numbers.x, numbers.y, numbers.z};
  const int2 first = first_in_tile(tiles);
  const int2 steps = steps_in_tile(tiles);
  __global uint* own = counts + 2 * get_group_id(1) * TABLES * bins;
  for (int y = first.y; y < tiles.tile.y; y += steps.y) {
    for (int x = first.x; x < tiles.tile.x; x += steps.x) {
      const int2 at = pixel_of_tile(tiles, (int2)(x, y));
      const ulong i = (ulong)at.y * tiles.size.x + at.x;
      const uint4 p = pixel_at(pixels, i);
      if (is_selected(at, region, mask, has_mask, i) && counts_pixel(choices, p)) {
        if (TABLES == 3) {
          add_to(own + 2u * (p.x >> shift), 1u);
          add_to(own + 2u * (bins + (p.y >> shift)), 1u);
          add_to(own + 2u * (2u * bins + (p.z >> shift)), 1u);
        } else {
          add_to(own + 2u * (level_of(LEVEL, p, 0u) >> shift), 1u);
        }
      }
    }
  }
}

// Counts in global memory, for one table that does not fit in local memory. Adds a run of equal levels at once, so that
// the work-items of a flat image contend less for one counter.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void count_global(
    int8 choices, __global const uint* pixels, ulong first, ulong end, uint bins, __global uint* counts) {
  for (ulong at = first + get_global_id(0) * GROUP; at < end; at += get_global_size(0) * GROUP) {
    uint words[SAMPLE_WORDS];
    load_words(words, pixels + at / GROUP * SAMPLE_WORDS, SAMPLE_WORDS);
    const uint valid = (uint)min(end - at, (ulong)GROUP);
    uint run = 0u;
    uint level = 0u;
#pragma unroll
    for (int p = 0; p < GROUP; ++p) {
      const uint4 pixel = pixel_of(words, p);
      if (p < valid && counts_pixel(choices, pixel)) {
        const uint next = level_of(LEVEL, pixel, bins);
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
    int8 choices, __global const Sample* pixels, __global const uchar* mask, uint has_mask, ulong width, uint4 region,
    uint bins, __global uint* counts) {
  for (uint y = get_global_id(1); y < region.w; y += get_global_size(1)) {
    const ulong row = (ulong)(region.y + y) * width + region.x;
    for (uint x = get_global_id(0); x < region.z; x += get_global_size(0)) {
      const uint4 pixel = pixel_at(pixels, row + x);
      if (counts_pixel(choices, pixel) && (has_mask == 0u || mask[row + x] != 0)) {
        add_to(counts + 2u * level_of(LEVEL, pixel, bins), 1u);
      }
    }
  }
}
#endif
