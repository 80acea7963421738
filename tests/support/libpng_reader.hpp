// A whole PNG decoded by libpng as an independent judge: its pixels, text entries and everything that libpng complains
// of.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpuimg/image.hpp"

namespace gpuimg::test {

struct LibpngResult {
  Image image;  ///< empty if libpng refused the file
  std::vector<std::pair<std::string, std::string>> text;
  std::string complaints;  ///< errors and warnings, a line each
};

/// Only what gpuimg writes: 8 and 16 bit, 1 to 4 channels, no palette. Reads to the end of IEND.
LibpngResult read_with_libpng(std::span<const std::byte> bytes);

}  // namespace gpuimg::test
