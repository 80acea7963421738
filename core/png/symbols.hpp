// Turns the codes of a deflate stream into bytes, in two steps in which threads need no particular order. First each
// byte becomes a symbol: either the byte itself, or the distance back to an equal byte. Then symbols are resolved to
// bytes: first within a tile, then within a supertile, finally from the 32 KiB before the supertile.
// docs/decisions/0030.
#pragma once

#include <cstdint>
#include <cstring>

#include "host_device.hpp"
#include "png/block_codes.hpp"
#include "png/deflate.hpp"
#include "png/windows.hpp"

namespace gpuimg::png {

/// A byte of the output that may not be known yet. A value below 256 is the byte itself. Otherwise, when emitted:
/// kDistant | distance − 1. While its tile is resolved: kInTile | position in the tile. After that: kDistant | position
/// in the window before the supertile.
using Symbol = std::uint16_t;
constexpr std::uint32_t kDistant = 0x8000U;
constexpr std::uint32_t kInTile = 0x4000U;

GPUIMG_HD constexpr bool is_distant(std::uint32_t symbol) { return (symbol & kDistant) != 0; }
GPUIMG_HD constexpr bool is_in_tile(std::uint32_t symbol) { return (symbol & (kDistant | kInTile)) == kInTile; }

// --- Emission --------------------------------------------------------------------------------------------------------

/// Where symbols are stored. Groups of eight begin at multiples of eight.
struct SymbolStore {
  static constexpr std::uint32_t kGroup = 8;

  Symbol* symbols = nullptr;  ///< aligned to 16 bytes

  GPUIMG_HD void put(std::uint32_t at, std::uint32_t symbol) const { symbols[at] = static_cast<Symbol>(symbol); }
  /// Stores eight symbols, the first one lowest.
  GPUIMG_HD void put_group(std::uint32_t at, std::uint64_t low, std::uint64_t high) const {
#ifdef __CUDA_ARCH__
    *reinterpret_cast<ulonglong2*>(symbols + at) = make_ulonglong2(low, high);
#else
    const std::uint64_t group[2] = {low, high};
    std::memcpy(symbols + at, group, sizeof(group));
#endif
  }
};

/// Stores consecutive symbols: whole groups of eight at once, partial groups one symbol at a time.
class SymbolWriter {
 public:
  GPUIMG_HD SymbolWriter(const SymbolStore& store, std::uint32_t at) : store_(store), begin_(at), at_(at) {}

  [[nodiscard]] GPUIMG_HD std::uint32_t at() const { return at_; }

  GPUIMG_HD void put(std::uint32_t symbol) {
    low_ = low_ >> 16 | high_ << 48;
    high_ = high_ >> 16 | std::uint64_t{symbol} << 48;
    ++at_;
    if (at_ % SymbolStore::kGroup == 0) {
      store_group();
    }
  }
  /// Stores the symbols that remain.
  GPUIMG_HD void finish() const { store_last(at_ % SymbolStore::kGroup); }

 private:
  GPUIMG_HD void store_group() const {
    if (at_ - begin_ >= SymbolStore::kGroup) {
      store_.put_group(at_ - SymbolStore::kGroup, low_, high_);
    } else {
      store_last(SymbolStore::kGroup);
    }
  }
  /// Stores the last `count` symbols, except symbols that were not put into this writer.
  GPUIMG_HD void store_last(std::uint32_t count) const {
    for (std::uint32_t i = 1; i <= count && i <= at_ - begin_; ++i) {
      const std::uint32_t place = SymbolStore::kGroup - i;
      const std::uint64_t half = place < 4 ? low_ : high_;
      store_.put(at_ - i, static_cast<std::uint32_t>(half >> 16 * (place % 4)) & 0xFFFFU);
    }
  }

  SymbolStore store_;
  std::uint32_t begin_;
  std::uint32_t at_;
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

/// A run of adjacent matches with equal distance. They repeat the bytes before the first match. Their symbols refer
/// directly to these bytes, which keeps chains of symbols short in flat areas.
class Run {
 public:
  /// Begins a match at byte `at`. It extends the run if it has the same distance and directly follows.
  GPUIMG_HD void begin_match(std::uint32_t distance, std::uint32_t at, std::uint32_t length) {
    if (distance != distance_ || at != end_) {
      begin_ = at;
      distance_ = reach_ = distance;
    }
    end_ = at + length;
  }
  /// The distance from byte `at` of the run back to an equal byte: a multiple of the match's distance.
  GPUIMG_HD std::uint32_t reach(std::uint32_t at) {
    if (at - begin_ >= reach_ && reach_ + distance_ <= kMaxMatchDistance) {
      reach_ += distance_;
    }
    return reach_;
  }

