// Reads simple PNGs (simple_png.hpp) in bands of rows.
#pragma once

#include <optional>
#include <string>

#include "codecs/codec.hpp"
#include "io/random_access.hpp"

namespace gpuimg::codecs {

/// Codec::open_rows of PNG.
std::optional<DecodedImage> open_png_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

}  // namespace gpuimg::codecs
