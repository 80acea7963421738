// Sorts the symbols; the tree is that of gpuimg/png/huffman_tree.hpp.
#include "codecs/deflate/huffman_code.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "codecs/deflate/rfc1951.hpp"
#include "gpuimg/png/huffman_tree.hpp"

namespace gpuimg::codecs {
namespace {

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
  HuffmanTree<kFixedLiteralSymbols> tree;
  tree.leaves = static_cast<std::uint32_t>(leaves.size);
  for (std::size_t i = 0; i < leaves.size; ++i) {
    tree.weight[i] = leaves.count(i);
  }
  tree.join();
  LengthCounts of_length{};
  for (std::uint32_t leaf = 0; leaf < tree.leaves; ++leaf) {
    ++of_length.of[std::min(tree.leaf_depth(leaf), max_length)];
  }
  restore_prefix_code(of_length, max_length);
  std::size_t next = 0;
  for (std::uint32_t length = max_length; length > 0; --length) {
    for (std::uint32_t i = 0; i < of_length.of[length]; ++i) {
      lengths[leaves.symbol(next++)] = static_cast<std::uint8_t>(length);
    }
  }
}

void assign_codes(std::span<const std::uint8_t> lengths, std::span<Bits> codes) {
  png::assign_codes(lengths.data(), static_cast<std::uint32_t>(lengths.size()),
                    [&](std::uint32_t symbol, std::uint32_t code, std::uint32_t length) {
                      codes[symbol] = {code, length};
                    });
}

}  // namespace gpuimg::codecs
