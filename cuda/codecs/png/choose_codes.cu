// Chooses the type and the codes of each deflate block.
#include <cub/block/block_scan.cuh>

#include "codecs/png/png_job.cuh"
#include "device/cuda_check.hpp"
#include "png/deflate.hpp"

namespace gpuimg::cuda {
namespace {

using png::BlockCodes;
using png::DynamicHeader;
using png::kCodeLengthSymbols;
using png::kDistanceSymbols;
using png::kFixedLiteralSymbols;
using png::kLiteralSymbols;
using png::SymbolCode;

constexpr std::uint32_t kThreads = 320;  ///< one per symbol of both large alphabets, or per item of the header
static_assert(kThreads >= kLiteralSymbols + kDistanceSymbols && kThreads % 32 == 0);

using Scan = cub::BlockScan<std::uint32_t, kThreads>;

/// One of the codes of a block, in shared memory. Thread → symbol; all threads must make every call. Barriers separate
/// the steps and follow the last step.
template <std::uint32_t kSymbols, std::uint32_t kMaxBits>
struct Alphabet {
  std::uint32_t counts[kSymbols];  ///< complete before the first call
  png::HuffmanTree<kSymbols> tree;
  png::LengthCounts of_length;
  std::uint8_t lengths[kFixedLiteralSymbols];

  __device__ void choose_lengths() {
    const std::uint32_t symbol = threadIdx.x;
    const bool occurs = symbol < kSymbols && counts[symbol] != 0;
    if (symbol == 0) {
      tree.leaves = 0;
    }
    clear_length_counts();
    std::uint32_t rank = 0;
    if (occurs) {
      rank = png::rank_of(counts, kSymbols, symbol);
      tree.weight[rank] = counts[symbol];
      atomicAdd(&tree.leaves, 1U);
    }
    __syncthreads();
    const bool is_tree = tree.leaves > 1;
    if (is_tree && symbol == 0) {
      tree.join();
    }
    __syncthreads();
    if (is_tree && symbol < tree.leaves) {
      atomicAdd(&of_length.of[min(tree.leaf_depth(symbol), kMaxBits)], 1U);
    }
    __syncthreads();
    if (is_tree && symbol == 0) {
      png::restore_prefix_code(of_length, kMaxBits);
    }
    __syncthreads();
    if (symbol < kSymbols) {
      const std::uint32_t length = is_tree ? png::length_of_rank(of_length, kMaxBits, rank) : 1;
      lengths[symbol] = static_cast<std::uint8_t>(occurs ? length : 0);
    }
    __syncthreads();
  }

  /// Calls put(symbol, code, length) for each symbol, with the code that the first `used` lengths define. Code and
  /// length are 0 for a symbol that does not occur.
  template <class Put>
  __device__ void assign_codes(std::uint32_t used, const Put& put) {
    const std::uint32_t symbol = threadIdx.x;
    const std::uint32_t length = symbol < used ? lengths[symbol] : 0;
    clear_length_counts();
    if (length != 0) {
      atomicAdd(&of_length.of[length], 1U);
    }
    __syncthreads();
    if (symbol < kSymbols) {
      put(symbol, length == 0 ? 0 : png::canonical_code(lengths, of_length, symbol), length);
    }
    __syncthreads();
  }

