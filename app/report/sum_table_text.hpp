// A summed-area table in readable forms: CSV, and a 16-bit preview image.
#pragma once

#include <string>

#include "gpuimg/image.hpp"
#include "gpuimg/ops/integral.hpp"

namespace gpuimg {

/// Throws Error{usage} above 4,000,000 entries.
void check_table_fits_csv(int image_width, int image_height, TableLayout layout);

/// Comma-separated entries, one line per row, no header. Floats are printed so that they read back exactly.
std::string table_csv(ConstView table);

/// Gray, 16 bit: ⌊T·65535/T[last] + ½⌋, at most 65535; black if the last entry is 0. Exact for integer tables.
Image table_preview(ConstView table);

}  // namespace gpuimg
