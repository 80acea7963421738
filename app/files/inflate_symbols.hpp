// The symbols of a block of a deflate stream, which is where inflate spends its time. Used by inflate.cpp.
#pragma once

#include <cstdint>

#include "files/inflate_input.hpp"
#include "files/inflate_tables.hpp"

namespace gpuimg {

struct SymbolTables {
  const LiteralTable& literals;
  const DistanceTable& distances;
};

/// Where the output of a run of symbols ends, and why.
struct SymbolRun {
  enum Ending : std::uint8_t {
    interrupted,  ///< the room is full, or the input at hand ends
    end_of_block,
    damaged,
  };

  std::uint8_t* out = nullptr;
  Ending ending = interrupted;
};

/// Takes symbols from `input` and writes what they stand for from `out` to `end`, and up to Inflater::kOvershoot bytes
/// beyond. Repeats may reach back to `oldest`.
SymbolRun inflate_symbols(InflateInput& input, const SymbolTables& tables, const std::uint8_t* oldest,
                          std::uint8_t* out, const std::uint8_t* end);

}  // namespace gpuimg
