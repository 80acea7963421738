// Builds the look-up table of a histogram, or the tables of CLAHE's tiles. Restates level_rule and mapped_level of
// core/ops/equalize.hpp, and clahe_map of core/ops/clahe.hpp.
//
// Choices: FORMULA, not for tiles. One work-group builds one table.

#ifndef SPECIALIZED
#define FORMULA choices.s0
#endif
#define OPENCV 0
#define CDF 1
#define PILLOW 2

typedef struct {
  ulong total;
  ulong first;  // count of the first level in use
  ulong last;   // count of the last level in use
} Span;

// Joins two adjacent spans of levels.
static Span joined(Span low, Span high) {
  Span both;
  both.total = low.total + high.total;
  both.first = low.first != 0 ? low.first : high.first;
  both.last = high.last != 0 ? high.last : low.last;
  return both;
}

static uint mapped_level(int8 choices, Span all, uint level, ulong cumulative, ulong count) {
  const ulong v = V_MAX;
  const bool flat = all.first == all.total;  // also if nothing is counted
  if (FORMULA == CDF) {
    return all.total == 0 ? level : (uint)((2 * v * cumulative + all.total) / (2 * all.total));
  }
  if (FORMULA == PILLOW) {
    const ulong step = (all.total - all.last) / v;
    return flat || step == 0 ? level : (uint)min((step / 2 + (cumulative - count)) / step, v);
  }
  if (flat) {
    return level;
  }
  if (cumulative <= all.first) {
    return 0u;
  }
  const float scale = divided((float)V_MAX, convert_float_rte(all.total - all.first));
  const float mapped = rint(convert_float_rte(cumulative - all.first) * scale);
  return mapped >= (float)V_MAX ? V_MAX : (uint)mapped;
}

