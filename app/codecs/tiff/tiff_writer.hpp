// Writes TIFF with libtiff: images and tables. BigTIFF if the pixels need it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// 1 to 4 channels of 8 or 16 bits, in strips that are deflated with the horizontal predictor; alpha is not
/// premultiplied. Throws Error{out_of_memory}.
void encode_tiff(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Codec::encode_table: each channel is a gray page. Uncompressed, because ImageJ reads 64-bit samples in no other way.
std::vector<std::byte> encode_tiff_table(ConstView table, std::span<const std::string_view> channels);

}  // namespace gpuimg::codecs
