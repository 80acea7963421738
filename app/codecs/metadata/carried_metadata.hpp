// Which metadata of an input go into which kind of output: docs/operations.md, "Metadata".
#pragma once

#include <string>
#include <vector>

#include "codecs/image_writer.hpp"
#include "codecs/metadata/metadata.hpp"

namespace gpuimg::codecs {

struct CarriedMetadata {
  Metadata metadata;
  std::vector<std::string> left_out;  ///< for people, a clause each: "sRGB is not carried: JPEG has no place for it"
};

/// What of `metadata` a file of this type with pixels of this format can hold. A profile must be for the channels there
/// are: GRAY for gray, RGB for color.
CarriedMetadata carried_metadata(Metadata metadata, ImageFileType type, PixelFormat format);

}  // namespace gpuimg::codecs
