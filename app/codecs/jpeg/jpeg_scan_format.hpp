// JPEG files whose scan a backend encodes: what it must encode, and the file around it. docs/decisions/0016.
#pragma once

#include <optional>
#include <string>

#include "codecs/codec.hpp"
#include "gpuimg/codec.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

/// Codec::backend_encoding of JPEG: the scan that libjpeg would write. Returns nullopt for restart markers, unusual
/// sampling, and if libjpeg fails.
std::optional<Encoding> jpeg_scan_format(int width, int height, PixelFormat format, const WriteOptions& options);

/// Codec::write_encoded of JPEG: libjpeg's header, the scan, and EOI.
void write_encoded_jpeg(const Encoded& scan, int width, int height, PixelFormat format, const std::string& name,
                        const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs
