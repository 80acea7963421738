// Writes a scan: finds where each block's codes begin, packs them, and stuffs a zero after each 0xFF.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "codecs/jpeg/block_memory.cuh"
#include "codecs/jpeg/encoder_job.cuh"
#include "device/cuda_check.hpp"
#include "jpeg/scan_bytes.hpp"

namespace gpuimg::cuda {
namespace {

constexpr std::uint32_t kOneBlock = 1024;  // threads of the kernels that run as one block

/// A block's DC difference, and its table.
struct CodedDc {
  std::int32_t difference;
  std::uint32_t table;
};

__device__ CodedDc coded_dc(const EncoderJob& job, std::uint32_t number) {
  const std::uint32_t before = job.layout.predicting_block(number);
  const std::int32_t predicted = before == number ? 0 : job.dc[before];
  const bool is_chroma = number % job.layout.blocks_per_mcu >= job.layout.luma_blocks_per_mcu();
  return {job.dc[number] - predicted, is_chroma ? 1U : 0U};
}

/// Block → tile; thread → block of coefficients.
__global__ void __launch_bounds__(kCodeThreads) measure_tiles(const EncoderJob job) {
  using Reduce = cub::BlockReduce<std::uint32_t, kCodeThreads>;
  __shared__ typename Reduce::TempStorage reduce;
  const std::uint32_t number = blockIdx.x * kCodeThreads + threadIdx.x;
  std::uint32_t bits = 0;
  if (number < job.layout.block_count()) {
    const CodedDc dc = coded_dc(job, number);
    bits = job.ac_bits[number] + jpeg::dc_bits(dc.difference, job.tables->codes.of[dc.table]);
  }
  const std::uint32_t total = Reduce(reduce).Sum(bits);
  if (threadIdx.x == 0) {
    job.tile_bits[blockIdx.x] = total;
  }
}

/// One block. Thread → tile: adds up the bits before each tile. Clears the words in which tiles meet, and the words of
/// the last 16 bytes. Barrier at the end of each iteration: the next iteration reuses the prefix sum's storage.
__global__ void __launch_bounds__(kOneBlock) add_up_tiles(const EncoderJob job) {
  using Scan = cub::BlockScan<std::uint64_t, kOneBlock>;
  __shared__ typename Scan::TempStorage scan;
  const std::uint32_t tiles = job.tile_count();
  const auto clear_word = [&](std::uint64_t word) {
    if (word < job.word_capacity) {
      job.words[word] = 0;
    }
  };
  std::uint64_t carry = 0;
  for (std::uint32_t base = 0; base < tiles; base += kOneBlock) {
    const std::uint32_t tile = base + threadIdx.x;
    std::uint64_t before = 0;
    std::uint64_t total = 0;
    Scan(scan).ExclusiveSum(tile < tiles ? std::uint64_t{job.tile_bits[tile]} : 0, before, total);
    if (tile < tiles) {
      job.tile_begins[tile] = carry + before;
      clear_word((carry + before) / 32);
    }
    carry += total;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    job.tile_begins[tiles] = carry;
    job.findings->bits = carry;
    for (std::uint64_t i = 0; i < 4; ++i) {
      clear_word(carry / 32 + i);
    }
  }
}

/// The words of a tile. The tile shares its first word with the previous tile. It shares its last word with the next
/// tile, unless the word is full. Shared words are cleared first, and then combined by "or".
struct TileWords {
  std::uint64_t first;
  std::uint32_t first_bit;  ///< in the first word
  std::uint32_t bits;       ///< includes the bits that fill the scan's last byte