 private:
  __device__ void clear_length_counts() {
    if (threadIdx.x <= png::kMaxCodeBits) {
      of_length.of[threadIdx.x] = 0;
    }
    __syncthreads();
  }
};

struct SharedBlock {
  Alphabet<kLiteralSymbols, png::kMaxLiteralCodeBits> literals;
  Alphabet<kDistanceSymbols, png::kMaxCodeBits> distances;
  Alphabet<kCodeLengthSymbols, png::kMaxCodeLengthBits> code_lengths;
  DynamicHeader header;
  std::uint32_t codes_of_lengths[kCodeLengthSymbols];
  std::uint32_t header_words[BlockCodes::kHeaderWords];
  typename Scan::TempStorage scan;
  std::uint32_t own_bits;    ///< length of all symbols with the block's own codes
  std::uint32_t fixed_bits;  ///< length of all symbols with the fixed codes
  std::uint32_t part_bits[png::kPartsPerBlock];
  png::BlockType type;
};

/// Bits of the header's items before this thread's item, and of all items.
struct ItemPlace {
  std::uint32_t before;
  std::uint32_t total;
};

/// Call from all threads. Barriers separate the steps.
__device__ ItemPlace make_header(SharedBlock& shared) {
  const std::uint32_t thread = threadIdx.x;
  if (thread == 0) {
    shared.header.encode_runs(shared.literals.lengths, shared.distances.lengths);
  }
  if (thread < kCodeLengthSymbols) {
    shared.code_lengths.counts[thread] = 0;
  }
  __syncthreads();
  const bool has_item = thread < shared.header.item_count;
  if (has_item) {
    atomicAdd(&shared.code_lengths.counts[shared.header.items[thread].symbol], 1U);
  }
  __syncthreads();
  shared.code_lengths.choose_lengths();
  if (thread < kCodeLengthSymbols) {
    shared.header.lengths[thread] = shared.code_lengths.lengths[thread];
  }
  __syncthreads();
  if (thread == 0) {
    shared.header.drop_unused_lengths();
  }
  ItemPlace item{};
  Scan(shared.scan).ExclusiveSum(has_item ? shared.header.item_bits(thread) : 0, item.before, item.total);
  __syncthreads();
  return item;
}

/// Writes a block's first bits, first to shared memory, then to `codes`. Call from all threads.
__device__ void write_header(SharedBlock& shared, const ItemPlace& item, bool is_last, BlockCodes& codes) {
  const std::uint32_t thread = threadIdx.x;
  const bool is_dynamic = shared.type == png::BlockType::dynamic;
  for (std::uint32_t i = thread; i < BlockCodes::kHeaderWords; i += kThreads) {
    shared.header_words[i] = 0;
  }
  shared.code_lengths.assign_codes(kCodeLengthSymbols, [&](std::uint32_t symbol, std::uint32_t code, std::uint32_t) {
    shared.codes_of_lengths[symbol] = code;
  });
  const auto add_word = [&](std::uint64_t index, std::uint32_t word) { atomicOr(&shared.header_words[index], word); };
  if (thread == 0) {
    png::LowFirstPacker packer(0, add_word);
    const auto put = [&](std::uint32_t bits, std::uint32_t count) { packer.put(bits, count); };
    put(png::block_header(shared.type, is_last), png::kBlockHeaderBits);
    if (is_dynamic) {
      shared.header.write_before_items(put);
    }
    packer.finish();
  }
  if (is_dynamic && thread < shared.header.item_count) {
    const std::uint32_t code = shared.codes_of_lengths[shared.header.items[thread].symbol];
    png::LowFirstPacker packer(png::kBlockHeaderBits + shared.header.bits_before_items() + item.before, add_word);
    packer.put(shared.header.item(thread, code), shared.header.item_bits(thread));
    packer.finish();
  }
  __syncthreads();
  for (std::uint32_t i = thread; i < BlockCodes::kHeaderWords; i += kThreads) {
    codes.header[i] = shared.header_words[i];
  }
}

/// Block → deflate block; thread → symbol, first the literals and lengths, then the distances. Barriers separate the
/// steps.
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
  __syncthreads();
  shared.literals.choose_lengths();
  shared.distances.choose_lengths();
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
  const ItemPlace item = make_header(shared);
  BlockCodes& codes = job.blocks[blockIdx.x];
  const bool is_last = strip + 1 == job.layout.strips && place.block_end == job.layout.strip_bytes(strip);
  if (thread == 0) {
    const std::uint32_t own_header_bits = shared.header.bits_before_items() + item.total;
    shared.type = png::choose_block_type(place.block_end - place.block_begin, own_header_bits + shared.own_bits,
                                         shared.fixed_bits);
    const bool is_dynamic = shared.type == png::BlockType::dynamic;
    const std::uint32_t symbol_bits = shared.type == png::BlockType::fixed ? shared.fixed_bits : shared.own_bits;
    codes.type = shared.type;
    codes.header_bits = png::kBlockHeaderBits + (is_dynamic ? own_header_bits : 0);
    codes.bits = shared.type == png::BlockType::stored ? 0 : codes.header_bits + symbol_bits;
  }
  __syncthreads();
  write_header(shared, item, is_last, codes);
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
  const auto put_to = [](SymbolCode* to) {
    return [to](std::uint32_t i, std::uint32_t code, std::uint32_t length) { to[i] = SymbolCode::of(code, length); };
  };
  shared.literals.assign_codes(shared.type == png::BlockType::fixed ? kFixedLiteralSymbols : kLiteralSymbols,
                               put_to(codes.literals));
  shared.distances.assign_codes(kDistanceSymbols, put_to(codes.distances));
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