// Each work-item takes `bins` / GROUP_ITEMS consecutive levels. The counts start at all_counts[first_count], the table
// at maps[first]. Sets *changes if any level is mapped to another.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void make_table(
    int8 choices, __global const ulong* all_counts, uint first_count, uint bins, __global ushort* maps, uint first,
    __global uint* changes) {
  __global const ulong* counts = all_counts + first_count;
  __local Span spans[2][GROUP_ITEMS];
  const uint item = get_local_id(0);
  const uint each = bins / GROUP_ITEMS;
  Span own = {0, 0, 0};
  for (uint level = item * each; level < (item + 1u) * each; ++level) {
    const Span one = {counts[level], counts[level], counts[level]};
    own = joined(own, one);
  }
  spans[0][item] = own;
  uint from = 0u;
  for (uint step = 1u; step < GROUP_ITEMS; step *= 2u) {
    barrier(CLK_LOCAL_MEM_FENCE);  // spans[from] is complete
    spans[1u - from][item] = item >= step ? joined(spans[from][item - step], spans[from][item]) : spans[from][item];
    from = 1u - from;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // spans[from] holds the span from level 0 to each work-item's last
  const Span all = spans[from][GROUP_ITEMS - 1];
  ulong cumulative = spans[from][item].total - own.total;
  bool changes_any = false;
  for (uint level = item * each; level < (item + 1u) * each; ++level) {
    cumulative += counts[level];
    const uint to = mapped_level(choices, all, level, cumulative, counts[level]);
    maps[first + level] = (ushort)to;
    changes_any = changes_any || to != level;
  }
  if (changes_any) {
    atomic_or(changes, 1u);
  }
}

// --- Tables of tiles ---

// The sum of the numbers of all work-items. All work-items must call this.
static ulong sum_of_all(__local ulong* numbers, ulong own) {
  barrier(CLK_LOCAL_MEM_FENCE);  // the numbers of the previous sum are read
  numbers[get_local_id(0)] = own;
  barrier(CLK_LOCAL_MEM_FENCE);  // all numbers are written
  ulong sum = 0;
  for (uint i = 0u; i < GROUP_ITEMS; ++i) {
    sum += numbers[i];
  }
  return sum;
}

// The limit of each count in a tile of `counted` > 0 pixels: the float64 product of `clip` and `counted`, divided by
// the number of levels and rounded down, but at least 1. The result is at most `counted`, and equals `counted` if the
// product is not positive. `clip` has the bits of a float64.
static ulong clip_limit(ulong clip, ulong counted, uint levels) {
  const Float64 limit = float64_product(float64_from_bits(clip), float64_of(counted));
  if (!float64_is_greater(float64_of(counted * levels), limit) || !float64_is_greater(limit, float64_of(0))) {
    return counted;
  }
  // The product is below 2⁶³. Dropping its fraction does not change the quotient, which is rounded down.
  const ulong bits = bits_of_float64(limit);
  const int exponent = (int)(bits >> 52) - 1023;
  const ulong significand = (bits & (((ulong)1 << 52) - 1)) | (ulong)1 << 52;
  const ulong product =
      exponent < 0 ? 0 : exponent < 52 ? significand >> (52 - exponent) : significand << (exponent - 52);
  return max(product / levels, (ulong)1);
}

// The table entry of a 16-bit level: interpolated between the entries of the two bins whose centers are nearest.
static uint entry_between_bins(__local const ushort* entries, uint level) {
  const uint width = 512u;  // in half levels, because centers lie between two levels
  const uint first = 255u;
  if (2u * level <= first) {
    return entries[0];
  }
  const uint bin = (2u * level - first) / width;
  if (bin >= 255u) {
    return entries[255];
  }
  const uint part = (2u * level - first) % width;
  return (entries[bin] * (width - part) + entries[bin + 1u] * part + width / 2u) / width;
}

// Work-group → a table: group t builds table `first_tile` + t / planes of plane t % planes, from `bins` counts,
// starting with count t · bins. The table has V + 1 entries. For 16-bit levels in 256 bins, it is interpolated between
// 256 entries, which belong to the centers of the bins. `tiles` is the number of tables of a plane. If nothing was
// counted, the table is the identity.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void make_tile_table(
    int8 choices, __global const ulong* all_counts, uint bins, ulong clip, __global ushort* all_maps, uint first_tile,
    uint planes, ulong tiles) {
  __local ulong numbers[GROUP_ITEMS];
  __local ushort entries[256];
  const uint table = get_group_id(0);
  __global const ulong* counts = all_counts + (ulong)table * bins;
  __global ushort* maps = all_maps + (table % planes * tiles + first_tile + table / planes) * (V_MAX + 1u);
  const uint item = get_local_id(0);
  const uint each = bins / GROUP_ITEMS;
  ulong own = 0;
  for (uint bin = item * each; bin < (item + 1u) * each; ++bin) {
    own += counts[bin];
  }
  const ulong counted = sum_of_all(numbers, own);
  if (counted == 0) {  // the same for all work-items
    for (uint level = item; level <= V_MAX; level += GROUP_ITEMS) {
      maps[level] = (ushort)level;
    }
    return;
  }
  const ulong limit = clip_limit(clip, counted, bins);
  own = 0;
  for (uint bin = item * each; bin < (item + 1u) * each; ++bin) {
    own += min(counts[bin], limit);
  }
  const ulong clipped = counted - sum_of_all(numbers, own);
  const ulong bonus = clipped / bins;
  const uint rest = (uint)(clipped % bins);
  const uint stride = rest == 0u ? 1u : bins / rest;
  const float scale = divided((float)V_MAX, convert_float_rte(counted));
  own = 0;
  for (uint bin = item * each; bin < (item + 1u) * each; ++bin) {
    own += min(counts[bin], limit) + bonus + (bin % stride == 0u && bin / stride < rest ? 1 : 0);
  }
  (void)sum_of_all(numbers, own);
  ulong cumulative = 0;
  for (uint i = 0u; i < item; ++i) {
    cumulative += numbers[i];
  }
  for (uint bin = item * each; bin < (item + 1u) * each; ++bin) {
    cumulative += min(counts[bin], limit) + bonus + (bin % stride == 0u && bin / stride < rest ? 1 : 0);
    const float mapped = rint(convert_float_rte(cumulative) * scale);
    const uint entry = mapped >= (float)V_MAX ? V_MAX : (uint)mapped;
    if (bins == V_MAX + 1u) {
      maps[bin] = (ushort)entry;
    } else {
      entries[bin] = (ushort)entry;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the entries of all bins are written
  if (bins != V_MAX + 1u) {
    for (uint level = item; level <= V_MAX; level += GROUP_ITEMS) {
      maps[level] = (ushort)entry_between_bins(entries, level);
    }
  }
}
