// Metadata of TIFF: profile, resolution, XMP, EXIF and IPTC.
#pragma once

#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/tiff/tiff_file.hpp"

namespace gpuimg::codecs::tiff {

/// Of the current directory. Its orientation and its texts become part of the EXIF data. Adds a clause to `details` for
/// each damaged piece.
Metadata read_tiff_metadata(const TiffFile& file, std::vector<std::string>& details);

/// Puts the directories of EXIF data into a little-endian file of which only the header is written.
ExifOffsets begin_tiff_metadata(std::vector<std::byte>& file, const Metadata& metadata, bool is_big);

/// Sets the tags of a file that is being written, which has directories at `offsets`.
void write_tiff_metadata(TIFF* tiff, const Metadata& metadata, const ExifOffsets& offsets);

/// Codec::fit_metadata of TIFF: of the EXIF data, the maker note and the thumbnail are left out.
void fit_tiff_metadata(Metadata& metadata, MetadataFilter& filter);

}  // namespace gpuimg::codecs::tiff
