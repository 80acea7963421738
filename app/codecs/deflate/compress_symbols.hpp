// The symbols of a deflate block: counted first, for the code that fits them, then written in it. RFC 1951, section
// 3.2.5. Used by compress_block.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/deflate/bit_writer.hpp"
#include "codecs/deflate/huffman_code.hpp"
#include "codecs/deflate/match_finder.hpp"
#include "codecs/deflate/rfc1951.hpp"

namespace gpuimg {

inline constexpr std::size_t kLiteralSymbols = 286;  ///< literals, the end of the block, lengths
inline constexpr std::size_t kDistanceSymbols = 30;

/// How often each symbol occurs.
struct SymbolCounts {
  std::array<std::uint32_t, kLiteralSymbols> literals{};
  std::array<std::uint32_t, kDistanceSymbols> distances{};
};

/// The bits of each symbol's code; 0 for symbols that do not occur.
struct CodeLengths {
  std::array<std::uint8_t, kMostSymbols> literals{};
  std::array<std::uint8_t, kDistanceSymbols> distances{};
};

/// Literals are written four at a time, so their codes must be short enough; lengths share the code.
inline constexpr std::uint32_t kLongestLiteralCode = BitWriter::kMostBits / 4;

/// Of all steps through `bytes`, and of the end of the block.
SymbolCounts count_symbols(std::span<const std::uint8_t> bytes, std::span<const DeflateStep> steps);

/// Writes the same symbols.
void write_steps(std::span<const std::uint8_t> bytes, std::span<const DeflateStep> steps, const CodeLengths& lengths,
                 BitWriter& out);

}  // namespace gpuimg
