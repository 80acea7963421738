// Joins the IDAT chunks of a PNG and checks them; finds the bits at which blocks with dynamic codes begin.
#include <cub/block/block_radix_sort.cuh>

#include "codecs/png/decoder_job.cuh"
#include "device/cuda_check.hpp"
#include "device/launch.cuh"
#include "png/block_codes.hpp"
#include "png/checksums.hpp"
#include "png/windows.hpp"

namespace gpuimg::cuda {
namespace {

using png::DataPiece;

// --- Chunks ----------------------------------------------------------------------------------------------------------

constexpr std::uint32_t kGatherThreads = DataPiece::kLanes;
using png::PieceWords;

/// Four bytes of the file, starting at byte `at`. Also reads the next word, which exists because a CRC follows the
/// data.
__device__ std::uint32_t file_word(const PngDecoderJob& job, std::uint32_t at) {
  const auto* const words = reinterpret_cast<const std::uint32_t*>(job.file) + at / 4;
  return __funnelshift_r(words[0], words[1], 8 * (at % 4));
}

/// Copies a piece into the stream: its whole words, and the single bytes before and after them.
__device__ void copy_piece(const PngDecoderJob& job, const DataPiece& piece) {
  const std::uint32_t first = (piece.to + 3) / 4;
  const std::uint32_t end = (piece.to + piece.size) / 4;
  const std::uint32_t from = piece.from - piece.to;  // may wrap; so do the sums below
  for (std::uint32_t i = first + threadIdx.x; i < end; i += kGatherThreads) {
    reinterpret_cast<std::uint32_t*>(job.stream_bytes)[i] = file_word(job, from + 4 * i);
  }
  const bool is_behind = threadIdx.x >= 4;
  const std::uint32_t at = 4 * (is_behind ? end : first - 1) + threadIdx.x % 4;
  if (threadIdx.x < 8 && (end >= first || !is_behind) && at >= piece.to && at - piece.to < piece.size) {
    job.stream_bytes[at] = job.file[from + at];
  }
}

/// Position of word `i` of a piece in shared memory. Padding makes lanes begin in different banks.
__device__ std::uint32_t padded(std::uint32_t i) { return i + i / PieceWords::kLaneWords; }

__device__ void make_tables(png::CrcTables& tables) {
  for (std::uint32_t i = threadIdx.x; i < 256; i += blockDim.x) {
    tables.fill(i);
  }
}

/// Block → piece; thread → a lane of its CRC. Barriers: the tables and the piece are complete; the sum is complete; all
/// threads are done before piece and sum are replaced.
__global__ void __launch_bounds__(kGatherThreads)
    gather_pieces(const __grid_constant__ PngDecoderJob job, const __grid_constant__ png::CrcPowers powers) {
  __shared__ std::uint32_t words[PieceWords::kCount + PieceWords::kCount / PieceWords::kLaneWords];
  __shared__ png::CrcTables tables;
  __shared__ std::uint32_t sum;
  make_tables(tables);
  for (std::uint32_t number = blockIdx.x; number < job.piece_count; number += gridDim.x) {
    const DataPiece piece = job.pieces[number];
    const PieceWords in_words(piece);
    for (std::uint32_t i = in_words.first() + threadIdx.x; i < PieceWords::kCount; i += kGatherThreads) {
      words[padded(i)] = in_words.word(piece.from, i, [&](std::uint32_t at) { return file_word(job, at); });
    }
    copy_piece(job, piece);
    if (threadIdx.x == 0) {
      sum = 0;
    }
    __syncthreads();
    const std::uint32_t own =
        png::lane_crc(in_words, threadIdx.x, tables, powers, [&](std::uint32_t i) { return words[padded(i)]; });
    atomicXor(&sum, own);
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicXor(&job.registers[piece.chunk], png::crc_after_zeros(sum, piece.after, powers));
    }
    __syncthreads();
  }
}

/// Thread → chunk. Barrier: the tables are complete.
__global__ void __launch_bounds__(kGatherThreads)
    check_chunks(const __grid_constant__ PngDecoderJob job, const __grid_constant__ png::CrcPowers powers) {
  __shared__ png::CrcTables tables;
  make_tables(tables);
  __syncthreads();
  const std::uint32_t number = blockIdx.x * kGatherThreads + threadIdx.x;
  if (number >= job.chunk_count) {
    return;
  }
  const EncodedPng::Chunk chunk = job.chunks[number];
  const std::uint32_t stated = png::big_endian_at(job.file, std::uint64_t{chunk.begin} + chunk.size);
  if (!png::is_chunk_crc(job.registers[number], chunk.size, stated, tables, powers)) {
    atomicOr(&job.findings->defects, png::Defect::bad_checksum);
  }
}

// --- Search ----------------------------------------------------------------------------------------------------------

constexpr std::uint32_t kSearchThreads = 256;
constexpr std::uint32_t kSearchWords = 2048;  ///< per block; the positions of their bits fit in 16 bits
constexpr std::uint32_t kMostMaybe = 10240;   ///< capacity; usually 3,600 are used, 7,200 near the end of a stream

/// Shared memory of search_headers(), 28 KiB.
struct SearchMemory {
  std::uint16_t spaces[png::kPrecodeSpaces];
  std::uint16_t maybe[kMostMaybe];  ///< positions of bits, counted from the first bit of the thread block's words
  std::uint32_t count;
};

/// The positions in a word at which a block may begin.
__device__ std::uint32_t word_candidates(const PngDecoderJob& job, std::uint32_t word) {
  if (word >= (job.stream.end + 31) / 32) {
    return 0;
  }
  const bool may_be_last = job.stream.end <= png::kLastBlockBits || 32 * word >= job.stream.end - png::kLastBlockBits;
  const std::uint32_t mask = png::block_candidates(job.words()[word], job.words()[word + 1], may_be_last);
  return word == 0 ? mask & ~0U << (png::kFirstBlockBit + 1) : mask;
}

/// Block → 8 KiB of the stream; thread → every 256th word of it, then every 256th bit that may be a header. If the
/// lists have no room for a header, the chain finds it later. Barriers: the table and the cleared count are written;
/// the list is complete; all threads are done before list and count are replaced.
__global__ void __launch_bounds__(kSearchThreads) search_headers(const __grid_constant__ PngDecoderJob job) {
  __shared__ SearchMemory shared;
  for (std::uint32_t i = threadIdx.x; i < png::kPrecodeSpaces; i += kSearchThreads) {
    shared.spaces[i] = png::precode_spaces(i);
  }
  const std::uint32_t words = (job.stream.end + 31) / 32;
  for (std::uint32_t first = blockIdx.x * kSearchWords; first < words; first += gridDim.x * kSearchWords) {
    if (threadIdx.x == 0) {
      shared.count = 0;
    }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < kSearchWords; i += kSearchThreads) {
      std::uint32_t mask = word_candidates(job, first + i);
      std::uint32_t at = mask == 0 ? 0 : atomicAdd(&shared.count, bit_count(mask));
      for (; mask != 0; mask &= mask - 1, ++at) {
        if (at < kMostMaybe) {
          shared.maybe[at] = static_cast<std::uint16_t>(32 * i + lowest_bit(mask));
        }
      }
    }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < min(shared.count, kMostMaybe); i += kSearchThreads) {
      const std::uint32_t bit = 32 * first + shared.maybe[i];
      if (png::is_complete_precode(job.words(), bit, shared.spaces)) {
        const std::uint32_t place = atomicAdd(&job.findings->candidates, 1U);
        if (place < job.lists.candidates) {
          job.candidates[place] = bit;
        }
      }
    }
    __syncthreads();
  }
}

constexpr std::uint32_t kHeaderThreads = 128;

/// Thread → candidate: keeps it if its header is valid. The first thread adds the first block.
__global__ void __launch_bounds__(kHeaderThreads) check_headers(const __grid_constant__ PngDecoderJob job) {
  __shared__ std::uint8_t entries[png::PrecodeTable::kEntries * kHeaderThreads];
  const std::uint32_t count = min(job.findings->candidates, job.lists.candidates);
  const std::uint32_t first = blockIdx.x * kHeaderThreads + threadIdx.x;
  const auto add = [&](std::uint32_t bit) {
    const std::uint32_t place = atomicAdd(&job.findings->begins, 1U);
    if (place < job.lists.blocks) {
      job.begins[place] = bit;
    }
  };
  if (first == 0) {
    add(png::kFirstBlockBit);
  }
  for (std::uint32_t i = first; i < count; i += gridDim.x * kHeaderThreads) {
    const std::uint32_t bit = job.candidates[i];
    const std::uint32_t data = png::read_code_lengths(job.words(), bit + png::kBlockHeaderBits, job.stream.end,
                                                      {entries + threadIdx.x, kHeaderThreads},
                                                      [](std::uint32_t, std::uint32_t, std::uint32_t) {});
    if (data != 0) {
      add(bit);
    }
  }
}

