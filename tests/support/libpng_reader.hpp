// Decodes a PNG with libpng as an independent reference: pixels, text entries, errors and warnings.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpuimg/image.hpp"

namespace gpuimg::test {

struct LibpngResult {
  Image image;  ///< empty if libpng rejected the file
  std::vector<std::pair<std::string, std::string>> text;
  std::string complaints;  ///< errors and warnings, one per line
};

/// Supports only files as gpuimg writes them: 8 and 16 bits, 1 to 4 channels, no palette. Reads to the end of IEND.
LibpngResult read_with_libpng(std::span<const std::byte> bytes);

}  // namespace gpuimg::test
