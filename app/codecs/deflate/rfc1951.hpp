// Tables of the deflate format for the decoder: base values, extra bits, fixed codes. core/png/deflate.hpp defines the
// alphabets. RFC 1951, section 3.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "png/deflate.hpp"

namespace gpuimg::codecs::deflate {

using namespace gpuimg::png;

/// The values that one symbol covers: `base` plus a number of `extra_bits` bits.
struct SymbolRange {
  std::uint32_t base = 0;
  std::uint32_t extra_bits = 0;

  [[nodiscard]] constexpr std::uint32_t last() const { return base + (1U << extra_bits) - 1; }
};

/// Consecutive ranges from `first` on: after the first group of `group_size` symbols, each group has one extra bit more
/// than the group before.
template <std::size_t kSymbols>
constexpr std::array<SymbolRange, kSymbols> symbol_ranges(std::uint32_t first, std::size_t group_size) {
  std::array<SymbolRange, kSymbols> ranges{};
  for (std::size_t i = 0; i < kSymbols; ++i) {
    ranges[i] = {first, static_cast<std::uint32_t>(i < group_size ? 0 : i / group_size - 1)};
    first = ranges[i].last() + 1;
  }
  return ranges;
}

/// Match lengths, by symbol − kFirstLengthSymbol. The longest length has its own symbol without extra bits.
inline constexpr auto kLengthRanges = [] {
  auto ranges = symbol_ranges<29>(kMinMatchLength, 4);
  ranges.back() = {kMaxMatchLength, 0};
  return ranges;
}();
static_assert(kFirstLengthSymbol + kLengthRanges.size() == kLiteralSymbols);

/// Match distances, by symbol.
inline constexpr auto kDistanceRanges = symbol_ranges<kDistanceSymbols>(1, 2);
static_assert(kDistanceRanges.back().extra_bits == kMaxDistanceExtraBits);

/// Run lengths, by symbol − kRepeatPrevious.
inline constexpr std::array<SymbolRange, 3> kRunRanges = {{{3, 2}, {3, 3}, {11, 7}}};

/// The order in which a dynamic block lists the lengths of the codes for code lengths.
inline constexpr auto kCodeLengthOrder = [] {
  std::array<std::uint8_t, kCodeLengthSymbols> order{};
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    order[i] = code_length_order(i);
  }
  return order;
}();

/// The fixed codes of section 3.2.6.
inline constexpr auto kFixedLiteralLengths = [] {
  std::array<std::uint8_t, kFixedLiteralSymbols> lengths{};
  for (std::uint32_t symbol = 0; symbol < lengths.size(); ++symbol) {
    lengths[symbol] = fixed_literal_length(symbol);
  }
  return lengths;
}();

}  // namespace gpuimg::codecs::deflate
