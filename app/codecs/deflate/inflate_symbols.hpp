// Decodes the symbols of a block: the inner loop of inflate.
#pragma once

#include <cstdint>

#include "codecs/deflate/inflate_input.hpp"
#include "codecs/deflate/inflate_tables.hpp"

namespace gpuimg::codecs {

struct SymbolTables {
  const LiteralTable& literals;
  const DistanceTable& distances;
};

enum class SymbolsEnd : std::uint8_t {
  interrupted,  ///< the output is full, or the buffered input is used up
  end_of_block,
  damaged,
};

/// Where the output ends, and why.
template <class Out>
struct SymbolRun {
  Out* out = nullptr;
  SymbolsEnd ending = SymbolsEnd::interrupted;
};

/// Decodes symbols from `input` into `out` up to `end`; may write Inflater::kOvershoot elements past it. Matches may
/// reach back to `oldest`.
SymbolRun<std::uint8_t> inflate_symbols(InflateInput& input, const SymbolTables& tables, const std::uint8_t* oldest,
                                        std::uint8_t* out, const std::uint8_t* end);
/// The same with 16-bit elements. Matches copy any value, so earlier output may hold more than bytes
/// (speculative_inflate.hpp).
SymbolRun<std::uint16_t> inflate_symbols(InflateInput& input, const SymbolTables& tables, const std::uint16_t* oldest,
                                         std::uint16_t* out, const std::uint16_t* end);

}  // namespace gpuimg::codecs
