// Stuffs a zero behind each 0xFF of a scan.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "codecs/jpeg/block_memory.cuh"
#include "codecs/jpeg/encoder_job.cuh"
#include "device/cuda_check.hpp"
#include "jpeg/scan_bytes.hpp"

namespace gpuimg::cuda {
namespace {

constexpr std::uint32_t kOneBlock = 1024;  // threads of the kernel that runs as one block

/// The packed bytes; 0 if they had no room.
__device__ std::uint64_t packed_bytes(const EncoderJob& job) {
  const std::uint64_t bits = job.findings->bits;
  return job.has_room(bits) ? (bits + 7) / 8 : 0;
}

/// 16 bytes of a thread.
struct PackedChunk {
  std::uint32_t words[4] = {};
  std::uint32_t count = 0;  ///< of bytes that belong to the scan
  std::uint32_t marks = 0;  ///< bit i: byte i is 0xFF
};

/// `words` has whole pieces, and is clear from the last bit to the end of its 16 bytes.
__device__ PackedChunk load_chunk(const EncoderJob& job, std::uint64_t bytes) {
  const std::uint64_t first = std::uint64_t{blockIdx.x} * kPieceBytes + threadIdx.x * jpeg::kScanChunkBytes;
  PackedChunk chunk;
  if (first < bytes) {
    const uint4 loaded = reinterpret_cast<const uint4*>(job.words)[first / sizeof(uint4)];
    chunk.words[0] = loaded.x;
    chunk.words[1] = loaded.y;
    chunk.words[2] = loaded.z;
    chunk.words[3] = loaded.w;
    chunk.count = static_cast<std::uint32_t>(min(bytes - first, std::uint64_t{jpeg::kScanChunkBytes}));
    chunk.marks = jpeg::mark_bytes(chunk.words, chunk.count);
  }
  return chunk;
}

/// Block → piece; thread → 16 bytes.
__global__ void __launch_bounds__(kPieceThreads) count_marks(const EncoderJob job) {
  using Reduce = cub::BlockReduce<std::uint32_t, kPieceThreads>;
  __shared__ typename Reduce::TempStorage reduce;
  const std::uint64_t bytes = packed_bytes(job);
  if (std::uint64_t{blockIdx.x} * kPieceBytes >= bytes) {
    return;
  }
  const std::uint32_t marks = Reduce(reduce).Sum(static_cast<std::uint32_t>(__popc(load_chunk(job, bytes).marks)));
  if (threadIdx.x == 0) {
    job.piece_marks[blockIdx.x] = marks;
  }
}

/// One block. Thread → piece. The scan's storage is used again in each turn, hence the barrier at its end.
__global__ void __launch_bounds__(kOneBlock) add_up_marks(const EncoderJob job) {
  using Scan = cub::BlockScan<std::uint64_t, kOneBlock>;
  __shared__ typename Scan::TempStorage scan;
  const std::uint64_t pieces = (packed_bytes(job) + kPieceBytes - 1) / kPieceBytes;
  std::uint64_t carry = 0;
  for (std::uint64_t base = 0; base < pieces; base += kOneBlock) {
    const std::uint64_t piece = base + threadIdx.x;
    std::uint64_t before = 0;
    std::uint64_t total = 0;
    Scan(scan).ExclusiveSum(piece < pieces ? std::uint64_t{job.piece_marks[piece]} : 0, before, total);
    if (piece < pieces) {
      job.piece_begins[piece] = carry + before;
    }
    carry += total;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    job.findings->marks = carry;
  }
}

/// Block → piece; thread → 16 bytes. Gathers them in shared memory at their destination's alignment; after the barrier
/// the block stores them as words.
__global__ void __launch_bounds__(kPieceThreads) move_pieces(const EncoderJob job) {
  using Scan = cub::BlockScan<std::uint32_t, kPieceThreads>;
  __shared__ typename Scan::TempStorage scan;
  __shared__ alignas(4) std::uint8_t buffer[2 * kPieceBytes + 4];
  const std::uint64_t bytes = packed_bytes(job);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * kPieceBytes;
  if (first >= bytes) {
    return;
  }
  const PackedChunk chunk = load_chunk(job, bytes);
  std::uint32_t marks_before = 0;
  std::uint32_t marks = 0;
  Scan(scan).ExclusiveSum(static_cast<std::uint32_t>(__popc(chunk.marks)), marks_before, marks);
  std::uint8_t* const to = job.scan + first + job.piece_begins[blockIdx.x];
  std::uint32_t place = word_offset(to) + threadIdx.x * jpeg::kScanChunkBytes + marks_before;
#pragma unroll
  for (std::uint32_t i = 0; i < jpeg::kScanChunkBytes; ++i) {
    if (i < chunk.count) {
      buffer[place++] = static_cast<std::uint8_t>(chunk.words[i / 4] >> (8 * (i % 4)));
      if ((chunk.marks >> i & 1U) != 0) {
        buffer[place++] = 0;
      }
    }
  }
  __syncthreads();
  store_words(to, buffer, static_cast<std::uint32_t>(min(bytes - first, std::uint64_t{kPieceBytes})) + marks);
}

}  // namespace

void stuff_bytes(const Workspace& workspace, const EncoderJob& job) {
  const cudaStream_t stream = workspace.stream();
  const auto pieces = static_cast<std::uint32_t>(job.word_capacity * sizeof(std::uint32_t) / kPieceBytes);
  count_marks<<<pieces, kPieceThreads, 0, stream>>>(job);
  check_launch("stuffing a JPEG's scan");
  add_up_marks<<<1, kOneBlock, 0, stream>>>(job);
  check_launch("stuffing a JPEG's scan");
  move_pieces<<<pieces, kPieceThreads, 0, stream>>>(job);
  check_launch("stuffing a JPEG's scan");
}

}  // namespace gpuimg::cuda
