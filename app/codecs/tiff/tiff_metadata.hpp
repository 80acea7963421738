// Metadata of TIFF: profile, resolution, XMP, EXIF and IPTC.
#pragma once

#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/tiff/tiff_file.hpp"

namespace gpuimg::codecs::tiff {

/// The metadata of the current directory. Adds the directory's orientation and texts to the EXIF data. Adds a clause to
/// `details` for each damaged part.
Metadata read_tiff_metadata(const TiffFile& file, std::vector<std::string>& details);

/// Appends the EXIF directories to a little-endian file that has only its header so far.
ExifOffsets begin_tiff_metadata(std::vector<std::byte>& file, const Metadata& metadata, bool is_big);

/// Sets the metadata tags of a file that is being written. Its EXIF directories are at `offsets`.
void write_tiff_metadata(TIFF* tiff, const Metadata& metadata, const ExifOffsets& offsets);

/// Codec::fit_metadata of TIFF: leaves out the maker note and the thumbnail of the EXIF data.
void fit_tiff_metadata(Metadata& metadata, MetadataFilter& filter);

}  // namespace gpuimg::codecs::tiff
