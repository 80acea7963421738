// Huffman's tree over sorted weights, in two queues: app/codecs/deflate/huffman_code.hpp.
#include "codecs/deflate/huffman_code.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace gpuimg {
namespace {

constexpr std::size_t kLongestCode = 15;

using LengthCounts = std::array<std::uint32_t, kLongestCode + 1>;

/// Symbols that occur, the rarest first. A key holds a count and, below it, the symbol, so that equal counts have an
/// order too.
struct Occurring {
  std::array<std::uint64_t, kMostSymbols> keys;
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

/// How many codes of each length Huffman's tree has, those longer than `longest` counted as that long. Leaves stand
/// first in the arrays, rarest first; each pair that is joined becomes the next node behind them, and these are in
/// order of weight by themselves.
LengthCounts huffman_lengths(const Occurring& leaves, std::uint32_t longest) {
  std::array<std::uint32_t, 2 * kMostSymbols> weight{};
  std::array<std::uint16_t, 2 * kMostSymbols> parent{};
  std::array<std::uint16_t, 2 * kMostSymbols> depth{};
  for (std::size_t i = 0; i < leaves.size; ++i) {
    weight[i] = leaves.count(i);
  }
  std::size_t leaf = 0;
  std::size_t joined = leaves.size;
  const std::size_t root = 2 * leaves.size - 2;
  for (std::size_t node = leaves.size; node <= root; ++node) {
    for (int child = 0; child < 2; ++child) {
      const bool takes_leaf = leaf < leaves.size && (joined == node || weight[leaf] <= weight[joined]);
      const std::size_t lightest = takes_leaf ? leaf++ : joined++;
      weight[node] += weight[lightest];
      parent[lightest] = static_cast<std::uint16_t>(node);
    }
  }
  LengthCounts counts{};
  for (std::size_t node = root; node-- > 0;) {
    depth[node] = static_cast<std::uint16_t>(depth[parent[node]] + 1);
    if (node < leaves.size) {
      ++counts[std::min<std::size_t>(depth[node], longest)];
    }
  }
  return counts;
}

/// Takes back what cutting codes to `longest` bits claimed too much: one of the longest codes moves beside a shorter
/// one, which grows by a bit, until the codes fit.
void make_room(LengthCounts& counts, std::uint32_t longest) {
  std::uint64_t claimed = 0;
  for (std::uint32_t length = 1; length <= longest; ++length) {
    claimed += std::uint64_t{counts[length]} << (longest - length);
  }
  for (; claimed > std::uint64_t{1} << longest; --claimed) {
    std::uint32_t shorter = longest - 1;
    while (counts[shorter] == 0) {
      --shorter;
    }
    --counts[longest];
    --counts[shorter];
    counts[shorter + 1] += 2;
  }
}

/// Deflate writes codes from their first bit on.
constexpr std::uint64_t reversed(std::uint32_t code, std::uint32_t length) {
  std::uint64_t result = 0;
  for (std::uint32_t bit = 0; bit < length; ++bit) {
    result = result << 1 | (code >> bit & 1U);
  }
  return result;
}

}  // namespace

void choose_code_lengths(std::span<const std::uint32_t> counts, std::uint32_t longest,
                         std::span<std::uint8_t> lengths) {
  std::fill(lengths.begin(), lengths.end(), std::uint8_t{0});
  const Occurring leaves(counts);
  if (leaves.size <= 1) {
    for (std::size_t i = 0; i < leaves.size; ++i) {
      lengths[leaves.symbol(i)] = 1;
    }
    return;
  }
  LengthCounts of_length = huffman_lengths(leaves, longest);
  make_room(of_length, longest);
  std::size_t next = 0;
  for (std::uint32_t length = longest; length > 0; --length) {
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
  std::array<std::uint32_t, kLongestCode + 1> next{};
  for (std::size_t length = 1; length < next.size(); ++length) {
    next[length] = (next[length - 1] + counts[length - 1]) << 1;
  }
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    const std::uint32_t length = lengths[symbol];
    codes[symbol] = length == 0 ? Bits{} : Bits{reversed(next[length]++, length), length};
  }
}

}  // namespace gpuimg
