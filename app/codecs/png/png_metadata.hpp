// Metadata in the ancillary chunks of PNG: cICP, iCCP, sRGB, gAMA, cHRM, pHYs, eXIf, and texts that hold XMP or IPTC
// data. PNG specification, third edition, section 11.3; for XMP: Adobe XMP specification, part 3.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/metadata/metadata.hpp"

namespace gpuimg {

/// From a PNG that has been read without error; `name` is printable. The first chunk of each type, and the first text
/// of each keyword, counts. It is left out, and `details` gets a clause that says so, if it is damaged or (but for eXIf
/// and texts) behind the image data; so is sRGB beside a profile. Other ancillary chunks are named in `not_kept`, 16
/// types at most.
Metadata read_png_metadata(ByteSpan bytes, const std::string& name, std::vector<std::string>& details);

/// Type and data of each chunk, in an order that PNG admits behind IHDR. A density is put in PNG's units.
std::vector<std::vector<std::byte>> png_metadata_chunks(const Metadata& metadata);

}  // namespace gpuimg
