// Metadata in PNG's ancillary chunks: cICP, iCCP, sRGB, gAMA, cHRM, pHYs, eXIf, and texts that hold XMP or IPTC data.
// PNG specification, third edition, section 11.3; for XMP: Adobe XMP specification, part 3.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/metadata/metadata.hpp"

namespace gpuimg::codecs::png {

/// Requires a PNG that has been read without error; `name` is printable. Uses the first chunk of each type, and the
/// first text of each keyword. Leaves it out, and adds a clause to `details`, if it is damaged, if it follows the image
/// data (except eXIf and texts), or if it is sRGB and there is an ICC profile. Names other ancillary chunks in
/// `not_kept`, at most 16 types.
Metadata read_png_metadata(ByteSpan bytes, const std::string& name, std::vector<std::string>& details);

/// Codec::metadata of PNG: the same of the chunks before the image data.
Metadata png_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

/// Returns type and data of each chunk, in an order valid after IHDR. Converts a density to PNG's units.
std::vector<std::vector<std::byte>> png_metadata_chunks(const Metadata& metadata);

/// Codec::fit_metadata of PNG.
void fit_png_metadata(Metadata& metadata, MetadataFilter& filter);

}  // namespace gpuimg::codecs::png
