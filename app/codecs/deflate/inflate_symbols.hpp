// The symbols of a block of a deflate stream, which is where inflate spends its time. Used by inflate.cpp.
#pragma once

#include <cstdint>

#include "codecs/deflate/inflate_input.hpp"
#include "codecs/deflate/inflate_tables.hpp"

namespace gpuimg {

struct SymbolTables {
  const LiteralTable& literals;
  const DistanceTable& distances;
};

/// Why a run of symbols ended.
enum class SymbolsEnd : std::uint8_t {
  interrupted,  ///< the room is full, or the input at hand ends
  end_of_block,
  damaged,
};

/// Where its output ends, and why.
template <class Out>
struct SymbolRun {
  Out* out = nullptr;
  SymbolsEnd ending = SymbolsEnd::interrupted;
};

/// Takes symbols from `input` and writes what they stand for from `out` to `end`, and up to Inflater::kOvershoot
/// elements beyond. Repeats may reach back to `oldest`.
SymbolRun<std::uint8_t> inflate_symbols(InflateInput& input, const SymbolTables& tables, const std::uint8_t* oldest,
                                        std::uint8_t* out, const std::uint8_t* end);
/// The same with room for more than bytes: repeats copy whatever stands there.
SymbolRun<std::uint16_t> inflate_symbols(InflateInput& input, const SymbolTables& tables, const std::uint16_t* oldest,
                                         std::uint16_t* out, const std::uint16_t* end);

}  // namespace gpuimg
