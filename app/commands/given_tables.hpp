// Look-up tables from a file, applied to every image: --reference and --apply. docs/operations.md, "Equalization".
#pragma once

#include <string>

#include "gpuimg/image.hpp"
#include "gpuimg/ops/equalize.hpp"

namespace gpuimg {

struct GivenTables {
  LevelTables tables;
  std::string file;  ///< where they come from, printable
};

/// Throws Error{usage} that names the file and the image if the tables are for another bit depth, or if their number
/// does not match `color` and the image's channels. `image` is printable.
void check_fit(const GivenTables& given, EqualizeColor color, PixelFormat format, const std::string& image);

}  // namespace gpuimg