constexpr std::uint32_t kSortThreads = 1024;
constexpr std::uint32_t kKeysPerThread = png::kMaxSortedBlocks / kSortThreads;

/// One block. Sorts the blocks by their first bit. Thread → kKeysPerThread adjacent keys.
__global__ void __launch_bounds__(kSortThreads) sort_blocks(const __grid_constant__ PngDecoderJob job) {
  using Sort = cub::BlockRadixSort<std::uint32_t, kSortThreads, kKeysPerThread>;
  __shared__ typename Sort::TempStorage memory;
  const std::uint32_t most = job.lists.blocks - png::DecodeShape{}.more_rounds - 1;
  const std::uint32_t count = job.findings->begins;
  if (count > most) {
    if (threadIdx.x == 0) {
      atomicOr(&job.findings->defects, png::Defect::too_many_blocks);
    }
    return;
  }
  std::uint32_t keys[kKeysPerThread];
  for (std::uint32_t i = 0; i < kKeysPerThread; ++i) {
    const std::uint32_t place = threadIdx.x * kKeysPerThread + i;
    keys[i] = place < count ? job.begins[place] : png::kUnknown;
  }
  Sort(memory).Sort(keys);
  for (std::uint32_t i = 0; i < kKeysPerThread; ++i) {
    const std::uint32_t place = threadIdx.x * kKeysPerThread + i;
    if (place < count) {
      job.blocks[place].begin = keys[i];
    }
  }
  if (threadIdx.x == 0) {
    job.findings->sorted_blocks = job.findings->blocks = count;
    job.findings->chain.bit = png::kFirstBlockBit;
  }
}

}  // namespace

void gather_data(const Workspace& workspace, const PngDecoderJob& job) {
  constexpr int kBlocksPerSm = 6;
  constexpr png::CrcPowers kPowers = png::crc_powers();
  gather_pieces<<<block_count(workspace, job.piece_count, 1, kBlocksPerSm), kGatherThreads, 0, workspace.stream()>>>(
      job, kPowers);
  check_launch("joining a PNG's chunks");
  check_chunks<<<(job.chunk_count + kGatherThreads - 1) / kGatherThreads, kGatherThreads, 0, workspace.stream()>>>(
      job, kPowers);
  check_launch("checking a PNG's chunks");
}

void find_blocks(const Workspace& workspace, const PngDecoderJob& job) {
  constexpr int kBlocksPerSm = 8;
  const std::uint32_t words = (job.stream.end + 31) / 32;
  search_headers<<<block_count(workspace, words, kSearchWords, kBlocksPerSm), kSearchThreads, 0, workspace.stream()>>>(
      job);
  check_launch("searching a PNG's blocks");
  check_headers<<<block_count(workspace, job.lists.candidates, kHeaderThreads, kBlocksPerSm), kHeaderThreads, 0,
                  workspace.stream()>>>(job);
  check_launch("checking a PNG's blocks");
  sort_blocks<<<1, kSortThreads, 0, workspace.stream()>>>(job);
  check_launch("sorting a PNG's blocks");
}

}  // namespace gpuimg::cuda
