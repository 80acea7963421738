// Decides which of an input's metadata go into each output format: docs/operations.md, "Metadata".
#pragma once

#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/metadata/metadata.hpp"

namespace gpuimg::codecs {

struct CarriedMetadata {
  Metadata metadata;
  std::vector<std::string>
      left_out;  ///< for the user, one clause each: "sRGB is not carried: JPEG has no place for it"
};

/// The part of `metadata` that a file of this format with such pixels can hold. A profile must match the
/// channels: GRAY for gray, RGB for color.
CarriedMetadata carried_metadata(Metadata metadata, FileFormat file_format, PixelFormat format);

}  // namespace gpuimg::codecs
