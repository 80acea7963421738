// Decodes the symbols of a block. The speed is limited by the dependency chain from one entry to the next: a table
// look-up, then a shift by its width.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/deflate/inflate_symbols.cpp"
#include "codecs/simd_targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <array>
#include <cstring>

#include "codecs/deflate/inflate.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::codecs::deflate::HWY_NAMESPACE {

constexpr std::size_t kStep = 16;

template <class Out>
HWY_INLINE void copy_step(Out* to, const Out* from) {
  std::array<Out, kStep> step;
  std::memcpy(step.data(), from, sizeof step);
  std::memcpy(to, step.data(), sizeof step);
}

/// Repeats a period that is shorter than a step until it is at least one step long.
template <class Out>
HWY_INLINE Out* double_period(Out* out, std::size_t& distance) {
  while (distance < kStep) {
    copy_step(out, out - distance);
    out += distance;
    distance *= 2;
  }
  return out;
}

/// Copies `count` elements that start `distance` elements before `out`; source and destination may overlap. Writes up
/// to 3 * kStep elements past the end. Two steps are enough for nearly all matches.
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

/// Resolves a code that is longer than the index of the first table; `entry` is the first table's entry.
template <class Table>
HWY_INLINE InflateEntry second_entry(InflateEntry entry, const Table& table, InflateBits& bits) {
  bits.consume(entry.bits);
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
  const InflateEntry* const literals = tables.literals.entries.data();
  const auto next_literals = [&]() HWY_ATTR { return literals[bits.bits & literal_mask]; };
  InflateEntry entry = next_literals();
  const auto put_literals = [&]() HWY_ATTR {
    out = put(out, entry);
    bits.consume(entry.bits);
  };
  while (out < end && bits.next <= limit) {
    // A refill after a look-up overlaps the load of the entry. Three literal entries take at most 36 of the 56 bits.
    bits.refill();
    if (entry.literals() != 0) {
      put_literals();
      entry = next_literals();
      if (entry.literals() != 0) {
        put_literals();
        entry = next_literals();
        if (entry.literals() != 0) {
          put_literals();
          entry = next_literals();
          continue;
        }
      }
      bits.refill();
    }
    std::size_t count = entry.length();
    std::size_t distance = entry.distance(bits.bits);
    if (entry.kind() != InflateEntry::match) [[unlikely]] {
      if (entry.kind() == InflateEntry::second_table) {
        entry = second_entry(entry, tables.literals, bits);
        if (entry.literals() != 0) {
          put_literals();
          entry = next_literals();
          continue;
        }
      }
      if (entry.kind() != InflateEntry::number) {
        bits.consume(entry.bits);
        ending = entry.kind() == InflateEntry::end_of_block ? SymbolsEnd::end_of_block : SymbolsEnd::damaged;
        break;
      }
      // The length takes up to 20 bits. Its distance, of up to 28 bits, has a separate entry.
      count = entry.value(bits.bits);
      bits.consume(entry.bits);
      entry = tables.distances.entries[bits.peek(DistanceTable::first_bits())];
      if (entry.kind() == InflateEntry::second_table) [[unlikely]] {
        entry = second_entry(entry, tables.distances, bits);
      }
      if (entry.kind() != InflateEntry::number) [[unlikely]] {
        ending = SymbolsEnd::damaged;
        break;
      }
      distance = entry.value(bits.bits);
      bits.refill();
    }
    if (distance > static_cast<std::size_t>(out - oldest)) [[unlikely]] {
      ending = SymbolsEnd::damaged;
      break;
    }
    bits.consume(entry.bits);
    entry = next_literals();
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

}  // namespace gpuimg::codecs::deflate::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::codecs::deflate {
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

}  // namespace gpuimg::codecs::deflate
#endif
