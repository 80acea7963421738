// Finds where each strip's chunk and each block begin, writes the bytes before and after the blocks of a chunk, and
// computes the CRC-32 of each chunk.
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

/// Writes the chunk's bytes before and after the blocks, except the CRC.
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

/// One block. Thread → strip. Barrier at the end of each iteration: the next iteration reuses the prefix sum's storage.
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

// --- CRC-32 ----------------------------------------------------------------------------------------------------------

constexpr std::uint32_t kChecksumThreads = 1024;
constexpr std::uint32_t kPieceBytes = 16;  ///< loaded at once

__device__ void make_tables(png::CrcTables& tables) {
  if (threadIdx.x < 256) {
    tables.fill(threadIdx.x);
  }
  __syncthreads();
}

/// The bytes of a chunk that its CRC covers: type and data. Bytes before them read as 0, which does not change a CRC
/// register of 0. The first four are inverted, which has the effect of the CRC's start value.
struct ChunkBytes {
  const std::uint8_t* bytes;
  std::uint64_t begin;
  std::uint64_t end;

  [[nodiscard]] __device__ std::uint32_t at(std::uint64_t i) const {
    return i < begin ? 0U : i < begin + 4 ? bytes[i] ^ 0xFFU : bytes[i];
  }
};

/// The CRC register after the bytes [from, to), starting with 0. `from` is a multiple of kPieceBytes.
__device__ std::uint32_t crc_of(const ChunkBytes& chunk, std::uint64_t from, std::uint64_t to,
                                const png::CrcTables& tables) {
  std::uint32_t state = 0;
  std::uint64_t i = from;
  for (; i < to && i < chunk.begin + 4; ++i) {
    state = tables.add_byte(state, chunk.at(i));
  }
  for (; i < to && i % kPieceBytes != 0; ++i) {
    state = tables.add_byte(state, chunk.bytes[i]);
  }
  for (; i + kPieceBytes <= to; i += kPieceBytes) {
    const uint4 piece = *reinterpret_cast<const uint4*>(chunk.bytes + i);
    state = tables.add(tables.add(tables.add(tables.add(state, piece.x), piece.y), piece.z), piece.w);
  }
  for (; i < to; ++i) {
    state = tables.add_byte(state, chunk.bytes[i]);
  }
  return state;
}

/// Block → chunk; thread → a stretch of it. Each stretch's register is moved to the end of the chunk; the XOR of all is
/// the register of the whole chunk.
__global__ void __launch_bounds__(kChecksumThreads) checksum_chunk(const PngJob job, const png::CrcPowers powers) {
  __shared__ png::CrcTables tables;
  __shared__ std::uint32_t crc;
  if (threadIdx.x == 0) {
    crc = 0;
  }
  make_tables(tables);
  const png::ChunkPlace place = job.chunks[blockIdx.x];
  const ChunkBytes chunk{job.bytes, place.begin + png::kChunkHeadBytes / 2, place.end - png::kChunkTailBytes};
  const std::uint64_t origin = chunk.begin / kPieceBytes * kPieceBytes;
  const std::uint64_t pieces = (chunk.end - origin + kPieceBytes - 1) / kPieceBytes;
  const std::uint64_t stretch = (pieces + kChecksumThreads - 1) / kChecksumThreads * kPieceBytes;
  const std::uint64_t from = origin + threadIdx.x * stretch;
  std::uint32_t state = 0;
  if (from < chunk.end) {
    const std::uint64_t to = min(from + stretch, chunk.end);
    state = png::crc_after_zeros(crc_of(chunk, from, to, tables), static_cast<std::uint32_t>(chunk.end - to), powers);
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    state ^= __shfl_xor_sync(~0U, state, distance);
  }
  if (threadIdx.x % 32 == 0) {
    atomicXor(&crc, state);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    png::write_big_endian(chunk.end, crc ^ png::kCrcStart, [&](std::uint64_t byte, std::uint32_t value) {
      job.bytes[byte] = static_cast<std::uint8_t>(value);
    });
  }
}

}  // namespace

void place_chunks(const Workspace& workspace, const PngJob& job) {
  place_strips<<<1, kOneBlock, 0, workspace.stream()>>>(job);
  check_launch("placing a PNG's chunks");
}

void checksum_chunks(const Workspace& workspace, const PngJob& job) {
  constexpr png::CrcPowers kPowers = png::crc_powers();
  checksum_chunk<<<job.layout.strips, kChecksumThreads, 0, workspace.stream()>>>(job, kPowers);
  check_launch("checking a PNG's chunks");
}

}  // namespace gpuimg::cuda
