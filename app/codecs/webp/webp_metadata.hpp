// Metadata of WebP: the chunks ICCP, EXIF and XMP. RFC 9649, section 2.7.
#pragma once

#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/webp/webp_file.hpp"

namespace gpuimg::codecs {

/// Adds a clause to `details` for each damaged piece.
Metadata read_webp_metadata(const WebpFile& file, std::vector<std::string>& details);

/// Codec::fit_metadata of WebP.
void fit_webp_metadata(Metadata& metadata, MetadataFilter& filter);

/// Writes the file `encoded`, as libwebp made it, with these metadata.
void write_with_metadata(ByteSpan encoded, const Metadata& metadata, const ByteSink& sink);

}  // namespace gpuimg::codecs
