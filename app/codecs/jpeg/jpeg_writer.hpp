// Pixels to JPEG through libjpeg-turbo.
#pragma once

#include <string>

#include "codecs/image_writer.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

/// Baseline JFIF; RGB as YCbCr, gray as one component. Quality is on libjpeg's scale. The integer transforms are used,
/// whose bytes do not depend on the processor. The profile, EXIF data and density of options.metadata are written; they
/// fit, as carried_metadata sees to. Takes what check_holds (format_limits.hpp) lets pass. Throws Error{out_of_memory}.
Bytes encode_jpeg(ConstView pixels, const std::string& name, const WriteOptions& options);

}  // namespace gpuimg::codecs
