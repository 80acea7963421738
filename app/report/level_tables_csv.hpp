// Look-up tables of `equalize` as CSV: what --lut writes and --apply reads. docs/operations.md, "Equalization".
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gpuimg/ops/equalize.hpp"

namespace gpuimg {

/// "level,luma" or "level,r,g,b", a row a level.
std::string level_tables_to_csv(const LevelTables& tables);

/// One table or three, of 256 or 65536 levels. Lines may end in CRLF, the last one in nothing; a byte order mark is
/// skipped. Throws Error{decode} that names the line for anything else that level_tables_to_csv does not write.
LevelTables level_tables_from_csv(std::span<const std::byte> bytes, const std::string& name);

}  // namespace gpuimg
