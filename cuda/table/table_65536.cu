// Combines the counters of all blocks into 65536 counts, and builds the look-up table.
// Specified in docs/operations.md, "Histogram" and "The table".

#include "count/packed_counters.cuh"
#include "device/cuda_check.hpp"
#include "ops/equalize.hpp"
#include "table/level_table.cuh"

namespace gpuimg::cuda {
namespace {

/// Adds the counters of all blocks.
/// Thread → one word of every block's counters, that is two bins; block → 256 words, that is one group of 256 bins in
/// each half. Shared memory: the scratch for summing the groups. Barriers: only those inside segment_scan.
__global__ void __launch_bounds__(kSegment) add_partials(Target65536 target, int blocks, std::uint32_t bins,
                                                         unsigned long long* counts, std::uint32_t* changes) {
  __shared__ SegmentScratch scratch;
  const unsigned word = blockIdx.x * kSegment + threadIdx.x;
  unsigned long long low = target.spills[word];
  unsigned long long high = target.spills[word + kPackedWords];
#pragma unroll 32
  for (int b = 0; b < blocks; ++b) {
    const std::uint32_t both = target.partials[std::size_t(b) * kPackedWords + word];
    low += both & 0xFFFFU;
    high += both >> 16;
  }
  if (word < bins) {
    counts[word] = low;
  }
  if (word + kPackedWords < bins) {
    counts[word + kPackedWords] = high;
  }
  const std::uint64_t low_sum = segment_scan(low, scratch);
  const std::uint64_t high_sum = segment_scan(high, scratch);
  if (threadIdx.x == kSegment - 1) {
    target.group_sums[blockIdx.x] = low_sum;
    target.group_sums[blockIdx.x + kPackedWords / kSegment] = high_sum;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0 && changes != nullptr) {
    *changes = 0;
  }
}

/// The smallest of the 65536 levels whose running sum reaches `wanted`, which is at most the sum of all counts.
/// `through` is the running sum of the calling thread's group of 256 levels, and `group` the group's own sum. Barriers:
/// the sum below the group is written before it is read, and read before the next call overwrites it.
__device__ std::uint32_t level_reaching(std::uint64_t wanted, std::uint64_t through, std::uint64_t group,
                                        const unsigned long long* counts, SegmentScratch& scratch) {
  __shared__ std::uint64_t below_group;
  const int in_group = segment_ends(through >= wanted, scratch).x;
  if (static_cast<int>(threadIdx.x) == in_group) {
    below_group = through - group;
  }
  __syncthreads();
  const std::uint64_t below = below_group;
  __syncthreads();
  const std::uint64_t own = segment_scan(counts[in_group * kSegment + static_cast<int>(threadIdx.x)], scratch);
  return static_cast<std::uint32_t>(in_group * kSegment + segment_ends(below + own >= wanted, scratch).x);
}

/// Builds the table.
/// Block → 256 levels, thread → one level; 256 blocks. Each block finds the first and the last used level itself.
/// Shared memory: scratch, and the numbers that single threads compute for the block. Barriers: commented below.
__global__ void __launch_bounds__(kSegment)
    build_table_65536(const unsigned long long* counts, const unsigned long long* group_sums, TableTarget table) {
  __shared__ SegmentScratch scratch;
  __shared__ std::uint64_t shared_before;
  __shared__ std::uint64_t shared_total;
  __shared__ std::uint64_t end_counts[2];
  const std::uint64_t group = group_sums[threadIdx.x];
  const int2 end_groups = segment_ends(group != 0, scratch);
  const std::uint64_t through = segment_scan(group, scratch);
  if (threadIdx.x == blockIdx.x) {
    shared_before = through - group;
  }
  if (threadIdx.x == kSegment - 1) {
    shared_total = through;
  }
  for (int end = 0; end < 2; ++end) {
    const int in_group = end == 0 ? min(end_groups.x, kSegment - 1) : max(end_groups.y, 0);
    const std::uint64_t count = counts[in_group * kSegment + static_cast<int>(threadIdx.x)];
    const int2 ends = segment_ends(count != 0, scratch);
    if (threadIdx.x == 0) {
      end_counts[end] = 0;
    }
    __syncthreads();  // the zero is written before the end overwrites it; an empty histogram has no end
    if (static_cast<int>(threadIdx.x) == (end == 0 ? ends.x : ends.y)) {
      end_counts[end] = count;
    }
  }
  __syncthreads();  // the shared numbers above are written
  LevelRule rule = level_rule(table.formula.kind, kPackedBins - 1, shared_total, end_counts[0], end_counts[1]);
  if (table.formula.kind == EqualizeFormula::stretch && shared_total != 0) {  // the same for all threads
    const StretchRange& range = table.formula.range;
    const auto reaching = [&](std::uint32_t percentile) {
      return level_reaching(percentile_count(percentile, shared_total), through, group, counts, scratch);
    };
    const std::uint32_t low = reaching(range.low);
    rule = stretch_rule(kPackedBins - 1, low, reaching(range.high));
  }
  const std::uint32_t level = blockIdx.x * kSegment + threadIdx.x;
  const std::uint64_t count = counts[level];
  const std::uint64_t cumulative = shared_before + segment_scan(count, scratch);
  const std::uint32_t entry = mapped_level(rule, level, cumulative, count);
  table.maps[level] = static_cast<std::uint16_t>(entry);
  const int any_changed = __syncthreads_or(entry != level ? 1 : 0);
  if (threadIdx.x == 0 && any_changed != 0 && table.changes != nullptr) {
    atomicOr(table.changes, 1U);
  }
}

}  // namespace

void finish_histogram_65536(Workspace& workspace, const Target65536& target, int blocks, std::uint32_t bins,
                            std::uint64_t* counts, const TableTarget& table) {
  auto* results = reinterpret_cast<unsigned long long*>(counts);
  add_partials<<<kPackedWords / kSegment, kSegment, 0, workspace.stream()>>>(target, blocks, bins, results,
                                                                             table.changes);
  check_launch("adding counters");
  if (table.maps != nullptr) {
    build_table_65536<<<kPackedBins / kSegment, kSegment, 0, workspace.stream()>>>(results, target.group_sums, table);
    check_launch("building the look-up table");
  }
}

}  // namespace gpuimg::cuda
