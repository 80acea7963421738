// Removes stuffed bytes and markers from a scan, and finds its restart segments.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "codecs/jpeg/block_memory.cuh"
#include "codecs/jpeg/jpeg_job.cuh"
#include "device/cuda_check.hpp"
#include "jpeg/scan_bytes.hpp"

namespace gpuimg::cuda {
namespace {

using jpeg::Defect;
using jpeg::ScanChunk;

constexpr std::uint32_t kOneBlock = 1024;  // threads of the kernels that run as one block

/// Number of coded bytes in the low half, number of restart markers in the high half. A tile has at most 4096 coded
/// bytes and 2048 restart markers.
__device__ std::uint32_t packed_counts(const ScanChunk& chunk) {
  return static_cast<std::uint32_t>(__popc(chunk.coded)) | static_cast<std::uint32_t>(__popc(chunk.restarts)) << 16;
}

__device__ std::uint32_t raw_byte(const JpegJob& job, std::uint32_t offset) {
  return offset < job.raw_bytes ? static_cast<std::uint32_t>(job.raw[offset]) : 1U;
}

struct LoadedChunk {
  std::uint32_t words[4] = {};
  ScanChunk is;
};

__device__ LoadedChunk load_chunk(const JpegJob& job, std::uint32_t first) {
  LoadedChunk chunk;
  if (first < job.raw_bytes) {
    const uint4 loaded = *reinterpret_cast<const uint4*>(job.raw + first);
    chunk.words[0] = loaded.x;
    chunk.words[1] = loaded.y;
    chunk.words[2] = loaded.z;
    chunk.words[3] = loaded.w;
    chunk.is = jpeg::classify(chunk.words, min(job.raw_bytes - first, jpeg::kScanChunkBytes),
                              first == 0 ? 0U : raw_byte(job, first - 1), raw_byte(job, first + jpeg::kScanChunkBytes));
  }
  return chunk;
}

__device__ void cut_at(ScanChunk& chunk, std::uint32_t first, std::uint32_t end) {
  chunk.cut(end <= first ? 0 : end - first);
}

/// Block → 4096 bytes, thread → 16 of them. Barrier: the end of the scan, if it is in this block's bytes, is known
/// before threads discard the bytes after it.
__global__ void __launch_bounds__(kRawTileThreads) count_coded_bytes(const JpegJob job) {
  using Reduce = cub::BlockReduce<std::uint32_t, kRawTileThreads>;
  __shared__ typename Reduce::TempStorage reduce;
  __shared__ std::uint32_t end;
  if (threadIdx.x == 0) {
    end = kNoEnd;
  }
  __syncthreads();
  const std::uint32_t first = blockIdx.x * kRawTileBytes + threadIdx.x * jpeg::kScanChunkBytes;
  ScanChunk chunk = load_chunk(job, first).is;
  if (chunk.ends != 0) {
    atomicMin(&end, first + static_cast<std::uint32_t>(__ffs(static_cast<int>(chunk.ends))) - 1);
  }
  __syncthreads();
  cut_at(chunk, first, end);
  if (chunk.fills != 0) {
    atomicOr(&job.findings->defects, Defect::bad_marker);
  }
  const std::uint32_t counts = Reduce(reduce).Sum(packed_counts(chunk));
  if (threadIdx.x == 0) {
    job.raw_tiles[blockIdx.x] = {counts & 0xFFFFU, counts >> 16, end};
  }
}

/// Clears the bytes that follow the coded bytes, because the bit reader may read them. Checks the marker after the
/// scan.
__device__ void finish_counts(const JpegJob& job, std::uint32_t coded_bytes, std::uint32_t restarts,
                              std::uint32_t end) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(job.words);
  for (std::uint32_t i = 0; i < jpeg::kReadableBytesAfterScan + 4; ++i) {
    bytes[coded_bytes + i] = 0;
  }
  const bool has_end = end != kNoEnd && raw_byte(job, end + 1) == 0xD9;
  const std::uint32_t defects =
      (has_end ? 0U : Defect::bad_end) | (restarts + 1 == job.layout.segment_count ? 0U : Defect::bad_marker);
  job.findings->coded_bytes = coded_bytes;
  job.findings->scan_end = end;
  atomicOr(&job.findings->defects, defects);
}

/// One block. Thread → tile: replaces the counts of each tile by the totals of all tiles before it. Tiles after the end
/// of the scan count as empty. Barrier at the end of each iteration: the next iteration reuses the prefix sum's
/// storage.
__global__ void __launch_bounds__(kOneBlock) add_up_raw_tiles(const JpegJob job, std::uint32_t tiles) {
  using Scan = cub::BlockScan<std::uint64_t, kOneBlock>;
  __shared__ typename Scan::TempStorage scan;
  __shared__ std::uint32_t end;
  if (threadIdx.x == 0) {
    end = kNoEnd;
  }
  __syncthreads();
  for (std::uint32_t tile = threadIdx.x; tile < tiles; tile += kOneBlock) {
    atomicMin(&end, job.raw_tiles[tile].end);
  }
  __syncthreads();
  std::uint64_t carry = 0;  // coded bytes, and restart markers << 32
  for (std::uint32_t base = 0; base < tiles; base += kOneBlock) {
    const std::uint32_t tile = base + threadIdx.x;
    std::uint64_t counts = 0;
    if (tile < tiles && tile * kRawTileBytes < end) {
      counts = job.raw_tiles[tile].coded_bytes | static_cast<std::uint64_t>(job.raw_tiles[tile].restarts) << 32;
    }
    std::uint64_t before = 0;
    std::uint64_t total = 0;
    Scan(scan).ExclusiveSum(counts, before, total);
    before += carry;
    carry += total;
    if (tile < tiles) {
      job.raw_tiles[tile].coded_bytes = static_cast<std::uint32_t>(before);
      job.raw_tiles[tile].restarts = static_cast<std::uint32_t>(before >> 32);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    finish_counts(job, static_cast<std::uint32_t>(carry), static_cast<std::uint32_t>(carry >> 32), end);
  }
}

/// Records where restart markers begin new segments. A marker with the wrong number is a defect.
__device__ void note_restarts(const JpegJob& job, const ScanChunk& chunk, std::uint32_t first, std::uint32_t number,
                              std::uint32_t coded_before) {
  for (std::uint32_t left = chunk.restarts; left != 0; left &= left - 1, ++number) {
    const auto i = static_cast<std::uint32_t>(__ffs(static_cast<int>(left))) - 1;
    if ((raw_byte(job, first + i + 1) & 7U) != (number & 7U)) {
      atomicOr(&job.findings->defects, Defect::bad_marker);
    }
    if (number + 1 < job.layout.segment_count) {
      job.first_byte[number + 1] = coded_before + static_cast<std::uint32_t>(__popc(chunk.coded & ((1U << i) - 1U)));
    }
  }
}

/// Block → 4096 bytes, thread → 16 of them. Gathers the coded bytes in shared memory at their destination's alignment;
/// after the barrier, the block stores them as words.
__global__ void __launch_bounds__(kRawTileThreads) move_coded_bytes(const JpegJob job) {
  using Scan = cub::BlockScan<std::uint32_t, kRawTileThreads>;
  __shared__ typename Scan::TempStorage scan;
  __shared__ alignas(4) std::uint8_t buffer[kRawTileBytes + 4];
  const std::uint32_t end = job.findings->scan_end;
  if (blockIdx.x * kRawTileBytes >= end) {
    return;
  }
  const std::uint32_t first = blockIdx.x * kRawTileBytes + threadIdx.x * jpeg::kScanChunkBytes;
  LoadedChunk chunk = load_chunk(job, first);
  cut_at(chunk.is, first, end);
  std::uint32_t before = 0;
  std::uint32_t total = 0;
  Scan(scan).ExclusiveSum(packed_counts(chunk.is), before, total);
  const RawTile tile = job.raw_tiles[blockIdx.x];
  std::uint8_t* const to = reinterpret_cast<std::uint8_t*>(job.words) + tile.coded_bytes;
  std::uint32_t place = word_offset(to) + (before & 0xFFFFU);
#pragma unroll
  for (int i = 0; i < static_cast<int>(jpeg::kScanChunkBytes); ++i) {
    if ((chunk.is.coded >> i & 1U) != 0) {
      buffer[place++] = static_cast<std::uint8_t>(chunk.words[i / 4] >> (8 * (i % 4)));
    }
  }
  note_restarts(job, chunk.is, first, tile.restarts + (before >> 16), tile.coded_bytes + (before & 0xFFFFU));
  __syncthreads();
  store_words(to, buffer, total & 0xFFFFU);
}

/// One block. Thread → segment: stores the index of the segment's first subsequence. If the scan has a defect, the
/// total number of subsequences stays 0, because segments may be missing. Barrier at the end of each iteration: the
/// next iteration reuses the prefix sum's storage.
__global__ void __launch_bounds__(kOneBlock) number_subsequences(const JpegJob job) {
  using Scan = cub::BlockScan<std::uint32_t, kOneBlock>;
  __shared__ typename Scan::TempStorage scan;
  const std::uint32_t segments = job.layout.segment_count;
  if (job.findings->defects != 0) {
    return;
  }
  if (threadIdx.x == 0) {
    job.first_byte[0] = 0;
    job.first_byte[segments] = job.findings->coded_bytes;
  }
  __syncthreads();
  std::uint32_t carry = 0;
  for (std::uint32_t base = 0; base < segments; base += kOneBlock) {
    const std::uint32_t segment = base + threadIdx.x;
    std::uint32_t count = 0;
    if (segment < segments) {
      count = jpeg::subsequences_of(job.first_byte[segment + 1] - job.first_byte[segment], kSubsequenceBits);
    }
    std::uint32_t before = 0;
    std::uint32_t total = 0;
    Scan(scan).ExclusiveSum(count, before, total);
    if (segment < segments) {
      job.first_subsequence[segment] = carry + before;
    }
    carry += total;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    job.first_subsequence[segments] = carry;
    job.findings->subsequences = carry;
  }
}

}  // namespace

void clean_scan(const Workspace& workspace, const JpegJob& job) {
  const cudaStream_t stream = workspace.stream();
  const std::uint32_t tiles = job.raw_bytes / kRawTileBytes + 1;
  count_coded_bytes<<<tiles, kRawTileThreads, 0, stream>>>(job);
  check_launch("counting the bytes of a JPEG's scan");
  add_up_raw_tiles<<<1, kOneBlock, 0, stream>>>(job, tiles);
  check_launch("counting the bytes of a JPEG's scan");
  move_coded_bytes<<<tiles, kRawTileThreads, 0, stream>>>(job);
  check_launch("cleaning a JPEG's scan");
  number_subsequences<<<1, kOneBlock, 0, stream>>>(job);
  check_launch("dividing a JPEG's scan");
}

}  // namespace gpuimg::cuda
