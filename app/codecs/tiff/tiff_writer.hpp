// Writes TIFF with libtiff: strips, deflated with the horizontal predictor. BigTIFF if the pixels need it.
#pragma once

#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// 1 to 4 channels of 8 or 16 bits; alpha is not premultiplied. Throws Error{out_of_memory}.
void encode_tiff(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs
