// The JPEG encoder of the CUDA backend on the host: the same functions of gpuimg/jpeg, called in the order of the
// kernels in cuda/codecs/jpeg. Also used by the fuzzer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::test {

/// How the twin divides its work. Small numbers make many borders between parts.
struct EncoderTwinChoices {
  std::uint32_t tile_blocks = 256;   ///< blocks that are packed together
  std::uint32_t piece_bytes = 4096;  ///< bytes that are stuffed together; a multiple of 16
};

/// Returns the scan, or nullopt if it is left to the host.
std::optional<std::vector<std::byte>> encode_with_twin(ConstView pixels, const JpegScanFormat& format,
                                                       const EncoderTwinChoices& choices = {});

/// Returns an empty text if the twin leaves the pixels to the host, or if its scan gives the host's file. `taken`
/// counts the images that the twin encodes.
std::string difference_of_jpeg_encoder_twin(ConstView pixels, const codecs::WriteOptions& options,
                                            const EncoderTwinChoices& choices = {}, int* taken = nullptr);

}  // namespace gpuimg::test
