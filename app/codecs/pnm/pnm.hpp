// Reads PNM: PBM, PGM, PPM (as text and binary) and PAM. Writes binary PGM and PPM, and PAM for pixels with alpha.
// Only the list of formats (../codecs.cpp) includes this header: it hides how the format works.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Gray, RGB, and alpha of a PAM, scaled from the file's maximum value to the full range of 8 or 16 bits. Of several
/// images in one file, the first. `bytes` starts with the signature; `name` is printable. Throws like decode_image.
DecodedImage read_pnm(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of PNM.
std::optional<DecodedImage> open_pnm_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

/// Codec::declared of PNM.
DeclaredImage declared_pnm(ByteSpan beginning, const std::string& name);

/// 1 to 4 channels of 8 or 16 bits. `name` says nothing: gray is P5, RGB P6, and with alpha P7.
void encode_pnm(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Codec::open_writer of PNM.
std::unique_ptr<RowWriter> open_pnm_writer(int width, int height, PixelFormat format, const std::string& name,
                                           const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs
