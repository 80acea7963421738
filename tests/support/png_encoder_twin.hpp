// The PNG encoder of the CUDA backend on the host: the same functions of gpuimg/png, called in the order of the kernels
// in cuda/codecs/png.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::test {

/// Returns the IDAT chunks, or nullopt if they are left to the host.
std::optional<std::vector<std::byte>> encode_with_twin(ConstView pixels, const PngDataFormat& format);

/// Returns an empty text if the file with the twin's chunks equals the host's file.
std::string difference_of_png_encoder_twin(ConstView pixels, const codecs::WriteOptions& options);

}  // namespace gpuimg::test
