// Undoes PNG's row filters. PNG specification, section 9.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codecs/png/png_filter.hpp"

namespace gpuimg::codecs {

/// Whole pixels of a row, from byte `begin` to `end`. Those before `begin` have already been unfiltered.
struct RowPart {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Unfilters a part of a row from `filtered` to `out`. `above` is the unfiltered row above, or zeros. All three point
/// to the start of the row, and rows must not overlap. pixel_bytes is 1, 2, 3, 4, 6 or 8.
void unfilter_row(PngFilter filter, const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out,
                  RowPart part, std::size_t pixel_bytes);

/// How many rows unfilter_rows processes together; half as many if there are fewer.
constexpr std::size_t rows_unfiltered_at_once(std::size_t pixel_bytes) { return pixel_bytes <= 4 ? 8 : 4; }

/// Unfilters rows, several in little more time than the slowest of them takes. Each row is a filter byte, which must be
/// one of the five, followed by `bytes` filtered bytes. Rows are contiguous in input and output. May read
/// kUnfilterOverread bytes past the last row.
void unfilter_rows(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, std::size_t bytes,
                   std::size_t pixel_bytes, std::size_t rows);

inline constexpr std::size_t kUnfilterOverread = 16;

}  // namespace gpuimg::codecs
