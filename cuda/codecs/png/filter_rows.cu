// Chooses a filter for each row, filters it, and adds it to the Adler-32.
#include "codecs/png/png_job.cuh"
#include "device/cuda_check.hpp"
#include "png/checksums.hpp"
#include "png/row_filter.hpp"

namespace gpuimg::cuda {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / 32;

/// Loads four bytes from any address. May read up to seven bytes past `at`; kReadablePastEnd bytes past the end of a
/// picture are readable.
struct LoadWord {
  __device__ std::uint32_t operator()(const std::uint8_t* at) const {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    const auto* const words = reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{3});
    return __funnelshift_r(words[0], words[1], 8 * static_cast<std::uint32_t>(address & 3U));
  }
};

using Rows = png::PngRows<LoadWord>;

template <class T>
__device__ T warp_sum(T value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(~0U, value, distance);
  }
  return value;
}

struct SharedSums {
  std::uint32_t costs[kWarps][png::kFilterCount];
  std::uint64_t low[kWarps];
  std::uint64_t high[kWarps];
};

/// Returns the same filter to all threads. Thread → four bytes of a sampled stretch.
__device__ int choose_filter(const PngJob& job, const Rows& rows, std::uint32_t row, SharedSums& shared) {
  constexpr std::uint32_t kStretchWords = png::kCostStretchBytes / 4;
  const auto row_bytes = static_cast<std::uint32_t>(job.layout.row_bytes);
  const std::uint32_t sampled = row_bytes - job.pixel_bytes;
  const std::uint32_t stretches = (sampled + 2 * png::kCostStretchBytes - 1) / (2 * png::kCostStretchBytes);
  std::uint32_t costs[png::kFilterCount] = {};
  for (std::uint32_t i = threadIdx.x; i < stretches * kStretchWords; i += kThreads) {
    const std::uint32_t at = job.pixel_bytes + i / kStretchWords * 2 * png::kCostStretchBytes + i % kStretchWords * 4;
    if (at < row_bytes) {
      const png::Neighbors neighbors = rows.neighbors(row, at);
#pragma unroll
      for (int filter = 0; filter < png::kFilterCount; ++filter) {
        costs[filter] += png::cost_of(png::first_bytes(png::residues(filter, neighbors), row_bytes - at));
      }
    }
  }
#pragma unroll
  for (int filter = 0; filter < png::kFilterCount; ++filter) {
    const std::uint32_t sum = warp_sum(costs[filter]);
    if (threadIdx.x % 32 == 0) {
      shared.costs[threadIdx.x / 32][filter] = sum;
    }
  }
  __syncthreads();
  std::uint64_t totals[png::kFilterCount] = {};
  for (const auto& of_warp : shared.costs) {
#pragma unroll
    for (int filter = 0; filter < png::kFilterCount; ++filter) {
      totals[filter] += of_warp[filter];
    }
  }
  return png::cheapest_filter(totals);
}

/// Thread → aligned words of the filtered row, which begins with the filter's number. Stores the first and the last
/// word byte by byte, because other rows share them.
__device__ png::AdlerSums write_row(const PngJob& job, const Rows& rows, std::uint32_t row, int filter) {
  const std::uint64_t begin = job.layout.row_begin(row);
  const auto head = static_cast<std::int64_t>(begin % 4);
  const auto count = static_cast<std::int64_t>(job.layout.row_bytes + 1);
  auto* const words = reinterpret_cast<std::uint32_t*>(job.filtered + begin - head);
  png::AdlerSums sums;
  for (std::int64_t i = threadIdx.x; 4 * i < head + count; i += kThreads) {
    const std::int64_t first = 4 * i - head;  // position of the first of four bytes; position 0 is the filter's number
    std::uint32_t bytes = png::residues(filter, rows.neighbors(row, first - 1));
    if (first >= 1 && first + 4 <= count) {
      words[i] = bytes;
    } else {
      std::uint32_t valid = 0;
      for (int k = 0; k < 4; ++k) {
        const std::int64_t place = first + k;
        if (place >= 0 && place < count) {
          const std::uint32_t byte = place == 0 ? static_cast<std::uint32_t>(filter) : bytes >> (8 * k) & 0xFFU;
          reinterpret_cast<std::uint8_t*>(words)[4 * i + k] = static_cast<std::uint8_t>(byte);
          valid |= byte << (8 * k);
        }
      }
      bytes = valid;
    }
    sums.add(bytes, static_cast<std::uint64_t>(count - first));
  }
  sums.reduce();
  return sums;
}

/// Block → row. Barriers: the sums of all warps are written before they are read.
__global__ void __launch_bounds__(kThreads) filter_row(const PngJob job) {
  __shared__ SharedSums shared;
  const std::uint32_t row = blockIdx.x;
  const Rows rows(job.pixels, job.layout.row_bytes, job.pixel_bytes, job.is_16_bit, LoadWord());
  const int filter = choose_filter(job, rows, row, shared);
  png::AdlerSums sums = write_row(job, rows, row, filter);
  const std::uint64_t low = warp_sum(sums.low);
  const std::uint64_t high = warp_sum(sums.high);
  if (threadIdx.x % 32 == 0) {
    shared.low[threadIdx.x / 32] = low;
    shared.high[threadIdx.x / 32] = high;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    png::AdlerSums total;
    for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
      total.low += shared.low[warp];
      total.high += shared.high[warp];
    }
    total.reduce();
    total.move_from_end(job.layout.filtered_bytes() - (row + std::uint64_t{1}) * (job.layout.row_bytes + 1));
    atomicAdd(&job.findings->adler_low, static_cast<unsigned long long>(total.low));
    atomicAdd(&job.findings->adler_high, static_cast<unsigned long long>(total.high));
  }
}

}  // namespace

void filter_rows(const Workspace& workspace, const PngJob& job) {
  filter_row<<<job.layout.height, kThreads, 0, workspace.stream()>>>(job);
  check_launch("filtering rows for a PNG");
}

}  // namespace gpuimg::cuda
