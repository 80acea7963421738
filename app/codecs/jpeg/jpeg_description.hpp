// Describes a JPEG file for a backend's own decoder (gpuimg/encoded_image.hpp).
#pragma once

#include <optional>

#include "codecs/byte_fields.hpp"
#include "gpuimg/encoded_image.hpp"

namespace gpuimg::codecs {

/// Returns nullopt for every file that libjpeg-turbo must read: not sequential, Huffman-coded and 8 bit; several scans;
/// colors other than gray and YCbCr; other sampling than 4:4:4, 4:2:2, 4:4:0 and 4:2:0; more than two Huffman tables of
/// a kind; and any header that is damaged or unusual. The coded bytes are not looked at. Never throws. The result
/// borrows `bytes`, and its orientation is 1.
std::optional<EncodedJpeg> describe_jpeg(ByteSpan bytes) noexcept;

/// The same for JpegCoefficients::frame: of a sequential or progressive file with any scans.
std::optional<EncodedJpeg> describe_jpeg_frame(ByteSpan bytes) noexcept;

}  // namespace gpuimg::codecs
