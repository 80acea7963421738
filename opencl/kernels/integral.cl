// Summed-area tables. Specified in docs/operations.md, "Integral image".
//
// OpenCL 1.2 does not promise that a waiting work-group lets others run, so tiles cannot wait for their neighbors. Two
// passes over the pixels instead: tile_sums adds up each tile, its rows and its columns; the kernels of scan.cl turn these
// into what lies left of and above each tile; fill_table writes the entries.
//
// A tile is TILE_COLUMNS × TILE_ROWS pixels and a work-group, whose work-items own COLUMNS_EACH neighboring columns. Rows
// are taken BATCH at a time, so that one set of barriers serves a batch. A band is a row of tiles.
//
// Macros: SUM, uint or ulong. Choices: LEVEL; IS_SQUARE; ENTRY, the type of the table.

#ifndef SPECIALIZED
#define LEVEL choices.s0
#define IS_SQUARE choices.s1
#define ENTRY choices.s2
#endif
#define U32 0
#define U64 1
#define FLOAT32 2
#define FLOAT64 3
#define ENTRY_BITS (ENTRY == U32 ? 32 : ENTRY == FLOAT32 ? 32 : 64)

#define TILE_ITEMS 64
#define COLUMNS_EACH 4
#define TILE_COLUMNS (TILE_ITEMS * COLUMNS_EACH)
#define TILE_ROWS 64
#define BATCH 8
#define PART 8  // work-items that add up neighbors in a row
#define ROW_WORDS (TILE_ITEMS + TILE_ITEMS / PART)  // a gap after each part: parts then start in different banks
#define PLACE(row, item) ((row) * ROW_WORDS + (item) + (item) / PART)
#define FOUR_PIXELS WORDS_OF(COLUMNS_EACH * CHANNELS, SAMPLE_BITS)

// The values of this work-item's columns in one row; 0 outside the image.
void load_row(int8 choices, SUM* values, __global const uint* pixels, ulong width, ulong height, ulong x, ulong y) {
  const bool is_inside = y < height && x < width;
  uint words[FOUR_PIXELS];
  if (is_inside) {
    load_unaligned(words, pixels, (y * width + x) * (CHANNELS * SAMPLE_BITS / 8), FOUR_PIXELS);
  }
#pragma unroll
  for (int c = 0; c < COLUMNS_EACH; ++c) {
    values[c] = 0;
    if (is_inside && x + c < width) {
      const SUM level = level_of(LEVEL, pixel_of(words, c), 0u);
      values[c] = IS_SQUARE != 0 ? level * level : level;
    }
  }
}

// The sums of parts of rows: work-item 8·row + part adds up 8 neighbors, which it returns the place of.
__local SUM* sum_parts(__local SUM* rows, __local SUM* parts) {
  const uint item = get_local_id(0);
  __local SUM* own = rows + item * (PART + 1);
  barrier(CLK_LOCAL_MEM_FENCE);  // all numbers are written
  SUM sum = 0;
#pragma unroll
  for (int i = 0; i < PART; ++i) {
    sum += own[i];
  }
  parts[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);  // the sums of all parts are written
  return own;
}

