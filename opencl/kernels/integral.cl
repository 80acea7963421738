// Summed-area tables. Specified in docs/operations.md, "Integral image".
//
// OpenCL 1.2 does not promise that a waiting work-group lets others run, so tiles cannot wait for their neighbors. Two
// passes over the pixels instead: tile_sums adds up each tile's rows and columns; scan_lines turns these into what lies
// left of and above each tile; fill_table writes the entries.
//
// A tile is TILE_COLUMNS × TILE_ROWS pixels and a work-group, whose work-items own COLUMNS_EACH neighboring columns. Rows
// are taken BATCH at a time, so that one set of barriers serves a batch.
//
// Macros: SUM, uint or ulong; one of TILE_SUMS, SCAN_LINES and FILL_TABLE, the kernel to compile; LEVEL and SQUARE for
// those that read pixels; and for FILL_TABLE one of ENTRY_u32, ENTRY_u64, ENTRY_f32 and ENTRY_f64.

#define TILE_ITEMS 64
#define COLUMNS_EACH 4
#define TILE_COLUMNS (TILE_ITEMS * COLUMNS_EACH)
#define TILE_ROWS 32
#define BATCH 8

#ifndef SCAN_LINES
SUM value_at(__global const Sample* pixels, ulong pixel) {
  const SUM level = LEVEL(pixel_at(pixels, pixel), 0u);
#ifdef SQUARE
  return level * level;
#else
  return level;
#endif
}

// The values of this work-item's columns in one row; 0 outside the image.
void load_row(SUM* values, __global const Sample* pixels, ulong width, ulong height, ulong x, ulong y) {
#pragma unroll
  for (int c = 0; c < COLUMNS_EACH; ++c) {
    values[c] = y < height && x + c < width ? value_at(pixels, y * width + x + c) : (SUM)0;
  }
}

// Replaces BATCH rows of one number for each work-item by their exclusive sums from the left; totals[row] is the sum of
// all. 8 work-items share a row: each adds up 8 neighbors.
void scan_batch(__local SUM* rows, __local SUM* parts, __local SUM* totals) {
  const uint item = get_local_id(0);
  const uint row = item / 8u;
  const uint part = item % 8u;
  __local SUM* own = rows + row * TILE_ITEMS + part * 8u;
  barrier(CLK_LOCAL_MEM_FENCE);  // all numbers are written
  SUM sum = 0;
  for (int i = 0; i < 8; ++i) {
    sum += own[i];
  }
  parts[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);  // the sums of all parts are written
  SUM before = 0;
  for (uint i = 0; i < part; ++i) {
    before += parts[row * 8u + i];
  }
  if (part == 7u) {
    totals[row] = before + sum;
  }
  for (int i = 0; i < 8; ++i) {
    const SUM value = own[i];
    own[i] = before;
    before += value;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the exclusive sums and totals are written
}

#endif

#ifdef TILE_SUMS
// row_sums[y][tile] and column_sums[band][x], where a band is TILE_ROWS rows. Dimension 0 counts tiles, 1 bands.
__kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1))) void tile_sums(
    __global const Sample* pixels, ulong width, ulong height, __global SUM* row_sums, __global SUM* column_sums) {
  __local SUM rows[BATCH * TILE_ITEMS];
  __local SUM parts[TILE_ITEMS];
  __local SUM totals[BATCH];
  const ulong tile = get_group_id(0);
  const ulong tiles = get_num_groups(0);
  const ulong band = get_group_id(1);
  const uint item = get_local_id(0);
  const ulong x = tile * TILE_COLUMNS + item * COLUMNS_EACH;
  SUM columns[COLUMNS_EACH];
#pragma unroll
  for (int c = 0; c < COLUMNS_EACH; ++c) {
    columns[c] = 0;
  }
  for (uint first = 0; first < TILE_ROWS; first += BATCH) {
    const ulong y = band * TILE_ROWS + first;
    for (int r = 0; r < BATCH; ++r) {
      SUM values[COLUMNS_EACH];
      load_row(values, pixels, width, height, x, y + r);
      SUM sum = 0;
#pragma unroll
      for (int c = 0; c < COLUMNS_EACH; ++c) {
        columns[c] += values[c];
        sum += values[c];
      }
      rows[r * TILE_ITEMS + item] = sum;
    }
    scan_batch(rows, parts, totals);
    if (item < BATCH && y + item < height) {
      row_sums[(y + item) * tiles + tile] = totals[item];
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // totals are read before the next batch writes them
  }
#pragma unroll
  for (int c = 0; c < COLUMNS_EACH; ++c) {
    if (x + c < width) {
      column_sums[band * width + x + c] = columns[c];
    }
  }
}

#endif

#ifdef SCAN_LINES
// Replaces each line of `length` numbers by its sums, without the number itself if `exclusive`. Number i of line n is at
// n·line_step + i·step. A work-group takes one line at a time, and strides over all.
__kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1))) void scan_lines(
    __global SUM* numbers, ulong lines, ulong line_step, ulong length, ulong step, uint exclusive) {
  __local SUM sums[2][TILE_ITEMS];
  const uint item = get_local_id(0);
  for (ulong line = get_group_id(0); line < lines; line += get_num_groups(0)) {
    __global SUM* first = numbers + line * line_step;
    SUM before = 0;
    for (ulong start = 0; start < length; start += TILE_ITEMS) {
      const ulong i = start + item;
      const SUM own = i < length ? first[i * step] : (SUM)0;
      uint from = 0;
      sums[0][item] = own;
      for (uint distance = 1; distance < TILE_ITEMS; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);  // sums[from] is complete
        sums[1 - from][item] = sums[from][item] + (item >= distance ? sums[from][item - distance] : (SUM)0);
        from = 1 - from;
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // sums[from] is complete
      if (i < length) {
        first[i * step] = before + sums[from][item] - (exclusive != 0u ? own : (SUM)0);
      }
      before += sums[from][TILE_ITEMS - 1];
      barrier(CLK_LOCAL_MEM_FENCE);  // all have read before the next numbers are written
    }
  }
}

