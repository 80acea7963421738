// Counts the symbols of a block, and writes them in the code chosen for it. RFC 1951, section 3.2.5.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/deflate/bit_writer.hpp"
#include "codecs/deflate/huffman_code.hpp"
#include "codecs/deflate/match_finder.hpp"
#include "codecs/deflate/rfc1951.hpp"
#include "gpuimg/png/deflate_block.hpp"

namespace gpuimg::codecs {

/// How often each symbol occurs.
struct SymbolCounts {
  std::array<std::uint32_t, kLiteralSymbols> literals{};
  std::array<std::uint32_t, kDistanceSymbols> distances{};
};

/// Bits per symbol; 0 for symbols that do not occur.
struct CodeLengths {
  std::array<std::uint8_t, kFixedLiteralSymbols> literals{};
  std::array<std::uint8_t, kDistanceSymbols> distances{};
};

static_assert(4 * kMaxLiteralCodeBits <= BitWriter::kMaxBits, "four literals must fit into one write");

/// Counts the symbols of all sequences of `bytes` and one end of block.
SymbolCounts count_symbols(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences);

/// Writes the same symbols.
void write_symbols(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences,
                   const CodeLengths& lengths, BitWriter& out);

}  // namespace gpuimg::codecs
