// Decodes the coefficients of a JPEG that has several scans, and compares them with libjpeg's. Also used by the fuzzer.
#pragma once

#include <span>
#include <string>

#include "codecs/jpeg/jpeg_pipeline.hpp"

namespace gpuimg::test {

enum class JpegCodesVerdict : std::uint8_t {
  same,      ///< read, with libjpeg's coefficients
  left,      ///< left to one decoder
  mistaken,  ///< read, but libjpeg warns or fails, or has other coefficients
};

/// `file` starts with SOI.
JpegCodesVerdict verdict_on_jpeg_codes(std::span<const std::byte> file, const codecs::JpegPipelineChoices& choices);

}  // namespace gpuimg::test
