// Turns stored rows of a PNG into pixels, in place: samples of less than a byte, palettes, a transparent color.
#pragma once

#include <cstddef>
#include <string>

#include "codecs/png/simple_png.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

/// Where rows as stored belong in memory for as many rows of pixels: at its end, so that what goes through them from
/// the front never overwrites what it has not read.
std::byte* stored_rows_of(Image& rows, const SimplePng& png);

/// Rows must be in the byte order of the machine. Throws Error{decode} for an index outside the palette. `name` is
/// printable.
void expand_stored_rows(Image& rows, const SimplePng& png, const std::string& name);

}  // namespace gpuimg::codecs
