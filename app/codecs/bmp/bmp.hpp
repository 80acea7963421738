// Reads BMP of Windows and OS/2, and writes that of Windows. The list of formats (../codecs.cpp) uses it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// RGB, or RGBA if a mask declares alpha; channels of fewer than 8 bits are widened by repeating them. The fourth byte
/// of 32-bit pixels without masks is reserved, not alpha. `bytes` starts with the signature; `name` is printable.
/// Throws like decode_image.
DecodedImage read_bmp(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of BMP.
std::optional<DecodedImage> open_bmp_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

/// Codec::declared of BMP.
DeclaredImage declared_bmp(ByteSpan beginning, const std::string& name);

/// Codec::metadata of BMP. The profile is after the pixels.
Metadata bmp_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

/// Of the largest file. Other programs compute its size as a signed 32-bit number.
inline constexpr std::uint64_t kMaxBmpBytes = std::numeric_limits<std::int32_t>::max();

/// Codec::fit_metadata of BMP: the density stays, if it has a unit.
void fit_bmp_metadata(Metadata& metadata, MetadataFilter& filter);

/// Writes an image that passes check_holds: RGB as 24 bits, RGBA as 32 bits with alpha, gray as RGB with equal
/// channels, uncompressed, from the bottom row up.
void encode_bmp(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Codec::open_placing_writer of BMP.
std::unique_ptr<RowWriter> open_bmp_writer(int width, int height, PixelFormat format, const std::string& name,
                                           const WriteOptions& options, const BytePlacer& place);

}  // namespace gpuimg::codecs
