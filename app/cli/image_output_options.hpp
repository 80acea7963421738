// --png-level, --quality, --subsampling, --strip, --background and --depth: how an image is encoded, what goes with it,
// and what its pixels are converted to.
#pragma once

#include <optional>
#include <string>

#include "cli/image_forms.hpp"
#include "cli/messages.hpp"
#include "codecs/image_writer.hpp"
#include "engine/image_conversion.hpp"

namespace CLI {
class App;
}

namespace gpuimg {

struct ImageOutputArguments {
  std::string format;  ///< --format
  std::optional<int> png_level;
  std::string quality;
  std::string subsampling;
  bool strip = false;
  std::string background;
  std::string depth;

  [[nodiscard]] bool keeps_quality() const { return quality == "keep"; }
};

void add_png_option(CLI::App& parser, ImageOutputArguments& arguments);

/// --quality and --subsampling.
void add_jpeg_options(CLI::App& parser, ImageOutputArguments& arguments);

/// For commands whose output is a photograph as their input is: --strip.
void add_metadata_option(CLI::App& parser, ImageOutputArguments& arguments);

/// For commands whose output is an image as their input is: --background and --depth.
void add_conversion_options(CLI::App& parser, ImageOutputArguments& arguments);

/// Throws Error{usage} for a value that is not one.
ImageConversion checked_conversion(const ImageOutputArguments& arguments);

/// Throws Error{usage} for a value out of range.
codecs::WriteOptions checked_write_options(const ImageOutputArguments& arguments);

/// Notes each option given that has no effect on `output`, which is an image of that type, or none.
void note_without_effect(const ImageOutputArguments& arguments, const std::string& output,
                         std::optional<codecs::ImageFileType> type, Verbosity verbosity);

/// The ending, without dot, of an image in a folder: `asked` (--format) if it is not empty, which throws Error{usage}
/// for a type that is not written; else that of `input` if gpuimg writes it; else png.
std::string image_ending_for(const std::string& input, const std::string& asked);

}  // namespace gpuimg
