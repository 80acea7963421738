// Running sums over the rows and the columns of small arrays: what lies before each tile of an integral image.
//
// Macros: SUM, uint or ulong.

#define SCAN_ITEMS 64

// Replaces each row of `length` numbers by what is left of them. A work-group takes one row at a time, and strides over
// all.
__kernel __attribute__((reqd_work_group_size(SCAN_ITEMS, 1, 1))) void scan_rows(int8 choices, __global SUM* numbers,
                                                                                ulong rows, ulong length) {
  __local SUM sums[2][SCAN_ITEMS];
  const uint item = get_local_id(0);
  for (ulong row = get_group_id(0); row < rows; row += get_num_groups(0)) {
    __global SUM* first = numbers + row * length;
    SUM before = 0;
    for (ulong start = 0; start < length; start += SCAN_ITEMS) {
      const ulong i = start + item;
      const SUM own = i < length ? first[i] : (SUM)0;
      uint from = 0;
      sums[0][item] = own;
      for (uint distance = 1; distance < SCAN_ITEMS; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);  // sums[from] is complete
        sums[1 - from][item] = sums[from][item] + (item >= distance ? sums[from][item - distance] : (SUM)0);
        from = 1 - from;
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // sums[from] is complete
      if (i < length) {
        first[i] = before + sums[from][item] - own;
      }
      before += sums[from][SCAN_ITEMS - 1];
      barrier(CLK_LOCAL_MEM_FENCE);  // all have read before the next numbers are written
    }
  }
}

// Replaces each of `length` numbers of a column by what is above it; rows have `width` numbers. A work-group takes
// SCAN_COLUMNS columns, so that it reads them together, and divides each into SCAN_PARTS parts.
#define SCAN_COLUMNS 16
#define SCAN_PARTS (SCAN_ITEMS / SCAN_COLUMNS)
__kernel __attribute__((reqd_work_group_size(SCAN_ITEMS, 1, 1))) void scan_columns(int8 choices, __global SUM* numbers,
                                                                                   ulong width, ulong length) {
  __local SUM totals[SCAN_ITEMS];
  const uint item = get_local_id(0);
  const uint part = item / SCAN_COLUMNS;
  const ulong x = (ulong)get_group_id(0) * SCAN_COLUMNS + item % SCAN_COLUMNS;
  const ulong each = (length + SCAN_PARTS - 1) / SCAN_PARTS;
  const ulong start = min(part * each, length);
  const ulong stop = x < width ? min(start + each, length) : start;
  SUM total = 0;
#pragma unroll 8
  for (ulong i = start; i < stop; ++i) {
    total += numbers[i * width + x];
  }
  totals[item] = total;
  barrier(CLK_LOCAL_MEM_FENCE);  // the totals of all parts are written
  SUM before = 0;
  for (uint above = item % SCAN_COLUMNS; above < item; above += SCAN_COLUMNS) {
    before += totals[above];
  }
#pragma unroll 8
  for (ulong i = start; i < stop; ++i) {
    const SUM own = numbers[i * width + x];
    numbers[i * width + x] = before;
    before += own;
  }
}
