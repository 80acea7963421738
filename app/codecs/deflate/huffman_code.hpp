// Canonical Huffman codes from how often each symbol occurs. RFC 1951, section 3.2.2.
#pragma once

#include <cstdint>
#include <span>

#include "codecs/deflate/bit_writer.hpp"

namespace gpuimg {

inline constexpr std::uint32_t kMostSymbols = 288;

/// Code lengths for symbols that occur `counts[symbol]` times, at most `longest` bits each; 0 for those that never
/// occur. One symbol alone gets one bit. Lengths depend on the counts alone. `longest` is 15 at most, there are at most
/// kMostSymbols symbols and 2^longest of them that occur, and the counts add up to less than 2³².
void choose_code_lengths(std::span<const std::uint32_t> counts, std::uint32_t longest, std::span<std::uint8_t> lengths);

/// The bits of each symbol's code, ready to write; none for symbols of length 0.
void assign_codes(std::span<const std::uint8_t> lengths, std::span<Bits> codes);

}  // namespace gpuimg