// Replaces BATCH rows of one number for each work-item by their exclusive sums from the left.
void scan_batch(__local SUM* rows, __local SUM* parts) {
  const uint item = get_local_id(0);
  __local SUM* own = sum_parts(rows, parts);
  SUM before = 0;
  for (uint i = 0; i < item % PART; ++i) {
    before += parts[item / PART * PART + i];
  }
#pragma unroll
  for (int i = 0; i < PART; ++i) {
    const SUM value = own[i];
    own[i] = before;
    before += value;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the exclusive sums are written
}

// row_sums[y][tile], column_sums[band][x] and totals[band][tile]. Dimension 0 counts tiles, 1 bands.
__kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1))) void tile_sums(
    int8 choices, __global const uint* pixels, ulong width, ulong height, __global SUM* row_sums,
    __global SUM* column_sums, __global SUM* tile_totals) {
  __local SUM rows[BATCH * ROW_WORDS];
  __local SUM parts[TILE_ITEMS];
  const ulong tile = get_group_id(0);
  const ulong tiles = get_num_groups(0);
  const ulong band = get_group_id(1);
  const uint item = get_local_id(0);
  const ulong x = tile * TILE_COLUMNS + item * COLUMNS_EACH;
  SUM all = 0;
  SUM columns[COLUMNS_EACH];
#pragma unroll
  for (int c = 0; c < COLUMNS_EACH; ++c) {
    columns[c] = 0;
  }
  for (uint first = 0; first < TILE_ROWS; first += BATCH) {
    const ulong y = band * TILE_ROWS + first;
#ifdef SPECIALIZED
#pragma unroll
#endif
    for (int r = 0; r < BATCH; ++r) {
      SUM values[COLUMNS_EACH];
      load_row(choices, values, pixels, width, height, x, y + r);
      SUM sum = 0;
#pragma unroll
      for (int c = 0; c < COLUMNS_EACH; ++c) {
        columns[c] += values[c];
        sum += values[c];
      }
      rows[PLACE(r, item)] = sum;
    }
    sum_parts(rows, parts);
    if (item < BATCH) {
      SUM total = 0;
      for (int i = 0; i < PART; ++i) {
        total += parts[item * PART + i];
      }
      all += total;
      if (y + item < height) {
        row_sums[(y + item) * tiles + tile] = total;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the parts are read before the next batch writes them
  }
#pragma unroll
  for (int c = 0; c < COLUMNS_EACH; ++c) {
    if (x + c < width) {
      column_sums[band * width + x + c] = columns[c];
    }
  }
  parts[item] = all;
  barrier(CLK_LOCAL_MEM_FENCE);  // the sums of rows 0, 8, 16 … to those of rows 7, 15, 23 … are written
  if (item == 0) {
    SUM total = 0;
    for (int i = 0; i < BATCH; ++i) {
      total += parts[i];
    }
    tile_totals[band * tiles + tile] = total;
  }
}

// The bits of the nearest float64, ties to even: devices need not have 64-bit floats.
ulong float64_bits(ulong n) {
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

// The bits of a sum in the table's type.
ulong entry_of(int8 choices, SUM sum) {
  switch (ENTRY) {
    case FLOAT32: return as_uint(convert_float_rte(sum));
    case FLOAT64: return float64_bits(sum);
    default: return sum;
  }
}

void store_entry(int8 choices, __global void* table, ulong at, ulong entry) {
  if (ENTRY_BITS == 32) {
    ((__global uint*)table)[at] = (uint)entry;
  } else {
    ((__global ulong*)table)[at] = entry;
  }
}

// Stores four entries at an address that 16 bytes divide.
void store_four(int8 choices, __global void* table, ulong at, const ulong* entries) {
  if (ENTRY_BITS == 32) {
    *(__global uint4*)((__global uint*)table + at) =
        (uint4)((uint)entries[0], (uint)entries[1], (uint)entries[2], (uint)entries[3]);
  } else {
    *(__global ulong2*)((__global ulong*)table + at) = (ulong2)(entries[0], entries[1]);
    *(__global ulong2*)((__global ulong*)table + at + 2) = (ulong2)(entries[2], entries[3]);
  }
}

// left[y][tile]: what is left of the tile in row y. corners[band][tile]: what is left of the tile above its band.
// above[band][x]: what is above the band in column x. The entry of pixel (0, 0) is number `origin`, with zeros before
// and above it if `padded`. `pitch` is in entries.
__kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1))) void fill_table(
    int8 choices, __global const uint* pixels, ulong width, ulong height, __global const SUM* left,
    __global const SUM* corners, __global const SUM* above, __global void* table, ulong origin, ulong pitch,
    uint padded) {
  __local SUM rows[BATCH * ROW_WORDS];
  __local SUM parts[TILE_ITEMS];
  const ulong tile = get_group_id(0);
  const ulong tiles = get_num_groups(0);
  const ulong band = get_group_id(1);
  const uint item = get_local_id(0);
  const ulong x = tile * TILE_COLUMNS + item * COLUMNS_EACH;
  const bool is_wide = (origin | pitch) % 4 == 0 && x + COLUMNS_EACH <= width;
  SUM corner = corners[band * tiles + tile];
  SUM columns[COLUMNS_EACH];
#pragma unroll
  for (int c = 0; c < COLUMNS_EACH; ++c) {
    columns[c] = x + c < width ? above[band * width + x + c] : (SUM)0;
    if (padded != 0u && band == 0 && x + c < width) {
      store_entry(choices, table, origin - pitch + x + c, 0);
    }
  }
  if (padded != 0u && band == 0 && x == 0) {
    store_entry(choices, table, origin - pitch - 1, 0);
  }
  for (uint first = 0; first < TILE_ROWS; first += BATCH) {
    const ulong y = band * TILE_ROWS + first;
    SUM sums[BATCH][COLUMNS_EACH];  // of the column down to each row, then of the work-item's columns from the left
#ifdef SPECIALIZED
#pragma unroll
#endif
    for (int r = 0; r < BATCH; ++r) {
      load_row(choices, sums[r], pixels, width, height, x, y + r);
      SUM sum = 0;
#pragma unroll
      for (int c = 0; c < COLUMNS_EACH; ++c) {
        columns[c] += sums[r][c];
        sum += columns[c];
        sums[r][c] = sum;
      }
      rows[PLACE(r, item)] = sum;
    }
    scan_batch(rows, parts);
#ifdef SPECIALIZED
#pragma unroll
#endif
    for (int r = 0; r < BATCH; ++r) {
      if (y + r < height) {
        corner += left[(y + r) * tiles + tile];
        const SUM before = corner + rows[PLACE(r, item)];
        const ulong at = origin + (y + r) * pitch + x;
        ulong entries[COLUMNS_EACH];
#pragma unroll
        for (int c = 0; c < COLUMNS_EACH; ++c) {
          entries[c] = entry_of(choices, before + sums[r][c]);
        }
        if (is_wide) {
          store_four(choices, table, at, entries);
        } else {
          for (int c = 0; c < COLUMNS_EACH && x + c < width; ++c) {
            store_entry(choices, table, at + c, entries[c]);
          }
        }
        if (padded != 0u && x == 0) {
          store_entry(choices, table, at - 1, 0);
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the sums are read before the next batch writes them
  }
}
