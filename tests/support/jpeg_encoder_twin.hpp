// The CUDA backend's JPEG encoder on the host: calls the functions of gpuimg/jpeg in the order of the kernels in
// cuda/codecs/jpeg. The fuzzers use it, too.
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

/// How the twin divides its work. Small numbers create many borders between parts.
struct EncoderTwinChoices {
  std::uint32_t tile_blocks = 256;   ///< blocks that are packed together
  std::uint32_t piece_bytes = 4096;  ///< bytes that are stuffed together; a multiple of 16
};

/// Returns the scan, or nullopt if the twin leaves the pixels to the host.
std::optional<std::vector<std::byte>> encode_with_twin(ConstView pixels, const JpegScanFormat& format,
                                                       const EncoderTwinChoices& choices = {});

/// Returns an empty text if the twin leaves the pixels to the host, or if its scan gives the host's file. Increments
/// `taken` if the twin encodes the pixels.
std::string difference_of_jpeg_encoder_twin(ConstView pixels, const codecs::WriteOptions& options,
                                            const EncoderTwinChoices& choices = {}, int* taken = nullptr);

}  // namespace gpuimg::test
