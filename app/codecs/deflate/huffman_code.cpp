// The two-queue method over sorted weights, with a heuristic limit on code lengths.
#include "codecs/deflate/huffman_code.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "codecs/deflate/rfc1951.hpp"

namespace gpuimg::codecs {
namespace {

using LengthCounts = std::array<std::uint32_t, kMaxCodeBits + 1>;

/// The symbols that occur, rarest first. A key is the count followed by the symbol, so the order is total.
struct Occurring {
  std::array<std::uint64_t, kFixedLiteralSymbols> keys;
  std::size_t size = 0;

  explicit Occurring(std::span<const std::uint32_t> counts) {
    for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) {
      keys[size] = std::uint64_t{counts[symbol]} << 16 | symbol;
      size += counts[symbol] != 0 ? 1 : 0;
    }
    std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(size));
  }

  [[nodiscard]] std::uint32_t count(std::size_t i) const { return static_cast<std::uint32_t>(keys[i] >> 16); }
  [[nodiscard]] std::size_t symbol(std::size_t i) const { return keys[i] & 0xFFFFU; }
};

/// How many codes of each length the Huffman tree has; longer ones count as `max_length`. In the arrays, the leaves
/// come first, rarest first. The inner nodes follow as they are created, which is in order of weight.
LengthCounts huffman_lengths(const Occurring& leaves, std::uint32_t max_length) {
  std::array<std::uint32_t, 2 * kFixedLiteralSymbols> weight{};
  std::array<std::uint16_t, 2 * kFixedLiteralSymbols> parent{};
  std::array<std::uint16_t, 2 * kFixedLiteralSymbols> depth{};
  for (std::size_t i = 0; i < leaves.size; ++i) {
    weight[i] = leaves.count(i);
  }
  std::size_t leaf = 0;
  std::size_t inner = leaves.size;
  const std::size_t root = 2 * leaves.size - 2;
  for (std::size_t node = leaves.size; node <= root; ++node) {
    for (int child = 0; child < 2; ++child) {
      const bool takes_leaf = leaf < leaves.size && (inner == node || weight[leaf] <= weight[inner]);
      const std::size_t lightest = takes_leaf ? leaf++ : inner++;
      weight[node] += weight[lightest];
      parent[lightest] = static_cast<std::uint16_t>(node);
    }
  }
  LengthCounts counts{};
  for (std::size_t node = root; node-- > 0;) {
    depth[node] = static_cast<std::uint16_t>(depth[parent[node]] + 1);
    if (node < leaves.size) {
      ++counts[std::min<std::size_t>(depth[node], max_length)];
    }
  }
  return counts;
}

/// Makes the code prefix-free again after lengths were cut to `max_length`: repeatedly lengthens a shorter code by a
/// bit and makes one of the longest codes its sibling.
void restore_prefix_code(LengthCounts& counts, std::uint32_t max_length) {
  std::uint64_t code_space = 0;
  for (std::uint32_t length = 1; length <= max_length; ++length) {
    code_space += std::uint64_t{counts[length]} << (max_length - length);
  }
  for (; code_space > std::uint64_t{1} << max_length; --code_space) {
    std::uint32_t shorter = max_length - 1;
    while (counts[shorter] == 0) {
      --shorter;
    }
    --counts[max_length];
    --counts[shorter];
    counts[shorter + 1] += 2;
  }
}

}  // namespace

void choose_code_lengths(std::span<const std::uint32_t> counts, std::uint32_t max_length,
                         std::span<std::uint8_t> lengths) {
  std::fill(lengths.begin(), lengths.end(), std::uint8_t{0});
  const Occurring leaves(counts);
  if (leaves.size <= 1) {
    for (std::size_t i = 0; i < leaves.size; ++i) {
      lengths[leaves.symbol(i)] = 1;
    }
    return;
  }
  LengthCounts of_length = huffman_lengths(leaves, max_length);
  restore_prefix_code(of_length, max_length);
  std::size_t next = 0;
  for (std::uint32_t length = max_length; length > 0; --length) {
    for (std::uint32_t i = 0; i < of_length[length]; ++i) {
      lengths[leaves.symbol(next++)] = static_cast<std::uint8_t>(length);
    }
  }
}

void assign_codes(std::span<const std::uint8_t> lengths, std::span<Bits> codes) {
  LengthCounts counts{};
  for (const std::uint8_t length : lengths) {
    ++counts[length];
  }
  counts[0] = 0;
  std::array<std::uint32_t, kMaxCodeBits + 1> next{};
  for (std::size_t length = 1; length < next.size(); ++length) {
    next[length] = (next[length - 1] + counts[length - 1]) << 1;
  }
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    const std::uint32_t length = lengths[symbol];
    codes[symbol] = length == 0 ? Bits{} : Bits{reversed_code(next[length]++, length), length};
  }
}

}  // namespace gpuimg::codecs
