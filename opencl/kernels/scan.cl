// Running sums over the columns of small arrays: the sums before each tile of an integral image.
//
// Macros: SUM, uint or ulong.

#define SCAN_COLUMNS 32
#define SCAN_PARTS (GROUP_ITEMS / SCAN_COLUMNS)
#define SCAN_BATCH 8

// Replaces each of the `length` numbers of a column by the sum of the numbers above it. A row has `width` numbers. A
// work-group takes SCAN_COLUMNS columns, so that it reads adjacent words, and divides each column into SCAN_PARTS
// parts.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void scan_columns(int8 choices, __global SUM* numbers,
                                                                                    ulong width, ulong length) {
  __local SUM totals[GROUP_ITEMS];
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
  for (ulong i = start; i < stop; i += SCAN_BATCH) {
    SUM own[SCAN_BATCH];  // all loaded before the first is replaced, so that the loads overlap
#pragma unroll
    for (int k = 0; k < SCAN_BATCH; ++k) {
      own[k] = numbers[min(i + k, stop - 1) * width + x];
    }
#pragma unroll
    for (int k = 0; k < SCAN_BATCH; ++k) {
      if (i + k < stop) {
        numbers[(i + k) * width + x] = before;
      }
      before += own[k];
    }
  }
}
