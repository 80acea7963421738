// Reads TIFF and BigTIFF with libtiff.
// To read this folder, start here, then tiff_kind.hpp for what is read, tiff_pixels.hpp for how, and tiff_file.hpp for
// libtiff's part.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// The page of `options`: gray, palette, RGB and CMYK of up to 16 bits, in strips or tiles, of every compression that
/// libtiff has. Premultiplied alpha is divided out. `bytes` starts with the signature; `name` is printable. Throws like
/// decode_image.
DecodedImage read_tiff(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of TIFF.
std::optional<DecodedImage> open_tiff_rows(const RandomAccess& content, const std::string& name,
                                           const ReadOptions& options);

/// Codec::recognizes of TIFF: not Canon's raw photos (CR2), which begin alike.
bool looks_like_tiff(ByteSpan bytes, std::string_view name);

/// Codec::declared and Codec::metadata of TIFF, of its first page. The directory often stands at the end of the file.
DeclaredImage declared_tiff(ByteSpan beginning, const std::string& name);
Metadata tiff_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

extern const PagedReading kPagedTiff;

}  // namespace gpuimg::codecs
