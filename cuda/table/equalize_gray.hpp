// Equalization of 8-bit images in one launch: for images whose launches take longer than their pixels.
#pragma once

#include "operations.hpp"

namespace gpuimg::cuda {

/// Counts every pixel, writes the table to `map` (256 entries of device memory) and the mapped pixels to `to`.
void equalize_gray_at_once(Workspace& workspace, const Picture& from, const Picture& to, EqualizeFormula formula,
                           std::uint16_t* map);

/// The same for RGB and EqualizeColor::luma.
void equalize_color_at_once(Workspace& workspace, const Picture& from, const Picture& to, EqualizeFormula formula,
                            Luma luma, std::uint16_t* map);

}  // namespace gpuimg::cuda
