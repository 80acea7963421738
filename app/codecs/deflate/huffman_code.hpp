// Canonical Huffman codes from symbol counts. RFC 1951, section 3.2.2.
#pragma once

#include <cstdint>
#include <span>

#include "codecs/deflate/bit_writer.hpp"

namespace gpuimg::codecs {

/// Chooses code lengths of at most `max_length` bits for symbols that occur `counts[symbol]` times; 0 for symbols that
/// do not occur, 1 for a symbol that is the only one. Deterministic. Requires max_length ≤ 15, at most
/// kFixedLiteralSymbols symbols, at most 2^max_length of them with a count, and counts that add up to less than 2³².
void choose_code_lengths(std::span<const std::uint32_t> counts, std::uint32_t max_length,
                         std::span<std::uint8_t> lengths);

/// Assigns each symbol its canonical code, in the bit order in which it is written; no bits for length 0.
void assign_codes(std::span<const std::uint8_t> lengths, std::span<Bits> codes);

}  // namespace gpuimg::codecs
