// The small pictures in the JPEG files of the catalogue.
#pragma once

#include "gpuimg/image.hpp"
#include "support/jpeg_maker.hpp"

namespace gpuimg::test {

/// 19×11 pixels of 8 bits, so that no side is a whole number of blocks.
Image small_photo(int channels);

/// A baseline JPEG of small_photo(3), 4:2:0 with restart markers.
FileBytes plain_jpeg();

/// The payload of the first segment of plain_jpeg() with this marker.
FileBytes part_of_plain_jpeg(std::uint32_t marker);

}  // namespace gpuimg::test
