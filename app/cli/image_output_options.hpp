// --png-level, --quality, --subsampling, --lossless, --strip, --background and --depth: how an image is encoded,
// whether it keeps its metadata, and what its pixels are converted to.
#pragma once

#include <optional>
#include <string>

#include "cli/command_parser.hpp"
#include "cli/image_forms.hpp"
#include "cli/messages.hpp"
#include "codecs/image_writer.hpp"

namespace gpuimg {

struct ImageOutputArguments {
  std::string format;  ///< --format
  std::optional<int> png_level;
  std::string quality;
  std::string subsampling;
  bool lossless = false;
  bool strip = false;
  std::string background;
  std::string depth;

  [[nodiscard]] bool keeps_quality() const { return quality == "keep"; }
};

void add_png_option(CommandParser& parser, ImageOutputArguments& arguments);

/// --quality, --subsampling and --lossless: JPEG and WebP.
void add_lossy_options(CommandParser& parser, ImageOutputArguments& arguments);

/// --strip, for commands that carry metadata from a photo to a photo.
void add_metadata_option(CommandParser& parser, ImageOutputArguments& arguments);

/// --background and --depth, for commands that write an image.
void add_conversion_options(CommandParser& parser, ImageOutputArguments& arguments);

/// Throws Error{usage} for a value out of range.
codecs::WriteOptions checked_write_options(const ImageOutputArguments& arguments);

/// Prints a note for each given option that has no effect on `output`. `format` is empty if that is not an image.
void note_without_effect(const ImageOutputArguments& arguments, const std::string& output,
                         std::optional<codecs::FileFormat> format, Verbosity verbosity);

/// The extension, without dot, of an output in a folder: `asked` (--format) if not empty, else that of `input` if
/// gpuimg writes that format, else png. Throws Error{usage} if gpuimg does not write `asked`.
std::string image_ending_for(const std::string& input, const std::string& asked);

}  // namespace gpuimg
