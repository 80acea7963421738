// Writes PNM: binary PGM and PPM, and PAM for pixels with alpha.
#pragma once

#include <memory>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// 1 to 4 channels of 8 or 16 bits. `name` says nothing: gray is P5, RGB P6, and with alpha P7.
void encode_pnm(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Codec::open_writer of PNM.
std::unique_ptr<RowWriter> open_pnm_writer(int width, int height, PixelFormat format, const std::string& name,
                                           const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs
