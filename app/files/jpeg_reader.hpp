// JPEG through libjpeg-turbo: baseline, extended, progressive and arithmetic, 8 bit, gray, color or CMYK.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "files/image_reader.hpp"

namespace gpuimg {

/// One channel stays gray, three become RGB, with the slow exact inverse DCT and smooth chroma, as most software has
/// it. CMYK and YCCK become RGB by app/files/cmyk.hpp, with a note. Every warning of libjpeg-turbo is Error{decode},
/// or, if lenient, a note; a file of more than 500 scans is Error{decode} always. Pixels come as they are stored: the
/// caller applies the orientation. `name` is printable. Throws as decode_image does.
DecodedImage read_jpeg(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

}  // namespace gpuimg
