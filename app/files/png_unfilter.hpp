// PNG's row filters undone. PNG specification, section 9.
#pragma once

#include <cstddef>
#include <cstdint>

#include "files/png_filter.hpp"

namespace gpuimg {

/// Writes `bytes` bytes, whole pixels, from `filtered` to `out`. `above` is the finished row above, or zeros.
/// pixel_bytes is 1, 2, 3, 4, 6 or 8. Rows do not overlap.
void unfilter_row(PngFilter filter, const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out,
                  std::size_t bytes, std::size_t pixel_bytes);

/// The same of two rows filtered with Paeth, the second right below the first, in little more time than one takes.
/// pixel_bytes is 1 to 4.
void unfilter_paeth_rows(const std::uint8_t* filtered, const std::uint8_t* filtered_below, const std::uint8_t* above,
                         std::uint8_t* out, std::uint8_t* out_below, std::size_t bytes, std::size_t pixel_bytes);

}  // namespace gpuimg
