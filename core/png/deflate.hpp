// Code that the deflate encoders of the host and the devices share: alphabets, Huffman codes of limited length, the
// header of a dynamic block, and the choice of a block's type. RFC 1951, section 3.2.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host_device.hpp"

namespace gpuimg::png {

// --- Alphabets, and how values become symbols ------------------------------------------------------------------------

enum class BlockType : std::uint8_t { stored = 0, fixed = 1, dynamic = 2 };

constexpr std::size_t kMaxStoredBytes = 65535;  ///< limit of one stored block

constexpr std::uint32_t kMinMatchLength = 3;
constexpr std::uint32_t kMaxMatchLength = 258;
constexpr std::uint32_t kMaxMatchDistance = 32768;

constexpr std::uint32_t kEndOfBlock = 256;
constexpr std::uint32_t kFirstLengthSymbol = kEndOfBlock + 1;
constexpr std::size_t kLiteralSymbols = 286;  ///< literals, end of block, match lengths
constexpr std::size_t kDistanceSymbols = 30;
constexpr std::size_t kCodeLengthSymbols = 19;

/// The fixed codes also have symbols that must not occur in a stream.
constexpr std::size_t kFixedLiteralSymbols = 288;
constexpr std::size_t kFixedDistanceSymbols = 32;

constexpr std::uint32_t kMaxCodeBits = 15;       ///< of a literal/length or distance code
constexpr std::uint32_t kMaxCodeLengthBits = 7;  ///< of a code for code lengths
constexpr std::uint32_t kMaxDistanceExtraBits = 13;
constexpr std::uint32_t kBlockHeaderBits = 3;

/// Section 3.2.6.
GPUIMG_HD constexpr std::uint8_t fixed_literal_length(std::uint32_t symbol) {
  return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}
constexpr std::uint8_t kFixedDistanceLength = 5;

/// Code lengths are themselves encoded: symbols 0 to 15 are lengths, and these three symbols are runs.
constexpr std::uint8_t kRepeatPrevious = 16;
constexpr std::uint8_t kShortZeroRun = 17;
constexpr std::uint8_t kLongZeroRun = 18;

/// The symbol whose code length is number `i` in the header of a dynamic block.
GPUIMG_HD constexpr std::uint8_t code_length_order(std::uint32_t i) {
  constexpr std::uint8_t kOrder[kCodeLengthSymbols] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                       11, 4,  12, 3, 13, 2, 14, 1, 15};
  return kOrder[i];
}

/// An encoded value: its symbol, followed by `extra` in `extra_bits` bits.
struct CodedValue {
  std::uint32_t symbol = 0;
  std::uint32_t extra_bits = 0;
  std::uint32_t extra = 0;
};

/// Symbols form groups of 2^group_bits. From the third group on, each group has one more extra bit than the one before.
GPUIMG_HD inline CodedValue coded_value(std::uint32_t value, std::uint32_t group_bits) {
  const std::uint32_t extra_bits = bit_width(value | 1U << group_bits) - 1 - group_bits;
  return {(extra_bits << group_bits) + (value >> extra_bits), extra_bits, value & ((1U << extra_bits) - 1)};
}

/// Lengths 3 … 258 become symbols 257 … 285. The longest length has its own symbol, without extra bits.
GPUIMG_HD inline CodedValue coded_length(std::uint32_t length) {
  CodedValue coded = length == kMaxMatchLength ? CodedValue{kLiteralSymbols - 1 - kFirstLengthSymbol}
                                               : coded_value(length - kMinMatchLength, 2);
  coded.symbol += kFirstLengthSymbol;
  return coded;
}

/// Distances 1 … 32768 become symbols 0 … 29.
GPUIMG_HD inline CodedValue coded_distance(std::uint32_t distance) { return coded_value(distance - 1, 1); }

/// Extra bits of a symbol of the literal/length alphabet; 0 for literals and the end of a block.
GPUIMG_HD constexpr std::uint32_t literal_extra_bits(std::uint32_t symbol) {
  return symbol < kFirstLengthSymbol + 8 || symbol == kLiteralSymbols - 1 ? 0 : (symbol - kFirstLengthSymbol) / 4 - 1;
}

GPUIMG_HD constexpr std::uint32_t distance_extra_bits(std::uint32_t symbol) { return symbol < 4 ? 0 : symbol / 2 - 1; }

/// Huffman codes are packed starting with their most significant bit, all other values starting with their least
/// significant bit. `length` is 1 to 16.
GPUIMG_HD constexpr std::uint32_t reversed_code(std::uint32_t code, std::uint32_t length) {
  code = (code & 0x5555U) << 1 | (code >> 1 & 0x5555U);
  code = (code & 0x3333U) << 2 | (code >> 2 & 0x3333U);
  code = (code & 0x0F0FU) << 4 | (code >> 4 & 0x0F0FU);
  code = (code & 0x00FFU) << 8 | code >> 8;
  return code >> (16 - length);
}

// --- Huffman codes from symbol counts, and canonical codes: section 3.2.2 --------------------------------------------

