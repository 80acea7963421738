// Computes the CRC-32 of each chunk.
#include "codecs/png/png_job.cuh"
#include "device/cuda_check.hpp"
#include "png/checksums.hpp"

namespace gpuimg::cuda {
namespace {

constexpr std::uint32_t kThreads = 1024;
constexpr std::uint32_t kPieceBytes = 16;  ///< loaded at once

__device__ void make_tables(png::CrcTables& tables) {
  if (threadIdx.x < 256) {
    std::uint32_t value = threadIdx.x;
    for (auto& table : tables.of) {
      value = png::crc_after_byte(value);
      table[threadIdx.x] = value;
    }
  }
  __syncthreads();
}

/// Bytes of the chunk that count: type and data. Those before them count as 0, which leaves a CRC register of 0 as it
/// is; the first four are inverted, which is how a CRC begins.
struct ChunkBytes {
  const std::uint8_t* bytes;
  std::uint64_t begin;
  std::uint64_t end;

  [[nodiscard]] __device__ std::uint32_t at(std::uint64_t i) const {
    return i < begin ? 0U : i < begin + 4 ? bytes[i] ^ 0xFFU : bytes[i];
  }
};

/// The register after bytes `from` … `to`, beginning with 0. `from` is a multiple of kPieceBytes.
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

/// Block → chunk; thread → a stretch of it. The sum of all stretches' registers, each moved to the end of the chunk, is
/// the CRC's.
__global__ void __launch_bounds__(kThreads) checksum_chunk(const PngJob job, const png::CrcPowers powers) {
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
  const std::uint64_t stretch = (pieces + kThreads - 1) / kThreads * kPieceBytes;
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

void checksum_chunks(const Workspace& workspace, const PngJob& job) {
  constexpr png::CrcPowers kPowers = png::crc_powers();
  checksum_chunk<<<job.layout.strips, kThreads, 0, workspace.stream()>>>(job, kPowers);
  check_launch("checking a PNG's chunks");
}

}  // namespace gpuimg::cuda
