// JPEG through libjpeg-turbo: baseline, extended, progressive and arithmetic, 8 bit, gray, color or CMYK.
// To read this folder, start here for reading and in jpeg_writer.hpp for writing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

struct JpegHeader;

/// Throws Error{decode} or Error{unsupported} for a size that is not read.
void check_jpeg_kind(const JpegHeader& header, const ReadOptions& options, const std::string& name);

/// What decoding gives besides pixels, the encoding and the notes on damage.
DecodedImage describe_jpeg_file(const JpegHeader& header);

/// One channel stays gray, three become RGB, with the slow exact inverse DCT and smooth chroma upsampling (libjpeg's
/// defaults). CMYK and YCCK become RGB through cmyk.hpp, with a note. Every warning of libjpeg-turbo is Error{decode},
/// or a note if lenient; a file of more than 500 scans is always Error{decode}. Pixels are returned as stored: the
/// caller applies the orientation. If options.decode_on_backend takes the file, its Picture is returned instead,
/// upright if options.auto_orient; notes and metadata are the same. Several threads decode a large image,
/// unless options.threads is 1. `name` is printable. Throws as decode_image does.
DecodedImage read_jpeg(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

/// The same for any size, in the parts that `cuts` make (jpeg_parts.hpp); without cuts, with one decoder.
DecodedImage read_jpeg_cut_at(const std::vector<int>& cuts, std::span<const std::byte> bytes, const std::string& name,
                              const ReadOptions& options);

}  // namespace gpuimg::codecs
