// Encodes BMP and TGA with stb_image_write.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// The encoders require an image that passes check_holds, and throw Error{out_of_memory}.

/// Codec::fit_metadata of BMP: the density stays, if it has a unit.
void fit_bmp_metadata(Metadata& metadata, MetadataFilter& filter);

/// RGB as 24 bits, RGBA as 32 bits with alpha, gray as RGB with equal channels.
void encode_bmp(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// 1 to 4 channels, run-length encoded.
void encode_tga(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

inline constexpr std::uint64_t kMaxStbBytes = std::numeric_limits<int>::max();  ///< stb computes sizes in int

}  // namespace gpuimg::codecs
