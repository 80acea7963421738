// Checks that tables fit an image.
#include "commands/given_tables.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "gpuimg/error.hpp"

namespace gpuimg {

void check_fit(const GivenTables& given, EqualizeColor color, PixelFormat format, const std::string& image) {
  const bool is_gray = format.color_channels() == 1;
  const std::size_t wanted = color == EqualizeColor::rgb && !is_gray ? 3 : 1;
  const std::size_t levels = format.max_value() + std::size_t{1};
  const std::size_t given_levels = given.tables.maps.front().size();
  if (given.tables.maps.size() < wanted) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: has one table, and --color rgb needs three for {}; use another --color, or make "
                            "tables with --color rgb",
                            given.file, image));
  }
  if (given.tables.maps.size() > wanted) {
    throw Error(ErrorKind::usage, fmt::format("{}: has tables for red, green and blue, and {} is gray; make one from a "
                                              "gray image",
                                              given.file, image));
  }
  if (given_levels != levels) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: is for images of {} levels, and {} has {}; make one from an image of {} bits",
                            given.file, given_levels, image, levels, sample_bytes(format.sample) * 8));
  }
}

}  // namespace gpuimg
