// A plain stream, which measures the limit that memory bandwidth sets. Macros: READS and WRITES are the numbers of
// 16-byte vectors of a unit; AHEAD is the number of units that a work-item loads before it stores the first one.

__kernel void stream(__global const uint4* in, __global uint4* out, ulong units, uint never) {
  uint4 last = (uint4)(0u);
  for (ulong first = get_global_id(0); first < units; first += AHEAD * get_global_size(0)) {
    uint4 held[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      const ulong unit = min(first + k * get_global_size(0), units - 1);
      held[k] = (uint4)(0u);
#pragma unroll
      for (int r = 0; r < READS; ++r) {
        held[k] ^= in[r * units + unit];
      }
    }
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      const ulong unit = first + k * get_global_size(0);
      last ^= held[k];
#pragma unroll
      for (int w = 0; w < WRITES; ++w) {
        if (unit < units) {
          out[w * units + unit] = held[k];
        }
      }
    }
  }
  if (WRITES == 0 && last.x == never && last.y == never && last.z == never) {  // keeps the loads from being removed
    out[0] = last;
  }
}
