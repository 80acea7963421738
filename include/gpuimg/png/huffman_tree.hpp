// Huffman codes of limited length from symbol counts, and canonical codes. RFC 1951, section 3.2.2.
#pragma once

#include <cstdint>

#include "gpuimg/host_device.hpp"
#include "gpuimg/png/deflate_format.hpp"

namespace gpuimg::png {

/// The tree over at most kMaxLeaves symbols. In the arrays the leaves come first, rarest first. The inner nodes follow
/// as they are created, which is in order of weight.
template <std::uint32_t kMaxLeaves>
struct HuffmanTree {
  std::uint32_t leaves;
  std::uint32_t weight[2 * kMaxLeaves];  ///< the caller sets those of the leaves
  std::uint16_t parent[2 * kMaxLeaves];

  [[nodiscard]] GPUIMG_HD std::uint32_t root() const { return 2 * leaves - 2; }
  [[nodiscard]] GPUIMG_HD std::uint32_t leaf_depth(std::uint32_t leaf) const {
    std::uint32_t depth = 0;
    for (std::uint32_t node = leaf; node != root(); node = parent[node]) {
      ++depth;
    }
    return depth;
  }

  /// Creates the inner nodes: the two-queue method. Requires two leaves or more.
  GPUIMG_HD void join() {
    std::uint32_t leaf = 0;
    std::uint32_t inner = leaves;
    for (std::uint32_t node = leaves; node <= root(); ++node) {
      std::uint32_t sum = 0;
      for (int child = 0; child < 2; ++child) {
        const bool takes_leaf = leaf < leaves && (inner == node || weight[leaf] <= weight[inner]);
        const std::uint32_t lightest = takes_leaf ? leaf++ : inner++;
        sum += weight[lightest];
        parent[lightest] = static_cast<std::uint16_t>(node);
      }
      weight[node] = sum;
    }
  }
};

/// How many codes there are of each length.
struct LengthCounts {
  std::uint32_t of[kMaxCodeBits + 1];
};

/// Makes the code prefix-free again after lengths were cut to `max_length`: repeatedly lengthens a shorter code by a
/// bit and makes one of the longest codes its sibling.
GPUIMG_HD inline void restore_prefix_code(LengthCounts& counts, std::uint32_t max_length) {
  std::uint64_t code_space = 0;
  for (std::uint32_t length = 1; length <= max_length; ++length) {
    code_space += static_cast<std::uint64_t>(counts.of[length]) << (max_length - length);
  }
  for (; code_space > std::uint64_t{1} << max_length; --code_space) {
    std::uint32_t shorter = max_length - 1;
    while (counts.of[shorter] == 0) {
      --shorter;
    }
    --counts.of[max_length];
    --counts.of[shorter];
    counts.of[shorter + 1] += 2;
  }
}

/// The code length of the leaf of that rank: the rarest get the longest.
GPUIMG_HD inline std::uint32_t length_of_rank(const LengthCounts& counts, std::uint32_t max_length,
                                              std::uint32_t rank) {
  std::uint32_t length = max_length;
  for (std::uint32_t end = counts.of[length]; rank >= end && length > 1; end += counts.of[length]) {
    --length;
  }
  return length;
}

/// How many of the symbols that occur come before this one, which occurs: rarer ones, and of those that are as rare
/// the lower ones.
GPUIMG_HD inline std::uint32_t rank_of(const std::uint32_t* counts, std::uint32_t symbols, std::uint32_t symbol) {
  const std::uint32_t count = counts[symbol];
  std::uint32_t rank = 0;
  for (std::uint32_t other = 0; other < symbols; ++other) {
    const std::uint32_t occurs = counts[other];
    rank += occurs != 0 && (occurs < count || (occurs == count && other < symbol)) ? 1U : 0U;
  }
  return rank;
}

/// The lengths of few symbols, one after another. Otherwise as codecs::choose_code_lengths.
template <std::uint32_t kSymbols>
GPUIMG_HD inline void choose_lengths(const std::uint32_t* counts, std::uint32_t max_length, std::uint8_t* lengths) {
  HuffmanTree<kSymbols> tree;
  tree.leaves = 0;
  LengthCounts of_length{};
  std::uint8_t ranks[kSymbols];
  for (std::uint32_t symbol = 0; symbol < kSymbols; ++symbol) {
    lengths[symbol] = 0;
    if (counts[symbol] != 0) {
      ranks[symbol] = static_cast<std::uint8_t>(rank_of(counts, kSymbols, symbol));
      tree.weight[ranks[symbol]] = counts[symbol];
      ++tree.leaves;
    }
  }
  if (tree.leaves > 1) {
    tree.join();
    for (std::uint32_t leaf = 0; leaf < tree.leaves; ++leaf) {
      const std::uint32_t depth = tree.leaf_depth(leaf);
      ++of_length.of[depth < max_length ? depth : max_length];
    }
    restore_prefix_code(of_length, max_length);
  }
  for (std::uint32_t symbol = 0; symbol < kSymbols; ++symbol) {
    if (counts[symbol] != 0) {
      lengths[symbol] =
          static_cast<std::uint8_t>(tree.leaves == 1 ? 1 : length_of_rank(of_length, max_length, ranks[symbol]));
    }
  }
}

/// Calls put(symbol, code, length) with the canonical code of each symbol, in the bit order in which it is written;
/// code and length are 0 for symbols that do not occur.
template <class Put>
GPUIMG_HD inline void assign_codes(const std::uint8_t* lengths, std::uint32_t symbols, Put&& put) {
  std::uint32_t next[kMaxCodeBits + 1] = {};
  for (std::uint32_t symbol = 0; symbol < symbols; ++symbol) {
    ++next[lengths[symbol]];
  }
  std::uint32_t first = 0;
  next[0] = 0;
  std::uint32_t before = 0;
  for (std::uint32_t length = 1; length <= kMaxCodeBits; ++length) {
    first = (first + before) << 1;
    before = next[length];
    next[length] = first;
  }
  for (std::uint32_t symbol = 0; symbol < symbols; ++symbol) {
    const std::uint32_t length = lengths[symbol];
    put(symbol, length == 0 ? 0U : reversed_code(next[length]++, length), length);
  }
}

/// The same code, of one symbol that occurs. `of_length` counts the symbols that have a code of each length.
GPUIMG_HD inline std::uint32_t canonical_code(const std::uint8_t* lengths, const LengthCounts& of_length,
                                              std::uint32_t symbol) {
  const std::uint32_t length = lengths[symbol];
  std::uint32_t code = 0;  // the first of that length
  for (std::uint32_t shorter = 1; shorter < length; ++shorter) {
    code = (code + of_length.of[shorter]) << 1;
  }
  for (std::uint32_t lower = 0; lower < symbol; ++lower) {
    code += lengths[lower] == length ? 1U : 0U;
  }
  return reversed_code(code, length);
}

}  // namespace gpuimg::png
