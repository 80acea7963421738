// Builds look-up tables from counts on the device, with level_rule and mapped_level of ops/equalize.hpp.
#pragma once

#include "count/count_levels.cuh"
#include "ops/equalize.hpp"

namespace gpuimg::cuda {

/// Counts are processed 256 at a time, by the first 256 threads of a block. All threads of the block must call these
/// functions.
constexpr int kSegment = 256;

/// Shared memory of the functions below.
struct SegmentScratch {
  std::uint64_t warp_sums[kSegment / 32];
  std::uint64_t first_count;
  std::uint64_t last_count;
  int first;
  int last;
};

/// Inclusive prefix sum over the first 256 threads.
__device__ inline std::uint64_t segment_scan(std::uint64_t value, SegmentScratch& scratch) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const std::uint64_t left = __shfl_up_sync(0xFFFFFFFFU, value, distance);
    value += lane >= distance ? left : 0;
  }
  if (threadIdx.x < kSegment && lane == 31) {
    scratch.warp_sums[warp] = value;
  }
  __syncthreads();  // every warp's sum is written
  for (unsigned w = 0; w < warp && w < kSegment / 32; ++w) {
    value += scratch.warp_sums[w];
  }
  __syncthreads();  // the sums are read, so the scratch may be reused
  return value;
}

/// Positions of the first and the last of the 256 threads with `used` set; 256 and −1 if no thread has it set.
__device__ inline int2 segment_ends(bool used, SegmentScratch& scratch) {
  if (threadIdx.x == 0) {
    scratch.first = kSegment;
    scratch.last = -1;
  }
  __syncthreads();  // the initial values are written
  if (used && threadIdx.x < kSegment) {
    atomicMin(&scratch.first, static_cast<int>(threadIdx.x));
    atomicMax(&scratch.last, static_cast<int>(threadIdx.x));
  }
  __syncthreads();  // every thread has contributed
  const int2 ends = make_int2(scratch.first, scratch.last);
  __syncthreads();  // the scratch may be reused
  return ends;
}

/// The rule of one histogram of 256 levels. `count` is the count of the calling thread's level; threads after the first
/// 256 must pass 0.
__device__ inline LevelRule segment_rule(const TableFormula& formula, std::uint64_t count, std::uint64_t cumulative,
                                         SegmentScratch& scratch) {
  const int2 ends = segment_ends(count != 0, scratch);
  if (threadIdx.x == 0) {
    scratch.first_count = 0;
    scratch.last_count = 0;
  }
  __syncthreads();  // the zeros are written before the ends overwrite them; an empty histogram has no ends
  if (static_cast<int>(threadIdx.x) == ends.x) {
    scratch.first_count = count;
  }
  if (static_cast<int>(threadIdx.x) == ends.y) {
    scratch.last_count = count;
  }
  if (threadIdx.x == kSegment - 1) {
    scratch.warp_sums[0] = cumulative;
  }
  __syncthreads();  // the ends and the total are written
  const std::uint64_t total = scratch.warp_sums[0];
  const LevelRule rule = level_rule(formula.kind, kSegment - 1, total, scratch.first_count, scratch.last_count);
  __syncthreads();                                               // the scratch may be reused
  if (formula.kind == EqualizeFormula::stretch && total != 0) {  // the same for all threads
    const int low = segment_ends(cumulative >= percentile_count(formula.range.low, total), scratch).x;
    const int high = segment_ends(cumulative >= percentile_count(formula.range.high, total), scratch).x;
    return stretch_rule(kSegment - 1, static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high));
  }
  return rule;
}

/// Builds a table of 256 levels and returns the calling thread's entry. Threads after the first 256 get an arbitrary
/// value.
__device__ inline std::uint32_t segment_table_entry(const TableFormula& formula, std::uint64_t count,
                                                    SegmentScratch& scratch) {
  const std::uint64_t cumulative = segment_scan(count, scratch);
  const LevelRule rule = segment_rule(formula, count, cumulative, scratch);
  return threadIdx.x < kSegment ? mapped_level(rule, threadIdx.x, cumulative, count) : threadIdx.x;
}

/// The output of a counting kernel.
struct Target65536 {
  std::uint32_t* partials = nullptr;         ///< kPackedWords words per block
  unsigned long long* spills = nullptr;      ///< kPackedBins counts, cleared before the launch
  unsigned long long* group_sums = nullptr;  ///< 256 sums of 256 bins each
};

/// Adds the counters of `blocks` blocks to `bins` counts, and builds the table if one is requested.
void finish_histogram_65536(Workspace& workspace, const Target65536& target, int blocks, std::uint32_t bins,
                            std::uint64_t* counts, const TableTarget& table);

}  // namespace gpuimg::cuda