#endif

#ifdef FILL_TABLE
#ifdef ENTRY_u32
typedef uint Entry;
Entry entry_of(SUM sum) { return (uint)sum; }
#elif defined(ENTRY_u64)
typedef ulong Entry;
Entry entry_of(SUM sum) { return sum; }
#elif defined(ENTRY_f32)
typedef uint Entry;
Entry entry_of(SUM sum) { return as_uint(convert_float_rte(sum)); }
#else
typedef ulong Entry;
// The bits of the nearest float64, ties to even: devices need not have 64-bit floats.
Entry entry_of(SUM sum) {
  const ulong n = sum;
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
#endif

// left_sums[y][tile]: all pixels left of the tile in rows 0 … y. above[band][x]: all pixels of column x above the band.
// `table` is the entry of pixel (0, 0), with zeros before and above it if `padded`. Pitches are in entries.
__kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1))) void fill_table(
    __global const Sample* pixels, ulong width, ulong height, __global const SUM* left_sums, __global const SUM* above,
    __global Entry* memory, ulong first_entry, ulong pitch, uint padded) {
  __local SUM rows[BATCH * TILE_ITEMS];
  __local SUM parts[TILE_ITEMS];
  __local SUM totals[BATCH];
  const ulong tile = get_group_id(0);
  const ulong tiles = get_num_groups(0);
  const ulong band = get_group_id(1);
  const uint item = get_local_id(0);
  const ulong x = tile * TILE_COLUMNS + item * COLUMNS_EACH;
  __global Entry* table = memory + first_entry;
  SUM columns[COLUMNS_EACH];
#pragma unroll
  for (int c = 0; c < COLUMNS_EACH; ++c) {
    columns[c] = x + c < width ? above[band * width + x + c] : (SUM)0;
    if (padded != 0u && band == 0 && x + c < width) {
      *(table - pitch + x + c) = 0;
    }
  }
  if (padded != 0u && band == 0 && x == 0) {
    *(table - pitch - 1) = 0;
  }
  for (uint first = 0; first < TILE_ROWS; first += BATCH) {
    const ulong y = band * TILE_ROWS + first;
    SUM sums[BATCH][COLUMNS_EACH];  // of the column down to each row, then of the work-item's columns from the left
#pragma unroll
    for (int r = 0; r < BATCH; ++r) {
      load_row(sums[r], pixels, width, height, x, y + r);
      SUM sum = 0;
#pragma unroll
      for (int c = 0; c < COLUMNS_EACH; ++c) {
        columns[c] += sums[r][c];
        sum += columns[c];
        sums[r][c] = sum;
      }
      rows[r * TILE_ITEMS + item] = sum;
    }
    scan_batch(rows, parts, totals);
#pragma unroll
    for (int r = 0; r < BATCH; ++r) {
      if (y + r < height) {
        const SUM before = left_sums[(y + r) * tiles + tile] + rows[r * TILE_ITEMS + item];
        __global Entry* row = table + (y + r) * pitch;
#pragma unroll
        for (int c = 0; c < COLUMNS_EACH; ++c) {
          if (x + c < width) {
            row[x + c] = entry_of(before + sums[r][c]);
          }
        }
        if (padded != 0u && x == 0) {
          *(row - 1) = 0;
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the sums are read before the next batch writes them
  }
}
#endif
