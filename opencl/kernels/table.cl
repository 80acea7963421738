// Builds the look-up table of a histogram. Restates level_rule and mapped_level of core/ops/equalize.hpp.
//
// Choices: FORMULA. One work-group builds one table.

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
Span joined(Span low, Span high) {
  Span both;
  both.total = low.total + high.total;
  both.first = low.first != 0 ? low.first : high.first;
  both.last = high.last != 0 ? high.last : low.last;
  return both;
}

uint mapped_level(int8 choices, Span all, uint level, ulong cumulative, ulong count) {
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
