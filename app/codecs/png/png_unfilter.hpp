// PNG's row filters undone. PNG specification, section 9.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codecs/png/png_filter.hpp"

namespace gpuimg {

/// Some bytes of a row, from `begin` to `end`, whole pixels; those before `begin` are undone already.
struct RowPart {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Writes the part of a row from `filtered` to `out`. `above` is the finished row above, or zeros; all three point to
/// the beginning of the row. pixel_bytes is 1, 2, 3, 4, 6 or 8. Rows do not overlap.
void unfilter_row(PngFilter filter, const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out,
                  RowPart part, std::size_t pixel_bytes);

/// How many rows unfilter_rows takes.
constexpr std::size_t rows_unfiltered_at_once(std::size_t pixel_bytes) { return pixel_bytes <= 4 ? 4 : 2; }

/// That many rows in not much more time than the slowest of them takes. Each is a byte for its filter, which must be
/// one of the five, and `bytes` filtered bytes; the next follows at once, and behind the last may be read
/// kUnfilterOverread bytes. They are written to `out` without gaps.
void unfilter_rows(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, std::size_t bytes,
                   std::size_t pixel_bytes);

inline constexpr std::size_t kUnfilterOverread = 16;

}  // namespace gpuimg
