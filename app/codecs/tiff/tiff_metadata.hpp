// Metadata of TIFF: profile, resolution, XMP and orientation.
#pragma once

#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/tiff/tiff_file.hpp"

namespace gpuimg::codecs {

/// Of the current directory. The orientation becomes EXIF data that hold nothing else. Adds a clause to `details` for
/// each damaged piece.
Metadata read_tiff_metadata(const TiffFile& file, std::vector<std::string>& details);

/// Sets the tags of a file that is being written.
void write_tiff_metadata(TIFF* tiff, const Metadata& metadata);

/// Codec::fit_metadata of TIFF: of the EXIF data, only the orientation stays.
void fit_tiff_metadata(Metadata& metadata, MetadataFilter& filter);

}  // namespace gpuimg::codecs
