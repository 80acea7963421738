// Finds where each strip's chunk and each block begin, and writes what stands around the blocks.
#include <cub/block/block_scan.cuh>

#include "codecs/png/png_job.cuh"
#include "device/cuda_check.hpp"
#include "png/checksums.hpp"

namespace gpuimg::cuda {
namespace {

constexpr std::uint32_t kOneBlock = 1024;

__device__ std::uint64_t chunk_bytes(const PngJob& job, std::uint32_t strip) {
  const std::uint64_t first = 8 * std::uint64_t{png::chunk_data_begin(strip)};
  const std::uint64_t end = png::walk_blocks(job.layout, job.blocks, strip, first, [](std::uint32_t, std::uint64_t) {});
  return png::chunk_data_end(end, strip + 1 == job.layout.strips) + png::kChunkTailBytes;
}

/// Writes the chunk's first bytes, and its last ones but the CRC.
__device__ void frame_chunk(const PngJob& job, std::uint32_t strip, const png::ChunkPlace& chunk) {
  const auto put = [&](std::uint64_t byte, std::uint32_t value) { job.bytes[byte] = static_cast<std::uint8_t>(value); };
  png::write_chunk_head(chunk, strip, put);
  const std::uint64_t last = chunk.end - png::kChunkTailBytes - png::kStoredLengthBytes;
  if (strip + 1 == job.layout.strips) {
    const png::AdlerSums sums{job.findings->adler_low, job.findings->adler_high};
    png::write_big_endian(last, sums.checksum(job.layout.filtered_bytes()), put);
  } else {
    png::write_stored_length(last, 0, put);
  }
}

/// One block. Thread → strip. The scan's storage is used again in each turn, hence the barrier at its end.
__global__ void __launch_bounds__(kOneBlock) place_strips(const PngJob job) {
  using Scan = cub::BlockScan<std::uint64_t, kOneBlock>;
  __shared__ typename Scan::TempStorage scan;
  std::uint64_t carry = 0;
  for (std::uint32_t base = 0; base < job.layout.strips; base += kOneBlock) {
    const std::uint32_t strip = base + threadIdx.x;
    const bool is_strip = strip < job.layout.strips;
    const std::uint64_t bytes = is_strip ? chunk_bytes(job, strip) : 0;
    std::uint64_t before = 0;
    std::uint64_t total = 0;
    Scan(scan).ExclusiveSum(bytes, before, total);
    if (is_strip) {
      const png::ChunkPlace chunk{carry + before, carry + before + bytes};
      job.chunks[strip] = chunk;
      png::walk_blocks(job.layout, job.blocks, strip, 8 * (chunk.begin + png::chunk_data_begin(strip)),
                       [&](std::uint32_t block, std::uint64_t bit) { job.block_begins[block] = bit; });
      frame_chunk(job, strip, chunk);
    }
    carry += total;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    job.findings->bytes = carry;
  }
}

}  // namespace

void place_chunks(const Workspace& workspace, const PngJob& job) {
  place_strips<<<1, kOneBlock, 0, workspace.stream()>>>(job);
  check_launch("placing a PNG's chunks");
}

}  // namespace gpuimg::cuda