/// The Huffman tree over at most kMaxLeaves symbols. In the arrays, the leaves come first, rarest first. The inner
/// nodes follow in the order of their creation, which is also the order of their weights.
template <std::uint32_t kMaxLeaves>
struct HuffmanTree {
  std::uint32_t leaves;
  std::uint32_t weight[2 * kMaxLeaves];  ///< the caller sets the weights of the leaves
  std::uint16_t parent[2 * kMaxLeaves];

  [[nodiscard]] GPUIMG_HD std::uint32_t root() const { return 2 * leaves - 2; }
  [[nodiscard]] GPUIMG_HD std::uint32_t leaf_depth(std::uint32_t leaf) const {
    std::uint32_t depth = 0;
    for (std::uint32_t node = leaf; node != root(); node = parent[node]) {
      ++depth;
    }
    return depth;
  }

  /// Creates the inner nodes by the two-queue method. Requires at least two leaves.
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

/// Number of codes of each length.
struct LengthCounts {
  std::uint32_t of[kMaxCodeBits + 1];
};

/// Makes the code prefix-free again after lengths were cut to `max_length`. Repeatedly lengthens a shorter code by one
/// bit, and makes one of the longest codes its sibling.
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

/// The code length of the leaf with this rank. The rarest symbols get the longest codes.
GPUIMG_HD inline std::uint32_t length_of_rank(const LengthCounts& counts, std::uint32_t max_length,
                                              std::uint32_t rank) {
  std::uint32_t length = max_length;
  for (std::uint32_t end = counts.of[length]; rank >= end && length > 1; end += counts.of[length]) {
    --length;
  }
  return length;
}

/// The rank of a symbol that occurs: the number of symbols that are rarer, or equally rare and lower.
GPUIMG_HD inline std::uint32_t rank_of(const std::uint32_t* counts, std::uint32_t symbols, std::uint32_t symbol) {
  const std::uint32_t count = counts[symbol];
  std::uint32_t rank = 0;
  for (std::uint32_t other = 0; other < symbols; ++other) {
    const std::uint32_t occurs = counts[other];
    rank += occurs != 0 && (occurs < count || (occurs == count && other < symbol)) ? 1U : 0U;
  }
  return rank;
}

/// Chooses the code lengths of a small alphabet, in a single thread. Gives the same result as
/// codecs::choose_code_lengths.
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

/// Calls put(symbol, code, length) for each symbol with its canonical code, in the bit order of the stream. Code and
/// length are 0 for symbols that do not occur.
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

/// The canonical code of a single symbol that occurs. `of_length` counts the symbols of each code length.
GPUIMG_HD inline std::uint32_t canonical_code(const std::uint8_t* lengths, const LengthCounts& of_length,
                                              std::uint32_t symbol) {
  const std::uint32_t length = lengths[symbol];
  std::uint32_t code = 0;  // the first code of that length
  for (std::uint32_t shorter = 1; shorter < length; ++shorter) {
    code = (code + of_length.of[shorter]) << 1;
  }
  for (std::uint32_t lower = 0; lower < symbol; ++lower) {
    code += lengths[lower] == length ? 1U : 0U;
  }
  return reversed_code(code, length);
}

// --- The header of a dynamic block, and the sizes of blocks: sections 3.2.3 to 3.2.7 ---------------------------------

/// The limit for codes of literals, the end of a block and match lengths, because the host's encoder writes four
/// literals at once.
constexpr std::uint32_t kMaxLiteralCodeBits = 14;

/// The code lengths at the beginning of a dynamic block: run-length encoded, then Huffman coded. Section 3.2.7.
struct DynamicHeader {
  struct Item {
    std::uint8_t symbol;
    std::uint8_t extra;
  };

  std::uint32_t literals;        ///< number of stored lengths of the literal/length alphabet
  std::uint32_t distances;       ///< number of stored lengths of the distance alphabet
  std::uint32_t stated_lengths;  ///< number of stored lengths of the code for code lengths
  std::uint32_t item_count;
  Item items[kLiteralSymbols + kDistanceSymbols];
  std::uint8_t lengths[kCodeLengthSymbols];

  GPUIMG_HD DynamicHeader(const std::uint8_t* literal_lengths, const std::uint8_t* distance_lengths) {
    encode_runs(literal_lengths, distance_lengths);
    std::uint32_t counts[kCodeLengthSymbols] = {};
    for (std::uint32_t i = 0; i < item_count; ++i) {
      ++counts[items[i].symbol];
    }
    choose_lengths<kCodeLengthSymbols>(counts, kMaxCodeLengthBits, lengths);
    drop_unused_lengths();
  }

  /// For callers that run the constructor's steps themselves: encode_runs, `lengths`, drop_unused_lengths.
  DynamicHeader() = default;