 private:
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = kUnknown;
  std::uint32_t distance_ = 0;
  std::uint32_t reach_ = 0;
};

/// Decodes the codes between the cursor and bit `end`, which a walk has already found valid. Stores the symbols of
/// their bytes from byte `at` on. Returns false if a match refers to bytes before the first byte of the stream.
GPUIMG_HD inline bool emit_symbols(BitCursor cursor, const CodeTables& tables, std::uint32_t end, std::uint32_t at,
                                   const SymbolStore& store) {
  SymbolWriter writer(store, at);
  Run run;
  bool is_valid = true;
  while (cursor.bit() < end) {
    const std::uint32_t bits = cursor.peek();
    const Coded coded = coded_literal(tables, bits);
    cursor.skip(coded.all_bits());
    if (coded.meaning() == Meaning::literal) {
      writer.put(coded.literal());
    } else if (coded.meaning() == Meaning::match) {
      const std::uint32_t distance_bits = cursor.peek();
      const Coded coded_distance = coded_distance_at(tables, distance_bits);
      cursor.skip(coded_distance.all_bits());
      const std::uint32_t distance = coded_distance.distance(distance_bits);
      const std::uint32_t length = coded.bytes(bits);
      is_valid = is_valid && distance <= writer.at();
      run.begin_match(distance, writer.at(), length);
      for (std::uint32_t i = 0; i < length; ++i) {
        writer.put(kDistant | (run.reach(writer.at()) - 1));
      }
    } else {
      break;
    }
  }
  writer.finish();
  return is_valid;
}

// --- Resolution ------------------------------------------------------------------------------------------------------

/// A tile that is being resolved. Its symbols lie in a ring buffer, after the kMaxMatchDistance symbols before it.
struct Tile {
  std::uint32_t slot;       ///< index of its first symbol in the ring
  std::uint32_t ring_size;  ///< kMaxMatchDistance plus the symbols of a tile
  std::uint32_t begin;      ///< index of its first symbol in the supertile
};

GPUIMG_HD constexpr std::uint32_t ring_size(std::uint32_t tile_symbols) { return kMaxMatchDistance + tile_symbols; }

/// The first step of resolving the symbol emitted at `place` of the tile. Symbols before the tile are final, so the
/// result is final or refers to a position in the tile. The ring is empty at the beginning of a supertile: references
/// before it become positions in the window.
GPUIMG_HD inline std::uint32_t looked_up(std::uint32_t symbol, std::uint32_t place, const Tile& tile,
                                         const Symbol* ring) {
  if (!is_distant(symbol)) {
    return symbol;
  }
  const std::uint32_t distance = (symbol & ~kDistant) + 1;
  if (distance <= place) {
    return kInTile | (place - distance);
  }
  const std::uint32_t back = distance - place;  // counted from the beginning of the tile
  if (back > tile.begin) {
    return kDistant | (kMaxMatchDistance + tile.begin - back);
  }
  const std::uint32_t at = tile.slot >= back ? tile.slot - back : tile.slot + tile.ring_size - back;
  return ring[at];
}

/// Follows a symbol of a tile for at most `steps` steps. `symbols` contains the symbols of the tile, each either looked
/// up or followed.
GPUIMG_HD inline std::uint32_t followed(std::uint32_t symbol, const Symbol* symbols, int steps) {
  for (int i = 0; i < steps && is_in_tile(symbol); ++i) {
    symbol = symbols[symbol & (kInTile - 1U)];
  }
  return symbol;
}

/// The byte that a final symbol stands for. `window` holds the 32 KiB before its supertile.
GPUIMG_HD inline std::uint32_t byte_of(std::uint32_t symbol, const std::uint8_t* window) {
  return is_distant(symbol) ? window[symbol & ~kDistant] : symbol & 0xFFU;
}

}  // namespace gpuimg::png
