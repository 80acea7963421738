// Summed-area tables. Specified in docs/operations.md, "Integral image".
//
// OpenCL 1.2 does not guarantee that a waiting work-group lets others run, so tiles cannot wait for their neighbors.
// Instead, the kernels make two passes over the pixels. tile_sums sums each tile, its rows and its columns. scan.cl
// turns these sums into the sums left of and above each tile. fill_table reads the pixels again and writes the entries.
//
// A tile has TILE_COLUMNS × TILE_ROWS pixels. One work-group processes it; each work-item processes COLUMNS_EACH
// adjacent columns. A band is a row of tiles. A work-item loads its pixels of BATCH rows before it uses the first, so
// that the loads overlap and one set of barriers is enough for the batch. fill_table reads a batch once, and uses its
// pixels for the row sums and for the entries. It also keeps the entries of the last row: an entry is the entry above
// it plus the sum of its row from the left edge of the image.
//
// Work-items beyond the right edge read the first columns, and rows below the image repeat the last row. Nothing reads
// sums that include such pixels. Loops over arrays have constant bounds, so that they can be unrolled and the arrays
// stay in registers.
//
// Macros: SUM, uint or ulong; SUM4, its vector of four. Choices: LEVEL; IS_SQUARE; ENTRY, the type of the table.

#ifndef SPECIALIZED
#define LEVEL choices.s0
#define IS_SQUARE choices.s1
#define ENTRY choices.s2
#define UNROLLED
#else
#define UNROLLED _Pragma("unroll")
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
#define BATCH 16
#define SUM_BATCH 32  // rows between barriers in tile_sums, which does not keep the pixels of these rows
#define LANES (TILE_ITEMS / BATCH)  // work-items that scan a row
#define LANE_SUMS (TILE_ITEMS / LANES)
#define ROW_SUMS (TILE_ITEMS + 4)  // rows start in different banks
#define PIXEL_BYTES (CHANNELS * SAMPLE_BITS / 8)
#define FOUR_PIXELS WORDS_OF(COLUMNS_EACH * CHANNELS, SAMPLE_BITS)
#define LOAD_BYTES (FOUR_PIXELS % 4 == 0 ? 16 : FOUR_PIXELS % 2 == 0 ? 8 : 4)  // alignment that load_words needs

// Loads COLUMNS_EACH pixels of each of BATCH rows, starting at (x, y). x is inside the image. Always inlined, because a
// call would keep the words in memory instead of registers.
__attribute__((always_inline)) void load_batch(uint* words, __global const uint* pixels, ulong width, ulong height,
                                               ulong x, ulong y) {
  const ulong row_bytes = width * PIXEL_BYTES;
  const ulong first = min(y, height - 1);
  const int more = (int)min(height - 1 - first, (ulong)BATCH);  // rows after the first
  ulong byte = first * row_bytes + x * PIXEL_BYTES;
  if (row_bytes % LOAD_BYTES == 0) {
    __global const uchar* from = (__global const uchar*)pixels + byte;
    UNROLLED for (int r = 0; r < BATCH; ++r) {
      load_words(words + r * FOUR_PIXELS, (__global const uint*)from, FOUR_PIXELS);
      from += r < more ? row_bytes : 0;
    }
  } else {
    UNROLLED for (int r = 0; r < BATCH; ++r) {
      load_unaligned(words + r * FOUR_PIXELS, pixels, byte, FOUR_PIXELS);
      byte += r < more ? row_bytes : 0;
    }
  }
}

static SUM value_of(int8 choices, const uint* words, int pixel) {
  const SUM level = level_of(LEVEL, pixel_of(words, pixel), 0u);
  return IS_SQUARE != 0 ? level * level : level;
}

// Adds COLUMNS_EACH pixels of a row to the column sums. Returns the sum of the pixels.
static SUM add_pixels(int8 choices, SUM* columns, const uint* words) {
  SUM sum = 0;
  UNROLLED for (int c = 0; c < COLUMNS_EACH; ++c) {
    const SUM value = value_of(choices, words, c);
    columns[c] += value;
    sum += value;
  }
  return sum;
}

