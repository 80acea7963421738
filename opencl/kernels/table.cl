// The look-up table of a histogram. Restates level_rule and mapped_level of include/gpuimg/ops/equalize.hpp.
//
// Macros: FORMULA, one of opencv, cdf and pillow. One work-group makes one table.

#define FORMULA_opencv 0
#define FORMULA_cdf 1
#define FORMULA_pillow 2
#define JOINED(a, b) a##b
#define VALUE_OF(name) JOINED(FORMULA_, name)
#define FORMULA_IS(name) (VALUE_OF(FORMULA) == FORMULA_##name)

typedef struct {
  ulong total;
  ulong first;  // count of the first level in use
  ulong last;   // and of the last
} Span;

// Of two neighboring spans of levels.
Span joined(Span low, Span high) {
  Span both;
  both.total = low.total + high.total;
  both.first = low.first != 0 ? low.first : high.first;
  both.last = high.last != 0 ? high.last : low.last;
  return both;
}

uint mapped_level(Span all, uint level, ulong cumulative, ulong count) {
  const ulong v = V_MAX;
  const bool flat = all.first == all.total;  // also if nothing is counted
#if FORMULA_IS(opencv)
  if (flat) {
    return level;
  }
  if (cumulative <= all.first) {
    return 0u;
  }
  const float scale = divided((float)V_MAX, convert_float_rte(all.total - all.first));
  const float mapped = rint(convert_float_rte(cumulative - all.first) * scale);
  return mapped >= (float)V_MAX ? V_MAX : (uint)mapped;
#elif FORMULA_IS(cdf)
  return all.total == 0 ? level : (uint)((2 * v * cumulative + all.total) / (2 * all.total));
#else
  const ulong step = (all.total - all.last) / v;
  if (flat || step == 0) {
    return level;
  }
  return (uint)min((step / 2 + (cumulative - count)) / step, v);
#endif
}

// Each work-item takes `bins` / GROUP_ITEMS consecutive levels. The table starts at maps[first]. Sets *changes if any level is mapped to another.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void make_table(
    __global const ulong* counts, uint bins, __global ushort* maps, uint first, __global uint* changes) {
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
    const uint to = mapped_level(all, level, cumulative, counts[level]);
    maps[first + level] = (ushort)to;
    changes_any = changes_any || to != level;
  }
  if (changes_any) {
    atomic_or(changes, 1u);
  }
}
