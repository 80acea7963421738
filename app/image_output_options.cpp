// --png-level and --quality.
#include "image_output_options.hpp"

#include <CLI/CLI.hpp>
#include <string>

#include "gpuimg/error.hpp"

namespace gpuimg {

void add_image_output_options(CLI::App& parser, ImageOutputArguments& arguments) {
  parser.add_option("--png-level", arguments.png_level, "PNG compression, 0 (none) to 3 [1]")->type_name("N");
  parser.add_option("--quality", arguments.quality, "JPEG quality, 1 to 100 [90]")->type_name("N");
}

WriteOptions checked_write_options(const ImageOutputArguments& arguments) {
  if (arguments.png_level < 0 || arguments.png_level > 3) {
    throw Error(ErrorKind::usage, "--png-level: " + std::to_string(arguments.png_level) + " is not from 0 to 3");
  }
  if (arguments.quality < 1 || arguments.quality > 100) {
    throw Error(ErrorKind::usage, "--quality: " + std::to_string(arguments.quality) + " is not from 1 to 100");
  }
  WriteOptions options;
  options.png_level = arguments.png_level;
  options.jpeg_quality = arguments.quality;
  return options;
}

}  // namespace gpuimg
