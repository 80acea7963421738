// JPEG through libjpeg-turbo: baseline, extended, progressive and arithmetic, 8 bit, gray or color.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "files/image_reader.hpp"

namespace gpuimg {

/// One channel stays gray, three become RGB, with the slow exact inverse DCT and smooth chroma, as most software has
/// it. Every warning of libjpeg-turbo is Error{decode}; so is a file of more than 500 scans. CMYK is not read yet.
/// `name` is printable. Throws as decode_image does.
DecodedImage read_jpeg(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

}  // namespace gpuimg