  GPUIMG_HD void encode_runs(const std::uint8_t* literal_lengths, const std::uint8_t* distance_lengths) {
    literals = used(literal_lengths, kFirstLengthSymbol, kLiteralSymbols);
    distances = used(distance_lengths, 1, kDistanceSymbols);
    item_count = 0;
    const auto length_at = [&](std::uint32_t i) {
      return i < literals ? literal_lengths[i] : distance_lengths[i - literals];
    };
    const std::uint32_t count = literals + distances;
    for (std::uint32_t i = 0; i < count;) {
      const std::uint32_t length = length_at(i);
      std::uint32_t run = 1;
      while (i + run < count && length_at(i + run) == length) {
        ++run;
      }
      i += run;
      if (length != 0) {
        add(length, 0);
        --run;
      }
      while (run >= 3) {
        run -= length != 0 ? add_run(kRepeatPrevious, run, 3, 6)
               : run >= 11 ? add_run(kLongZeroRun, run, 11, 138)
                           : add_run(kShortZeroRun, run, 3, 10);
      }
      for (; run > 0; --run) {
        add(length, 0);
      }
    }
  }

  GPUIMG_HD void drop_unused_lengths() {
    stated_lengths = kCodeLengthSymbols;
    while (stated_lengths > 4 && lengths[code_length_order(stated_lengths - 1)] == 0) {
      --stated_lengths;
    }
  }

  [[nodiscard]] GPUIMG_HD std::uint32_t bits_before_items() const { return 14 + 3 * stated_lengths; }
  [[nodiscard]] GPUIMG_HD std::uint32_t item_bits(std::uint32_t i) const {
    return lengths[items[i].symbol] + extra_bits(items[i].symbol);
  }
  [[nodiscard]] GPUIMG_HD std::uint32_t bits() const {
    std::uint32_t bits = bits_before_items();
    for (std::uint32_t i = 0; i < item_count; ++i) {
      bits += item_bits(i);
    }
    return bits;
  }

  /// write_before_items() and write() call put(bits, count) for consecutive pieces of at most 14 bits each.
  template <class Put>
  GPUIMG_HD void write_before_items(Put&& put) const {
    put((literals - kFirstLengthSymbol) | (distances - 1) << 5 | (stated_lengths - 4) << 10, 14U);
    for (std::uint32_t i = 0; i < stated_lengths; ++i) {
      put(lengths[code_length_order(i)], 3U);
    }
  }
  template <class Put>
  GPUIMG_HD void write(Put&& put) const {
    std::uint32_t codes[kCodeLengthSymbols];
    assign_codes(lengths, kCodeLengthSymbols,
                 [&](std::uint32_t symbol, std::uint32_t code, std::uint32_t) { codes[symbol] = code; });
    write_before_items(put);
    for (std::uint32_t i = 0; i < item_count; ++i) {
      put(item(i, codes[items[i].symbol]), item_bits(i));
    }
  }

  /// The bits of an item in the stream. `code` is the code of its symbol.
  [[nodiscard]] GPUIMG_HD std::uint32_t item(std::uint32_t i, std::uint32_t code) const {
    return code | static_cast<std::uint32_t>(items[i].extra) << lengths[items[i].symbol];
  }

 private:
  GPUIMG_HD static constexpr std::uint32_t extra_bits(std::uint32_t symbol) {
    return symbol == kRepeatPrevious ? 2 : symbol == kShortZeroRun ? 3 : symbol == kLongZeroRun ? 7 : 0;
  }

  /// Number of lengths without trailing zeros, but at least `min`.
  GPUIMG_HD static std::uint32_t used(const std::uint8_t* lengths, std::uint32_t min, std::uint32_t max) {
    while (max > min && lengths[max - 1] == 0) {
      --max;
    }
    return max;
  }

  GPUIMG_HD void add(std::uint32_t symbol, std::uint32_t extra) {
    items[item_count++] = {static_cast<std::uint8_t>(symbol), static_cast<std::uint8_t>(extra)};
  }

  /// Adds a run that covers `min` to `max` lengths, and returns the number of lengths that it covers.
  GPUIMG_HD std::uint32_t add_run(std::uint8_t symbol, std::uint32_t run, std::uint32_t min, std::uint32_t max) {
    const std::uint32_t taken = run < max ? run : max;
    add(symbol, taken - min);
    return taken;
  }
};

/// Upper bound on the size of a block if it is stored. Each stored block may begin at any bit of a byte.
GPUIMG_HD constexpr std::uint64_t stored_bits(std::uint64_t bytes) {
  constexpr std::uint64_t kHeaderBits = 7 + kBlockHeaderBits + 32;
  return 8 * bytes + (bytes / kMaxStoredBytes + 1) * kHeaderBits;
}

/// The block type with the smallest result. Sizes are in bits, without the three header bits of every block.
GPUIMG_HD constexpr BlockType choose_block_type(std::uint64_t bytes, std::uint64_t dynamic_bits,
                                                std::uint64_t fixed_bits) {
  const std::uint64_t coded = dynamic_bits < fixed_bits ? dynamic_bits : fixed_bits;
  return stored_bits(bytes) <= kBlockHeaderBits + coded ? BlockType::stored
         : fixed_bits <= dynamic_bits                   ? BlockType::fixed
                                                        : BlockType::dynamic;
}

/// The three header bits of a block.
GPUIMG_HD constexpr std::uint32_t block_header(BlockType type, bool is_last) {
  return (is_last ? 1U : 0U) | static_cast<std::uint32_t>(type) << 1;
}

}  // namespace gpuimg::png
