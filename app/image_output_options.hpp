// --png-level and --quality: how an image is encoded.
#pragma once

#include "files/image_writer.hpp"

namespace CLI {
class App;
}

namespace gpuimg {

struct ImageOutputArguments {
  int png_level = 1;
  int quality = 90;
};

void add_image_output_options(CLI::App& parser, ImageOutputArguments& arguments);

/// Throws Error{usage} for a value out of range.
WriteOptions checked_write_options(const ImageOutputArguments& arguments);

}  // namespace gpuimg
