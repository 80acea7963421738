// Metadata in the ancillary chunks of PNG: cICP, iCCP, sRGB, gAMA, cHRM, pHYs and eXIf. PNG specification, third
// edition, section 11.3.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "files/byte_fields.hpp"
#include "files/metadata.hpp"

namespace gpuimg {

/// From a PNG that has been read without error; `name` is printable. The first chunk of each type counts. It is left
/// out, and `details` gets a clause that says so, if it is damaged or (but for eXIf) behind the image data; so is sRGB
/// beside a profile.
Metadata read_png_metadata(ByteSpan bytes, const std::string& name, std::vector<std::string>& details);

/// Type and data of each chunk, in an order that PNG admits behind IHDR. A density is put in PNG's units.
std::vector<std::vector<std::byte>> png_metadata_chunks(const Metadata& metadata);

}  // namespace gpuimg
