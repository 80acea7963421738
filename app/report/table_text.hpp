// Tables for people and spreadsheets: look-up tables of `equalize` and summed-area tables of `integral` as CSV;
// summed-area tables also as a preview image. docs/operations.md, "Equalization" and "Integral image".
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gpuimg/image.hpp"
#include "gpuimg/ops/equalize.hpp"
#include "gpuimg/ops/integral.hpp"

namespace gpuimg {

/// Look-up tables of `equalize`, which --lut writes and --apply reads: a header "level,luma" or "level,r,g,b", then one
/// row per level.
std::string level_tables_to_csv(const LevelTables& tables);

/// Parses one or three tables of 256 or 65536 levels. Lines may end in CRLF, the last line end may be missing, and a
/// byte order mark is skipped. Any other deviation from the output of level_tables_to_csv throws Error{decode} that
/// names the line.
LevelTables level_tables_from_csv(std::span<const std::byte> bytes, const std::string& name);

/// For table_csv(): throws Error{usage} above 4,000,000 entries.
void check_table_fits_csv(int image_width, int image_height, TableLayout layout);

/// A summed-area table as CSV: comma-separated entries, one line per row, no header. Floats are printed so that they
/// read back exactly.
std::string table_csv(ConstView table);

/// A 16-bit gray image: ⌊T·65535/T[last] + ½⌋, at most 65535; black if the last entry is 0. Exact for integer tables.
Image table_preview(ConstView table);

}  // namespace gpuimg
