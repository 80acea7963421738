// The CUDA backend's PNG encoder on the host: calls the functions of gpuimg/png in the order of the kernels in
// cuda/codecs/png.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::test {

/// Returns the IDAT chunks, or nullopt if the twin leaves the pixels to the host.
std::optional<std::vector<std::byte>> encode_with_twin(ConstView pixels, const PngDataFormat& format);

/// Returns an empty text if a file with the twin's chunks equals the host's file.
std::string difference_of_png_encoder_twin(ConstView pixels, const codecs::WriteOptions& options);

}  // namespace gpuimg::test
