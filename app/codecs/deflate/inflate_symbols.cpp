// The speed is set by the dependency chain from one symbol to the next: a table look-up, then a shift by its width.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/deflate/inflate_symbols.cpp"
#include "codecs/simd_targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <array>
#include <cstring>

#include "codecs/deflate/inflate_symbols.hpp"
#include "codecs/deflate/rfc1951.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::codecs::HWY_NAMESPACE {

constexpr std::size_t kStep = 16;

template <class Out>
HWY_INLINE void copy_step(Out* to, const Out* from) {
  std::array<Out, kStep> step;
  std::memcpy(step.data(), from, sizeof step);
  std::memcpy(to, step.data(), sizeof step);
}

/// Repeats a period shorter than a step until it is at least as long.
template <class Out>
HWY_INLINE Out* double_period(Out* out, std::size_t& distance) {
  while (distance < kStep) {
    copy_step(out, out - distance);
    out += distance;
    distance *= 2;
  }
  return out;
}

/// Copies `count` elements from `distance` back; the two may overlap. Writes up to 3 * kStep elements past the end. Two
/// steps suffice for nearly all matches.
template <class Out>
HWY_INLINE void copy_back(Out* out, std::size_t distance, std::size_t count) {
  const Out* const end = out + count;
  if (distance < kStep) [[unlikely]] {
    out = double_period(out, distance);
  }
  copy_step(out, out - distance);
  copy_step(out + kStep, out + kStep - distance);
  for (out += 2 * kStep; out < end; out += kStep) {
    copy_step(out, out - distance);
  }
}

/// Writes one to three literals; always stores four elements.
HWY_INLINE std::uint8_t* put(std::uint8_t* out, InflateEntry entry) {
  const std::uint32_t all = entry.bits >> 8;
  std::memcpy(out, &all, sizeof all);
  return out + entry.literals();
}
HWY_INLINE std::uint16_t* put(std::uint16_t* out, InflateEntry entry) {
  const std::uint64_t all = entry.bits >> 8;
  const std::uint64_t spread = (all & 0xFFU) | (all & 0xFF00U) << 8 | (all & 0xFF0000U) << 16;
  std::memcpy(out, &spread, sizeof spread);
  return out + entry.literals();
}

template <class Table>
HWY_INLINE InflateEntry next_entry(const Table& table, const InflateBits& bits) {
  return table.entries[bits.peek(table.first_bits())];
}

/// For a code longer than the first table covers; `entry` is what the first table gave.
template <class Table>
HWY_INLINE InflateEntry second_entry(InflateEntry entry, const Table& table, InflateBits& bits) {
  bits.consume(entry.width());
  return table.entries[entry.value() + bits.peek(table.second_bits())];
}

template <class Out>
HWY_INLINE SymbolRun<Out> symbols(InflateInput& input, const SymbolTables& tables, const Out* oldest, Out* out,
                                  const Out* end) {
  InflateBits bits = input.bits;  // a local copy stays in registers
  const std::uint8_t* const limit = input.limit();
  SymbolsEnd ending = SymbolsEnd::interrupted;
  bits.refill();
  const std::uint64_t literal_mask = (std::uint64_t{1} << tables.literals.first_bits()) - 1;
  const auto next_literals = [&]() HWY_ATTR { return tables.literals.entries[bits.bits & literal_mask]; };
  InflateEntry entry = next_literals();
  const auto put_literals = [&]() HWY_ATTR {
    out = put(out, entry);
    bits.consume(entry.width());
  };
  const auto next_after_refill = [&]() HWY_ATTR {
    bits.refill();
    entry = next_literals();
  };
  while (out < end && bits.next <= limit) {
    // Of the 56 bits, three literal entries take 36, and two with a match length 44.
    if (entry.literals() != 0) {
      put_literals();
      entry = next_literals();
      if (entry.literals() != 0) {
        put_literals();
        entry = next_literals();
        if (entry.literals() != 0) {
          put_literals();
          next_after_refill();
          continue;
        }
      }
    }
    if (entry.kind() == InflateEntry::second_table) [[unlikely]] {
      entry = second_entry(entry, tables.literals, bits);
      if (entry.literals() != 0) {
        put_literals();
        next_after_refill();
        continue;
      }
    }
    if (entry.kind() != InflateEntry::base) {
      bits.consume(entry.width());
      ending = entry.kind() == InflateEntry::end_of_block ? SymbolsEnd::end_of_block : SymbolsEnd::damaged;
      break;
    }
    const std::size_t count = entry.value(bits.bits);
    bits.consume(entry.width());
    constexpr std::uint32_t kMaxDistanceBits = kMaxCodeBits + kMaxDistanceExtraBits;
    if (bits.count < kMaxDistanceBits) [[unlikely]] {
      bits.refill();
    }
    entry = next_entry(tables.distances, bits);
    if (entry.kind() == InflateEntry::second_table) [[unlikely]] {
      entry = second_entry(entry, tables.distances, bits);
    }
    const std::size_t distance = entry.value(bits.bits);
    if (entry.kind() != InflateEntry::base || distance > static_cast<std::size_t>(out - oldest)) {
      ending = SymbolsEnd::damaged;
      break;
    }
    bits.consume(entry.width());
    next_after_refill();
    copy_back(out, distance, count);
    out += count;
  }
  input.bits = bits;
  return {out, ending};
}

SymbolRun<std::uint8_t> bytes(InflateInput& input, const SymbolTables& tables, const std::uint8_t* oldest,
                              std::uint8_t* out, const std::uint8_t* end) {
  return symbols(input, tables, oldest, out, end);
}

SymbolRun<std::uint16_t> wide(InflateInput& input, const SymbolTables& tables, const std::uint16_t* oldest,
                              std::uint16_t* out, const std::uint16_t* end) {
  return symbols(input, tables, oldest, out, end);
}

}  // namespace gpuimg::codecs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::codecs {
namespace {
HWY_EXPORT(bytes);
HWY_EXPORT(wide);
}  // namespace

SymbolRun<std::uint8_t> inflate_symbols(InflateInput& input, const SymbolTables& tables, const std::uint8_t* oldest,
                                        std::uint8_t* out, const std::uint8_t* end) {
  return HWY_DYNAMIC_DISPATCH(bytes)(input, tables, oldest, out, end);
}

SymbolRun<std::uint16_t> inflate_symbols(InflateInput& input, const SymbolTables& tables, const std::uint16_t* oldest,
                                         std::uint16_t* out, const std::uint16_t* end) {
  return HWY_DYNAMIC_DISPATCH(wide)(input, tables, oldest, out, end);
}

}  // namespace gpuimg::codecs
#endif
