// What a PNG picture must be read to: PNG specification, third edition, sections 13.12 and 11.3.1.
#pragma once

#include "gpuimg/image.hpp"
#include "support/png_maker.hpp"

namespace gpuimg::test {

/// u8, or u16 of 16-bit samples; fewer bits are widened to 8, palettes looked up. tRNS becomes an alpha channel.
Image expected_image(const PngPicture& picture);

}  // namespace gpuimg::test
