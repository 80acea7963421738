// Reads JPEGs of one sequential scan in bands of rows.
#pragma once

#include <optional>
#include <string>

#include "codecs/codec.hpp"
#include "io/random_access.hpp"

namespace gpuimg::codecs {

/// Codec::open_rows of JPEG.
std::optional<DecodedImage> open_jpeg_rows(const RandomAccess& file, const std::string& name,
                                           const ReadOptions& options);

}  // namespace gpuimg::codecs
