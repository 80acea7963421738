// Counts the symbols of each part.
#include "codecs/png/symbol_groups.cuh"
#include "device/cuda_check.hpp"

namespace gpuimg::cuda {
namespace {

constexpr std::uint32_t kLanes = 32;
constexpr std::uint32_t kBytes = 256;

/// Block → part; thread → 16 bytes. Shared memory has a column of literal counts for each lane, so that the equal bytes
/// of a warp do not collide; a thread adds up the columns of its literal, each thread from another one on because of
/// the banks. The barriers separate clearing, counting and adding.
__global__ void __launch_bounds__(kGroupThreads) count_part(const PngJob job) {
  __shared__ std::uint32_t columns[kBytes * kLanes];
  __shared__ PartCounts counts;
  __shared__ SymbolReader::Shared shared;
  static_assert(sizeof(columns) + sizeof(counts) + sizeof(shared) <= 48 * 1024 && kGroupThreads == kBytes);
  const png::PartPlace part = job.layout.part(blockIdx.x);
  for (std::uint32_t i = threadIdx.x; i < kBytes * kLanes; i += kGroupThreads) {
    columns[i] = 0;
  }
  for (std::uint32_t i = threadIdx.x; i < png::kLiteralSymbols; i += kGroupThreads) {
    counts.literals[i] = 0;
  }
  if (threadIdx.x < png::kDistanceSymbols) {
    counts.distances[threadIdx.x] = 0;
  }
  __syncthreads();
  const std::uint32_t lane = threadIdx.x % kLanes;
  SymbolReader(job, part, shared).read([&](const png::SymbolGroup& group, std::uint32_t literals) {
    group.for_each(
        literals, [&](std::uint32_t byte) { atomicAdd(&columns[byte * kLanes + lane], 1U); },
        [&](const png::Match& match) {
          atomicAdd(&counts.literals[png::coded_length(match.length()).symbol], 1U);
          atomicAdd(&counts.distances[png::coded_distance(match.distance()).symbol], 1U);
        });
  });
  __syncthreads();
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    sum += columns[threadIdx.x * kLanes + (threadIdx.x + i) % kLanes];
  }
  counts.literals[threadIdx.x] = sum;
  __syncthreads();
  PartCounts& to = job.counts[blockIdx.x];
  for (std::uint32_t i = threadIdx.x; i < png::kLiteralSymbols; i += kGroupThreads) {
    to.literals[i] = counts.literals[i];
  }
  if (threadIdx.x < png::kDistanceSymbols) {
    to.distances[threadIdx.x] = counts.distances[threadIdx.x];
  }
}

}  // namespace

void count_symbols(const Workspace& workspace, const PngJob& job) {
  count_part<<<job.layout.part_count(), kGroupThreads, 0, workspace.stream()>>>(job);
  check_launch("counting a PNG's symbols");
}

}  // namespace gpuimg::cuda
