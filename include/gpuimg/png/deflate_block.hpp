// The header of a dynamic block, the sizes of blocks, and the choice between them. RFC 1951, sections 3.2.3 to 3.2.7.
#pragma once

#include <cstdint>

#include "gpuimg/host_device.hpp"
#include "gpuimg/png/deflate_format.hpp"
#include "gpuimg/png/huffman_tree.hpp"

namespace gpuimg::png {

/// Of literals, ends of block and match lengths: four literals must fit into one write of the host's encoder.
constexpr std::uint32_t kMaxLiteralCodeBits = 14;

/// The code lengths at the start of a dynamic block: run-length encoded, then Huffman coded. Section 3.2.7.
struct DynamicHeader {
  struct Item {
    std::uint8_t symbol;
    std::uint8_t extra;
  };

  std::uint32_t literals;        ///< how many lengths of the first alphabet are stated
  std::uint32_t distances;       ///< … and of the second
  std::uint32_t stated_lengths;  ///< … and of the code for code lengths
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

  /// For those who take the constructor's steps one by one: encode_runs, `lengths`, drop_unused_lengths.
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

  /// Both call put(bits, count) for one piece after another, each of at most 14 bits.
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

  /// An item as it is written; `code` is that of its symbol.
  [[nodiscard]] GPUIMG_HD std::uint32_t item(std::uint32_t i, std::uint32_t code) const {
    return code | static_cast<std::uint32_t>(items[i].extra) << lengths[items[i].symbol];
  }

 private:
  GPUIMG_HD static constexpr std::uint32_t extra_bits(std::uint32_t symbol) {
    return symbol == kRepeatPrevious ? 2 : symbol == kShortZeroRun ? 3 : symbol == kLongZeroRun ? 7 : 0;
  }

  /// How many lengths remain when zeros at the end are dropped.
  GPUIMG_HD static std::uint32_t used(const std::uint8_t* lengths, std::uint32_t min, std::uint32_t max) {
    while (max > min && lengths[max - 1] == 0) {
      --max;
    }
    return max;
  }

  GPUIMG_HD void add(std::uint32_t symbol, std::uint32_t extra) {
    items[item_count++] = {static_cast<std::uint8_t>(symbol), static_cast<std::uint8_t>(extra)};
  }

  /// Adds a run of `min` to `max` lengths, and returns how many.
  GPUIMG_HD std::uint32_t add_run(std::uint8_t symbol, std::uint32_t run, std::uint32_t min, std::uint32_t max) {
    const std::uint32_t taken = run < max ? run : max;
    add(symbol, taken - min);
    return taken;
  }
};

/// An upper bound of a block's size if it is stored: each stored block may start at any bit of a byte.
GPUIMG_HD constexpr std::uint64_t stored_bits(std::uint64_t bytes) {
  constexpr std::uint64_t kHeaderBits = 7 + kBlockHeaderBits + 32;
  return 8 * bytes + (bytes / kMaxStoredBytes + 1) * kHeaderBits;
}

/// The smallest form of a block. The sizes are in bits, without the three that begin every block.
GPUIMG_HD constexpr BlockType choose_block_type(std::uint64_t bytes, std::uint64_t dynamic_bits,
                                                std::uint64_t fixed_bits) {
  const std::uint64_t coded = dynamic_bits < fixed_bits ? dynamic_bits : fixed_bits;
  return stored_bits(bytes) <= kBlockHeaderBits + coded ? BlockType::stored
         : fixed_bits <= dynamic_bits                   ? BlockType::fixed
                                                        : BlockType::dynamic;
}

/// The three bits that begin a block.
GPUIMG_HD constexpr std::uint32_t block_header(BlockType type, bool is_last) {
  return (is_last ? 1U : 0U) | static_cast<std::uint32_t>(type) << 1;
}

}  // namespace gpuimg::png