  [[nodiscard]] __device__ std::uint32_t end_bit() const { return first_bit + bits; }
  [[nodiscard]] __device__ std::uint32_t count() const { return (end_bit() + 31) / 32; }
  [[nodiscard]] __device__ bool is_shared(std::uint32_t word) const {
    return word == 0 || (word + 1 == count() && end_bit() % 32 != 0);
  }
};

__device__ TileWords tile_words(const EncoderJob& job, std::uint32_t tile) {
  const std::uint64_t begin = job.tile_begins[tile];
  const std::uint64_t end = job.tile_begins[tile + 1];
  const std::uint32_t fill = tile + 1 == job.tile_count() ? jpeg::fill_bits(end) : 0U;
  return {begin / 32, static_cast<std::uint32_t>(begin % 32), static_cast<std::uint32_t>(end - begin) + fill};
}

constexpr std::uint32_t kStagedWords = 4096;  ///< 64 bytes per block of coefficients

/// Block → tile; thread → block of coefficients, whose codes it packs. Stages the words in shared memory if they fit;
/// otherwise (noise at high quality) writes them to global memory one by one. Barriers separate clearing, packing and
/// storing.
__global__ void __launch_bounds__(kCodeThreads) pack_tiles(const EncoderJob job) {
  using Scan = cub::BlockScan<std::uint32_t, kCodeThreads>;
  __shared__ typename Scan::TempStorage scan;
  __shared__ std::uint32_t staged[kStagedWords];
  __shared__ alignas(16) jpeg::CodeTables codes;
  if (!job.has_room(job.findings->bits)) {
    return;
  }
  const TileWords words = tile_words(job, blockIdx.x);
  std::uint32_t* const to = job.words + words.first;
  const bool is_staged = words.count() <= kStagedWords;
  copy_to_shared(&codes, &job.tables->codes, sizeof(codes));
  for (std::uint32_t i = threadIdx.x; i < words.count(); i += kCodeThreads) {
    if (is_staged) {
      staged[i] = 0;
    } else if (!words.is_shared(i)) {
      to[i] = 0;
    }
  }
  __syncthreads();
  const std::uint32_t number = blockIdx.x * kCodeThreads + threadIdx.x;
  const std::uint32_t blocks = job.layout.block_count();
  CodedDc dc{};
  std::uint32_t bits = 0;
  if (number < blocks) {
    dc = coded_dc(job, number);
    bits = job.ac_bits[number] + jpeg::dc_bits(dc.difference, codes.of[dc.table]);
  }
  std::uint32_t before = 0;
  Scan(scan).ExclusiveSum(bits, before);
  if (number < blocks) {
    const auto add_word = [&](std::uint32_t index, std::uint32_t word) {
      if (is_staged) {
        atomicOr(&staged[index], word);
      } else {
        atomicOr(&to[index], jpeg::byte_swapped(word));
      }
    };
    jpeg::BitPacker packer(words.first_bit + before, add_word);
    jpeg::code_block(job.coefficients + std::size_t{number} * jpeg::kBlockSize, job.nonzero[number], dc.difference,
                     codes.of[dc.table], [&](std::uint32_t value, std::uint32_t count) { packer.put(value, count); });
    if (number + 1 == blocks) {
      jpeg::fill_last_byte(packer, job.findings->bits);
    }
    packer.finish();
  }
  __syncthreads();
  if (!is_staged) {
    return;
  }
  for (std::uint32_t i = threadIdx.x; i < words.count(); i += kCodeThreads) {
    const std::uint32_t word = jpeg::byte_swapped(staged[i]);
    if (words.is_shared(i)) {
      atomicOr(&to[i], word);
    } else {
      to[i] = word;
    }
  }
}

// --- Stuffing --------------------------------------------------------------------------------------------------------

/// Number of packed bytes; 0 if they did not fit.
__device__ std::uint64_t packed_bytes(const EncoderJob& job) {
  const std::uint64_t bits = job.findings->bits;
  return job.has_room(bits) ? (bits + 7) / 8 : 0;
}

/// The 16 bytes of one thread.
struct PackedChunk {
  std::uint32_t words[4] = {};
  std::uint32_t count = 0;  ///< bytes that belong to the scan
  std::uint32_t marks = 0;  ///< bit i: byte i is 0xFF
};

/// Loads the calling thread's 16 bytes. job.words holds whole pieces; the bits after the last bit of the scan are clear
/// up to the next multiple of 16 bytes.
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

/// One block. Thread → piece: adds up the marks before each piece. Barrier at the end of each iteration: the next
/// iteration reuses the prefix sum's storage.
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

/// Block → piece; thread → 16 bytes. Gathers the stuffed bytes in shared memory at their destination's alignment; after
/// the barrier, the block stores them as words.
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

void measure_codes(const Workspace& workspace, const EncoderJob& job) {
  const cudaStream_t stream = workspace.stream();
  measure_tiles<<<job.tile_count(), kCodeThreads, 0, stream>>>(job);
  check_launch("measuring a JPEG's codes");
  add_up_tiles<<<1, kOneBlock, 0, stream>>>(job);
  check_launch("measuring a JPEG's codes");
}

void write_codes(const Workspace& workspace, const EncoderJob& job) {
  pack_tiles<<<job.tile_count(), kCodeThreads, 0, workspace.stream()>>>(job);
  check_launch("packing a JPEG's codes");
}

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
