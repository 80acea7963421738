// Look-up tables of `equalize` as CSV: what --lut writes and --apply reads. docs/operations.md, "Equalization".
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gpuimg/ops/equalize.hpp"

namespace gpuimg {

/// Header "level,luma" or "level,r,g,b", then one row per level.
std::string level_tables_to_csv(const LevelTables& tables);

/// One table or three, of 256 or 65536 levels. Lines may end in CRLF, the last line end may be missing, and a byte
/// order mark is skipped. Any other difference from level_tables_to_csv's output throws
/// Error{decode} that names the line.
LevelTables level_tables_from_csv(std::span<const std::byte> bytes, const std::string& name);

}  // namespace gpuimg
