// Oracle of PNG decoding: PNG specification, third edition, sections 13.12 and 11.3.1.
#pragma once

#include "gpuimg/image.hpp"
#include "support/png_maker.hpp"

namespace gpuimg::test {

/// Returns u8, or u16 for 16-bit samples. Expands samples of fewer bits to 8, looks up palettes, and converts tRNS to
/// alpha.
Image expected_image(const PngPicture& picture);

}  // namespace gpuimg::test
