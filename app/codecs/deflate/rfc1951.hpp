// Lengths and distances as deflate writes them: a symbol that names a range, then bits that choose in it. RFC 1951,
// section 3.2.5.
#pragma once

#include <bit>
#include <cstdint>

namespace gpuimg {

inline constexpr std::uint32_t kMostRepeatLength = 258;
inline constexpr std::uint32_t kMostRepeatDistance = 32768;
inline constexpr std::uint32_t kEndOfBlock = 256;

struct DeflateNumber {
  std::uint32_t symbol = 0;
  std::uint32_t extra_bits = 0;
  std::uint32_t extra = 0;  ///< the value of these bits
};

/// A number from 0 on, where ranges grow twofold after each `2^group_bits` of them.
constexpr DeflateNumber deflate_number(std::uint32_t value, std::uint32_t group_bits) {
  const auto width = static_cast<std::uint32_t>(std::bit_width(value | 1U));
  const std::uint32_t extra_bits = width > group_bits ? width - 1 - group_bits : 0;
  return {(extra_bits << group_bits) + (value >> extra_bits), extra_bits, value & ((1U << extra_bits) - 1)};
}

/// 3 … 258: symbols 257 … 285.
constexpr DeflateNumber deflate_length(std::uint32_t length) {
  DeflateNumber number = length == kMostRepeatLength ? DeflateNumber{28} : deflate_number(length - 3, 2);
  number.symbol += kEndOfBlock + 1;
  return number;
}

/// 1 … 32768: symbols 0 … 29.
constexpr DeflateNumber deflate_distance(std::uint32_t distance) { return deflate_number(distance - 1, 1); }

}  // namespace gpuimg
