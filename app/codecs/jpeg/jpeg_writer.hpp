// Writes JPEG through libjpeg-turbo.
#pragma once

#include <string>

#include "codecs/image_writer.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

/// Writes baseline JFIF: RGB as YCbCr, gray as one component. Quality is on libjpeg's scale. The integer transforms
/// make the bytes independent of the processor. Writes options.metadata, which must fit (carried_metadata ensures it).
/// The image must pass check_holds (format_limits.hpp). Throws Error{out_of_memory}.
Bytes encode_jpeg(ConstView pixels, const std::string& name, const WriteOptions& options);

}  // namespace gpuimg::codecs
