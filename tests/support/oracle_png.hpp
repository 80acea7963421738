// Oracle of PNG decoding: PNG specification, third edition, sections 13.12 and 11.3.1.
#pragma once

#include "gpuimg/image.hpp"
#include "support/png_maker.hpp"

namespace gpuimg::test {

/// u8, or u16 for 16-bit samples. Expands fewer bits to 8, looks up palettes, and turns tRNS into an alpha channel.
Image expected_image(const PngPicture& picture);

}  // namespace gpuimg::test
