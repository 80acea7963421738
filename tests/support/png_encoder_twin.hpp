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

/// The IDAT chunks; nullopt if they are left to the host.
std::optional<std::vector<std::byte>> encode_with_twin(ConstView pixels, const PngDataFormat& format);

/// Empty if the file around the twin's chunks is the host's.
std::string difference_of_png_encoder_twin(ConstView pixels, const codecs::WriteOptions& options);

}  // namespace gpuimg::test