// Writes row_sums[tile][y], column_sums[band][x], and the sum of the tile to column_sums[band][width + tile]. Dimension
// 0 of the grid counts tiles, dimension 1 bands.
__kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1))) void tile_sums(
    int8 choices, __global const uint* pixels, ulong width, ulong height, __global SUM* row_sums,
    __global SUM* column_sums) {
  __local SUM4 rows[SUM_BATCH * ROW_SUMS / 4];
  __local SUM totals[SUM_BATCH];
  const ulong tile = get_group_id(0);
  const ulong band = get_group_id(1);
  const uint item = get_local_id(0);
  const ulong x = tile * TILE_COLUMNS + item * COLUMNS_EACH;
  const ulong tile_rows = min((ulong)TILE_ROWS, height - band * TILE_ROWS);
  __global SUM* own_columns = column_sums + band * (width + get_num_groups(0));
  SUM total = 0;  // the sum of rows item, item + SUM_BATCH …
  SUM columns[COLUMNS_EACH];
  UNROLLED for (int c = 0; c < COLUMNS_EACH; ++c) {
    columns[c] = 0;
  }
  for (uint start = 0; start < tile_rows; start += SUM_BATCH) {
    const ulong y = band * TILE_ROWS + start;
    for (uint first = 0; first < SUM_BATCH; first += BATCH) {
      uint words[BATCH * FOUR_PIXELS];
      load_batch(words, pixels, width, height, x < width ? x : 0, y + first);
      __local SUM* own = (__local SUM*)rows + first * ROW_SUMS + item;
      UNROLLED for (int r = 0; r < BATCH; ++r) {
        own[r * ROW_SUMS] = add_pixels(choices, columns, words + r * FOUR_PIXELS);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the sums of all work-items are written
    if (item < SUM_BATCH) {
      SUM4 sums = 0;
      UNROLLED for (int i = 0; i < TILE_ITEMS / 4; ++i) {
        sums += rows[item * (ROW_SUMS / 4) + i];
      }
      const SUM sum = sums.x + sums.y + sums.z + sums.w;
      total += sum;
      if (y + item < height) {
        row_sums[tile * height + y + item] = sum;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the sums are read
  }
  UNROLLED for (int c = 0; c < COLUMNS_EACH; ++c) {
    if (x + c < width) {
      own_columns[x + c] = columns[c];
    }
  }
  if (item < SUM_BATCH) {
    totals[item] = total;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the totals are written
  if (item == 0) {
    SUM sum = 0;
    UNROLLED for (int i = 0; i < SUM_BATCH; ++i) {
      sum += totals[i];
    }
    own_columns[width + tile] = sum;
  }
}

// A sum converted to the table's type, as bits.
static ulong entry_of(int8 choices, SUM sum) {
  switch (ENTRY) {
    case FLOAT32: return as_uint(convert_float_rte(sum));
    case FLOAT64: return float64_bits(sum);
    default: return sum;
  }
}

static void store_entry(int8 choices, __global void* table, ulong at, SUM sum) {
  if (ENTRY_BITS == 32) {
    ((__global uint*)table)[at] = (uint)entry_of(choices, sum);
  } else {
    ((__global ulong*)table)[at] = entry_of(choices, sum);
  }
}

// Stores the entries of COLUMNS_EACH sums at an address that is a multiple of 16.
static void store_four(int8 choices, __global uchar* to, const SUM* sums) {
  ulong entries[COLUMNS_EACH];
  UNROLLED for (int c = 0; c < COLUMNS_EACH; ++c) {
    entries[c] = entry_of(choices, sums[c]);
  }
  if (ENTRY_BITS == 32) {
    *(__global uint4*)to = (uint4)((uint)entries[0], (uint)entries[1], (uint)entries[2], (uint)entries[3]);
  } else {
    ((__global ulong2*)to)[0] = (ulong2)(entries[0], entries[1]);
    ((__global ulong2*)to)[1] = (ulong2)(entries[2], entries[3]);
  }
}

// Sets `last` to the entries of this work-item's columns in the row above its tile. `above` points to the band's row of
// the array. `sums` has 2 · TILE_ITEMS elements.
static void start_columns(SUM* last, __global const SUM* above, __local SUM* sums, ulong width, ulong tile, ulong x) {
  const uint item = get_local_id(0);
  SUM corner = 0;
  for (ulong i = item; i < tile; i += TILE_ITEMS) {
    corner += above[width + i];
  }
  SUM sum = 0;
  UNROLLED for (int c = 0; c < COLUMNS_EACH; ++c) {
    sum += x + c < width ? above[x + c] : (SUM)0;
    last[c] = sum;
  }
  sums[item] = sum;
  sums[TILE_ITEMS + item] = corner;
  barrier(CLK_LOCAL_MEM_FENCE);  // the sums of all work-items are written
  SUM before = 0;
#pragma unroll 8
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    before += (i < item ? sums[i] : (SUM)0) + sums[TILE_ITEMS + i];
  }
  UNROLLED for (int c = 0; c < COLUMNS_EACH; ++c) {
    last[c] += before;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the sums are read
}

// Replaces each sum in BATCH rows by the sum of everything to its left in the image. `left` points to the tile's row of
// the array. LANES work-items share a row.
static void scan_batch(__local SUM4* rows, __local SUM* parts, __global const SUM* left, ulong y, ulong height) {
  const uint item = get_local_id(0);
  const uint row = item / LANES;
  const uint lane = item % LANES;
  __local SUM4* own = rows + (row * ROW_SUMS + lane * LANE_SUMS) / 4;
  SUM before = left[min(y + row, height - 1)];  // loaded before the barrier, because the load takes long
  barrier(CLK_LOCAL_MEM_FENCE);  // the sums of all work-items are written
  SUM4 all = 0;
  UNROLLED for (int i = 0; i < LANE_SUMS / 4; ++i) {
    all += own[i];
  }
  parts[item] = all.x + all.y + all.z + all.w;
  barrier(CLK_LOCAL_MEM_FENCE);  // the sums of all parts are written
  UNROLLED for (uint i = 0; i < LANES - 1; ++i) {
    before += i < lane ? parts[item - lane + i] : (SUM)0;
  }
  UNROLLED for (int i = 0; i < LANE_SUMS / 4; ++i) {
    const SUM4 sums = own[i];
    const SUM second = before + sums.x;
    const SUM third = second + sums.y;
    const SUM fourth = third + sums.z;
    own[i] = (SUM4)(before, second, third, fourth);
    before = fourth + sums.w;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all sums are replaced
}

// Turns the entries of a row into those of the next row. `before` is the sum of the row left of the pixels.
static void add_row(int8 choices, SUM* last, SUM before, const uint* words) {
  UNROLLED for (int c = 0; c < COLUMNS_EACH; ++c) {
    before += value_of(choices, words, c);
    last[c] += before;
  }
}

// Stores the zeros of a padded table left of and above this work-group's tile. `origin` and `pitch` as in fill_table.
static void store_zeros(int8 choices, __global void* table, ulong origin, ulong pitch, ulong width, ulong x,
                        ulong tile_rows) {
  const uint item = get_local_id(0);
  const ulong band = get_group_id(1);
  if (get_group_id(0) == 0) {
    for (uint row = item; row < tile_rows; row += TILE_ITEMS) {
      store_entry(choices, table, origin + (band * TILE_ROWS + row) * pitch - 1, 0);
    }
  }
  if (band == 0) {
    for (int c = 0; c < COLUMNS_EACH && x + c < width; ++c) {
      store_entry(choices, table, origin - pitch + x + c, 0);
    }
    if (x == 0) {
      store_entry(choices, table, origin - pitch - 1, 0);
    }
  }
}

// left[tile][y] is the sum of row y left of the tile. above[band][x] is the sum of column x above the band, and
// above[band][width + tile] the sum of the tile's columns above the band. The entry of pixel (0, 0) has index `origin`.
// If `padded`, a row of zeros is above the entries, and a column of zeros left of them. `pitch` is in entries.
__kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1))) void fill_table(
    int8 choices, __global const uint* pixels, ulong width, ulong height, __global const SUM* left,
    __global const SUM* above, __global void* table, ulong origin, ulong pitch, uint padded) {
  __local SUM4 rows[BATCH * ROW_SUMS / 4];
  __local SUM parts[2 * TILE_ITEMS];
  const ulong tile = get_group_id(0);
  const ulong band = get_group_id(1);
  const uint item = get_local_id(0);
  const ulong x = tile * TILE_COLUMNS + item * COLUMNS_EACH;
  const ulong tile_rows = min((ulong)TILE_ROWS, height - band * TILE_ROWS);  // with uint, clang unrolls all batches
  const bool is_wide = (origin | pitch) % 4 == 0 && x + COLUMNS_EACH <= width;
  __local SUM* own = (__local SUM*)rows + item;
  SUM last[COLUMNS_EACH];  // the entries of the row above
  start_columns(last, above + band * (width + get_num_groups(0)), parts, width, tile, x);
  for (uint start = 0; start < tile_rows; start += BATCH) {
    const ulong y = band * TILE_ROWS + start;
    uint words[BATCH * FOUR_PIXELS];
    load_batch(words, pixels, width, height, x < width ? x : 0, y);
    UNROLLED for (int r = 0; r < BATCH; ++r) {
      SUM sum = 0;
      UNROLLED for (int c = 0; c < COLUMNS_EACH; ++c) {
        sum += value_of(choices, words + r * FOUR_PIXELS, c);
      }
      own[r * ROW_SUMS] = sum;
    }
    scan_batch(rows, parts, left + tile * height, y, height);
    if (is_wide && start + BATCH <= tile_rows) {
      __global uchar* to = (__global uchar*)table + (origin + y * pitch + x) * (ENTRY_BITS / 8);
      UNROLLED for (int r = 0; r < BATCH; ++r) {
        add_row(choices, last, own[r * ROW_SUMS], words + r * FOUR_PIXELS);
        store_four(choices, to, last);
        to += pitch * (ENTRY_BITS / 8);
      }
    } else {
      UNROLLED for (int r = 0; r < BATCH; ++r) {
        add_row(choices, last, own[r * ROW_SUMS], words + r * FOUR_PIXELS);
        UNROLLED for (int c = 0; c < COLUMNS_EACH; ++c) {
          if (start + r < tile_rows && x + c < width) {
            store_entry(choices, table, origin + (y + r) * pitch + x + c, last[c]);
          }
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // all sums are read before the next batch overwrites them
  }
  if (padded != 0u) {
    store_zeros(choices, table, origin, pitch, width, x, tile_rows);
  }
}
