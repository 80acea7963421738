// JPEG through libjpeg-turbo: baseline, extended, progressive and arithmetic, 8 bit, gray, color or CMYK.
// To read this folder, start here for reading and in jpeg_writer.hpp for writing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "codecs/image_reader.hpp"

namespace gpuimg::codecs {

/// One channel stays gray, three become RGB, with the slow exact inverse DCT and smooth chroma, as most software has
/// it. CMYK and YCCK become RGB by app/codecs/jpeg/cmyk.hpp, with a note. Every warning of libjpeg-turbo is
/// Error{decode}, or, if lenient, a note; a file of more than 500 scans is Error{decode} always. Pixels come as they
/// are stored: the caller applies the orientation. A large image of one sequential scan is decoded by several threads,
/// unless options.threads is 1. `name` is printable. Throws as decode_image does.
DecodedImage read_jpeg(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

/// The same, whatever the size, in the parts that `cuts` make (jpeg_parts.hpp): none reads with one decoder.
DecodedImage read_jpeg_cut_at(const std::vector<int>& cuts, std::span<const std::byte> bytes, const std::string& name,
                              const ReadOptions& options);

}  // namespace gpuimg::codecs
