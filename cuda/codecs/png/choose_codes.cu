// Chooses the form and the codes of each deflate block.
#include "codecs/png/png_job.cuh"
#include "device/cuda_check.hpp"
#include "gpuimg/png/deflate_block.hpp"
#include "gpuimg/png/huffman_tree.hpp"

namespace gpuimg::cuda {
namespace {

using png::kDistanceSymbols;
using png::kFixedLiteralSymbols;
using png::kLiteralSymbols;

constexpr std::uint32_t kThreads = 320;   ///< a symbol of either alphabet each
constexpr std::uint32_t kOtherWarp = 32;  ///< a thread that works on distances while thread 0 works on literals
static_assert(kThreads >= kLiteralSymbols + kDistanceSymbols);

/// One of the two codes of a block, in shared memory.
template <std::uint32_t kSymbols, std::uint32_t kMaxBits>
struct Alphabet {
  std::uint32_t counts[kSymbols];
  png::HuffmanTree<kSymbols> tree;
  png::LengthCounts of_length;
  std::uint8_t lengths[kFixedLiteralSymbols];

  /// Thread → symbol, if it has one.
  __device__ void clear(std::uint32_t symbol) {
    if (symbol == 0) {
      tree.leaves = 0;
    }
    if (symbol <= png::kMaxCodeBits) {
      of_length.of[symbol] = 0;
    }
  }
  /// Returns the rank of a symbol that occurs.
  __device__ std::uint32_t add_leaf(std::uint32_t symbol) {
    if (counts[symbol] == 0) {
      return 0;
    }
    const std::uint32_t rank = png::rank_of(counts, kSymbols, symbol);
    tree.weight[rank] = counts[symbol];
    atomicAdd(&tree.leaves, 1U);
    return rank;
  }
  /// One thread.
  __device__ void join() {
    if (tree.leaves > 1) {
      tree.join();
    }
  }
  __device__ void count_length(std::uint32_t leaf) {
    if (tree.leaves > 1 && leaf < tree.leaves) {
      atomicAdd(&of_length.of[min(tree.leaf_depth(leaf), kMaxBits)], 1U);
    }
  }
  /// One thread.
  __device__ void limit() {
    if (tree.leaves > 1) {
      png::restore_prefix_code(of_length, kMaxBits);
    }
  }
  __device__ void set_length(std::uint32_t symbol, std::uint32_t rank) {
    const std::uint32_t length = tree.leaves == 1 ? 1 : png::length_of_rank(of_length, kMaxBits, rank);
    lengths[symbol] = static_cast<std::uint8_t>(counts[symbol] == 0 ? 0 : length);
  }
};

struct SharedBlock {
  Alphabet<kLiteralSymbols, png::kMaxLiteralCodeBits> literals;
  Alphabet<kDistanceSymbols, png::kMaxCodeBits> distances;
  std::uint32_t own_bits;    ///< of all symbols
  std::uint32_t fixed_bits;  ///< the same with the fixed codes
  std::uint32_t part_bits[png::kPartsPerBlock];
  png::BlockType type;
};

/// Thread 0 writes a block's first bits.
__device__ void write_header(png::BlockCodes& codes, const png::DynamicHeader& header, bool is_last) {
  for (std::uint32_t& word : codes.header) {
    word = 0;
  }
  const auto add_word = [&](std::uint64_t index, std::uint32_t word) { codes.header[index] = word; };
  png::LowFirstPacker packer(0, add_word);
  packer.put(png::block_header(codes.type, is_last), png::kBlockHeaderBits);
  codes.header_bits = png::kBlockHeaderBits;
  if (codes.type == png::BlockType::dynamic) {
    header.write([&](std::uint32_t bits, std::uint32_t count) { packer.put(bits, count); });
    codes.header_bits += header.bits();
  }
  packer.finish();
}

/// Block → deflate block; thread → symbol, first the literals and lengths, then the distances. What is sequential one
/// thread does for each alphabet. The barriers are between the steps.
__global__ void __launch_bounds__(kThreads) choose_block(const PngJob job) {
  __shared__ SharedBlock shared;
  const std::uint32_t strip = blockIdx.x / job.layout.blocks_per_strip;
  const std::uint32_t within = blockIdx.x % job.layout.blocks_per_strip;
  const std::uint32_t first_part = strip * job.layout.parts_per_strip + within * png::kPartsPerBlock;
  const std::uint32_t parts = job.layout.parts_of_block(within);
  const png::PartPlace place = job.layout.part(first_part);
  if (place.block_begin >= place.block_end) {
    return;
  }
  const std::uint32_t thread = threadIdx.x;
  const bool is_literal = thread < kLiteralSymbols;
  const bool is_distance = !is_literal && thread < kLiteralSymbols + kDistanceSymbols;
  const std::uint32_t symbol = is_literal ? thread : thread - kLiteralSymbols;
  const auto count_in = [&](std::uint32_t part) {
    const PartCounts& counts = job.counts[first_part + part];
    return is_literal ? counts.literals[symbol] : counts.distances[symbol];
  };
  if (thread == 0) {
    shared.own_bits = 0;
    shared.fixed_bits = 0;
  }
  if (thread < png::kPartsPerBlock) {
    shared.part_bits[thread] = 0;
  }
  if (is_literal || is_distance) {
    std::uint32_t count = is_literal && symbol == png::kEndOfBlock ? 1 : 0;
    for (std::uint32_t part = 0; part < parts; ++part) {
      count += count_in(part);
    }
    (is_literal ? shared.literals.counts : shared.distances.counts)[symbol] = count;
  }
  if (is_literal) {
    shared.literals.clear(symbol);
  } else {
    shared.distances.clear(symbol);
  }
  __syncthreads();
  const std::uint32_t rank = is_literal    ? shared.literals.add_leaf(symbol)
                             : is_distance ? shared.distances.add_leaf(symbol)
                                           : 0U;
  __syncthreads();
  if (thread == 0) {
    shared.literals.join();
  } else if (thread == kOtherWarp) {
    shared.distances.join();
  }
  __syncthreads();
  shared.literals.count_length(thread);
  shared.distances.count_length(thread);
  __syncthreads();
  if (thread == 0) {
    shared.literals.limit();
  } else if (thread == kOtherWarp) {
    shared.distances.limit();
  }
  __syncthreads();
  if (is_literal) {
    shared.literals.set_length(symbol, rank);
  } else if (is_distance) {
    shared.distances.set_length(symbol, rank);
  }
  __syncthreads();
  const std::uint32_t extra = is_literal ? png::literal_extra_bits(symbol) : png::distance_extra_bits(symbol);
  const std::uint32_t fixed_length = is_literal ? png::fixed_literal_length(symbol) : png::kFixedDistanceLength;
  if (is_literal || is_distance) {
    const std::uint32_t count = (is_literal ? shared.literals.counts : shared.distances.counts)[symbol];
    const std::uint32_t length = (is_literal ? shared.literals.lengths : shared.distances.lengths)[symbol];
    if (count > 0) {
      atomicAdd(&shared.own_bits, count * (length + extra));
      atomicAdd(&shared.fixed_bits, count * (fixed_length + extra));
    }
  }
  __syncthreads();
  png::BlockCodes& codes = job.blocks[blockIdx.x];
  if (thread == 0) {
    const png::DynamicHeader header(shared.literals.lengths, shared.distances.lengths);
    const std::uint32_t dynamic_bits = header.bits() + shared.own_bits;
    shared.type = png::choose_block_type(place.block_end - place.block_begin, dynamic_bits, shared.fixed_bits);
    codes.type = shared.type;
    const bool is_last = strip + 1 == job.layout.strips && place.block_end == job.layout.strip_bytes(strip);
    write_header(codes, header, is_last);
    const std::uint32_t symbol_bits = shared.type == png::BlockType::fixed ? shared.fixed_bits : shared.own_bits;
    codes.bits = shared.type == png::BlockType::stored ? 0 : codes.header_bits + symbol_bits;
  }
  __syncthreads();
  if (shared.type == png::BlockType::fixed) {
    if (thread < kFixedLiteralSymbols) {
      shared.literals.lengths[thread] = png::fixed_literal_length(thread);
    }
    if (thread < kDistanceSymbols) {
      shared.distances.lengths[thread] = png::kFixedDistanceLength;
    }
  }
  __syncthreads();
  if (is_literal || is_distance) {
    const std::uint32_t length = (is_literal ? shared.literals.lengths : shared.distances.lengths)[symbol];
    for (std::uint32_t part = 0; part < parts; ++part) {
      if (const std::uint32_t count = count_in(part); count > 0) {
        atomicAdd(&shared.part_bits[part], count * (length + extra));
      }
    }
  }
  const auto assign = [](const auto& alphabet, std::uint32_t symbols, std::uint32_t used, png::SymbolCode* to) {
    png::assign_codes(alphabet.lengths, symbols, [&](std::uint32_t i, std::uint32_t code, std::uint32_t length) {
      if (i < used) {
        to[i] = png::SymbolCode::of(code, length);
      }
    });
  };
  if (thread == 0) {
    const bool is_fixed = shared.type == png::BlockType::fixed;
    assign(shared.literals, is_fixed ? kFixedLiteralSymbols : kLiteralSymbols, kLiteralSymbols, codes.literals);
  } else if (thread == kOtherWarp) {
    assign(shared.distances, kDistanceSymbols, kDistanceSymbols, codes.distances);
  }
  __syncthreads();
  if (thread < parts) {
    job.part_bits[first_part + thread] = shared.part_bits[thread];
  }
}

}  // namespace

void choose_codes(const Workspace& workspace, const PngJob& job) {
  choose_block<<<job.layout.block_count(), kThreads, 0, workspace.stream()>>>(job);
  check_launch("choosing a PNG's codes");
}

}  // namespace gpuimg::cuda
