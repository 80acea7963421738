// --png-level, --quality, --subsampling, --strip, --background and --depth: how an image is encoded, what goes with it,
// and what its pixels are converted to.
#pragma once

#include <optional>
#include <string>

#include "files/image_writer.hpp"
#include "image_conversion.hpp"
#include "messages.hpp"

namespace CLI {
class App;
}

namespace gpuimg {

struct ImageOutputArguments {
  std::optional<int> png_level;
  std::string quality;
  std::string subsampling;
  bool strip = false;
  std::string background;
  std::string depth;

  [[nodiscard]] bool keeps_quality() const { return quality == "keep"; }
};

void add_image_output_options(CLI::App& parser, ImageOutputArguments& arguments);

/// For commands whose output is a photograph as their input is: --strip.
void add_metadata_option(CLI::App& parser, ImageOutputArguments& arguments);

/// For commands whose output is an image as their input is: --background and --depth.
void add_conversion_options(CLI::App& parser, ImageOutputArguments& arguments);

/// Throws Error{usage} for a value that is not one.
ImageConversion checked_conversion(const ImageOutputArguments& arguments);

/// Throws Error{usage} for a value out of range.
WriteOptions checked_write_options(const ImageOutputArguments& arguments);

/// Notes each option given that has no effect on `output`.
void note_without_effect(const ImageOutputArguments& arguments, const std::string& output, Verbosity verbosity);

/// The type of `input` where gpuimg writes it, PNG otherwise; `asked` (--output-format) where it is not empty, which
/// throws Error{usage} for a type that is not written. An ending without dot.
std::string image_ending_for(const std::string& input, const std::string& asked);

}  // namespace gpuimg
