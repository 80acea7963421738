// Pixels to JPEG through libjpeg-turbo.
#pragma once

#include <string>

#include "files/bytes.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

/// Baseline JFIF; RGB as YCbCr 4:2:0, gray as one component. `quality` 1 to 100, on libjpeg's scale. The integer
/// transforms are used, whose bytes do not depend on the processor. Throws Error{unsupported} for 16-bit samples, alpha
/// and more than 65500 pixels a side, Error{out_of_memory}.
Bytes encode_jpeg(ConstView pixels, const std::string& name, int quality);

}  // namespace gpuimg
