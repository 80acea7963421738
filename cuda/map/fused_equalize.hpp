// Equalizes 8-bit images in one launch: counts, builds the table and maps. For images so small that the launches would
// take longer than the work.
#pragma once

#include "operations.hpp"

namespace gpuimg::cuda {

/// Counts all pixels of a gray image, writes the table to `map` (256 entries of device memory) and the mapped pixels to
/// `to`.
void fused_equalize_gray(Workspace& workspace, const Picture& from, const Picture& to, TableFormula formula,
                         std::uint16_t* map);

/// The same for RGB and EqualizeColor::luma.
void fused_equalize_color(Workspace& workspace, const Picture& from, const Picture& to, TableFormula formula, Luma luma,
                          std::uint16_t* map);

}  // namespace gpuimg::cuda
