// The options of outputs: the formats of a subcommand, and how --format and OUT choose one (docs/cli.md, "Output
// format"); the names of image formats; options of encoders (--png-level, --compression, --quality, --subsampling,
// --lossless); --strip for metadata; --background and --depth for pixels; and which pixels count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_parser.hpp"
#include "cli/messages.hpp"
#include "cli/option_values.hpp"
#include "codecs/codec.hpp"
#include "codecs/image_writer.hpp"
#include "gpuimg/ops/hist.hpp"
#include "gpuimg/selection.hpp"
#include "io/output_file.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {

template <class Format>
struct OutputFormats {
  std::string what;                     ///< "a histogram": in messages
  NamedValues<Format> names;            ///< of --format; the same names are extensions of OUT
  Format on_stdout;                     ///< without --format
  NamedValues<Format> more_names = {};  ///< also accepted, but not listed in --help and messages

  /// Null if the name is in neither `names` nor `more_names`.
  [[nodiscard]] const NamedValue<Format>* find(const std::string& name) const {
    for (const NamedValues<Format>* list : {&names, &more_names}) {
      const auto found =
          std::find_if(list->begin(), list->end(), [&](const auto& named) { return named.name == name; });
      if (found != list->end()) {
        return &*found;
      }
    }
    return nullptr;
  }
};

/// If an image format of this build can hold tables, adds its names to `formats`. Each of these names means `format`.
template <class Format>
OutputFormats<Format> with_table_codec(OutputFormats<Format> formats, Format format, const std::string& meaning) {
  if (const codecs::Codec* codec = codecs::table_codec()) {
    for (const codecs::WrittenName& written : codec->written) {
      const bool is_first = &written == codec->written.begin();
      formats.names.emplace_back(std::string(written.name), format, is_first ? meaning : std::string(written.meaning));
    }
  }
  return formats;
}

/// Declares --format. `description` lists the formats and the default.
void add_format_option(CommandParser& parser, std::string& asked, const OptionText& description);

/// The format of --format (`asked`); if that is empty, the format of the extension of `output`. "" and "-" are standard
/// output. Throws Error{usage} that lists the formats.
template <class Format>
Format output_format(const OutputFormats<Format>& formats, const std::string& asked, const std::string& output) {
  if (asked.empty() && (output.empty() || is_untyped_stream(output))) {
    return formats.on_stdout;
  }
  if (const NamedValue<Format>* named = formats.find(asked.empty() ? file_extension(output) : asked)) {
    return named->value;
  }
  if (!asked.empty()) {
    return value_named("--format", asked, formats.names);  // throws
  }
  std::vector<std::string> extensions;
  for (const NamedValue<Format>& named : formats.names) {
    extensions.push_back("." + named.name);
  }
  throw Error(ErrorKind::usage, printable_name(output) + ": OUT is " + formats.what + ", written as " +
                                    listed(extensions) + "; change the extension, or give --format");
}

/// Prints a note if the extension of `output` contradicts --format.
template <class Format>
void note_misleading_extension(const OutputFormats<Format>& formats, const std::string& asked,
                               const std::string& output, Verbosity verbosity) {
  const NamedValue<Format>* named = asked.empty() ? nullptr : formats.find(file_extension(output));
  if (named != nullptr && named->value != output_format(formats, asked, output)) {
    print_note(verbosity, printable_name(output) + ": contains " + asked + ", as --format says, despite its extension");
  }
}

/// The image formats that gpuimg writes, by the names used in --format and as extensions of OUT.
extern const OutputFormats<codecs::FileFormat> kImageFormats;

/// kImageFormats plus the formats for black and white only.
extern const OutputFormats<codecs::FileFormat> kBitmapFormats;

/// The format of an image output: --format (`asked`) if it is not empty, else by the extension of `path`. "-" is PNG.
/// Throws Error{usage} that lists the formats.
codecs::FileFormat image_format(const std::string& path, const std::string& asked = "");

/// For --help: the usual names of the formats, "png, jpg, bmp or tga", each prefixed with `before_each`.
std::string listed_image_formats(const std::string& before_each = "");

struct ImageOutputArguments {
  std::string format;  ///< --format
  std::optional<int> png_level;
  std::string quality;
  std::string subsampling;
  bool lossless = false;
  std::string compression;
  std::string strip;
  std::string background;
  std::string depth;

  [[nodiscard]] bool keeps_quality() const { return quality == "keep"; }
};

/// --png-level, and --compression of TIFF.
void add_compression_options(CommandParser& parser, ImageOutputArguments& arguments);

/// --quality, --subsampling and --lossless: JPEG and WebP.
void add_lossy_options(CommandParser& parser, ImageOutputArguments& arguments);

/// --strip, for commands that copy metadata from input to output.
void add_metadata_option(CommandParser& parser, ImageOutputArguments& arguments);

enum class Stripping : std::uint8_t { nothing, all, positions };

/// The value of --strip. Throws Error{usage} for an unknown value.
Stripping stripping_of(const ImageOutputArguments& arguments);

/// --background and --depth, for commands that write an image.
void add_conversion_options(CommandParser& parser, ImageOutputArguments& arguments);

/// Throws Error{usage} for a value out of range.
codecs::WriteOptions checked_write_options(const ImageOutputArguments& arguments);

/// Prints a note for each given option that has no effect on `output`. `format` is empty if the output is not an image.
void note_without_effect(const ImageOutputArguments& arguments, const std::string& output,
                         std::optional<codecs::FileFormat> format, Verbosity verbosity);

/// The extension, without dot, of an output in a folder: --format (`asked`) if it is not empty; else the extension of
/// `input` if gpuimg writes that format; else png. Throws Error{usage} if gpuimg does not write `asked`.
std::string image_extension_for(const std::string& input, const std::string& asked);

// --- Which pixels count: --roi, --mask, --transparent and --luma. docs/operations.md, "Luma" -------------------------

struct SelectionArguments {
  std::string region;
  std::string mask;
  std::string transparent;  ///< empty: the default
};

/// --roi, --mask and --transparent.
void add_selection_options(CommandParser& parser, SelectionArguments& arguments);

/// Checks the options. The mask is not included; it is passed as OperationInput::mask. Without --transparent,
/// transparent pixels count only if the channel is alpha. Throws Error{usage}.
Selection checked_selection(const SelectionArguments& arguments, Channel channel = Channel::luma);

/// Only --transparent, for operations without --roi and --mask. `counts` is the default that --help shows.
void add_transparent_option(CommandParser& parser, std::string& value, bool counts = Selection().count_transparent);
bool counts_transparent(const std::string& value, Channel channel);

/// --luma. `by_default` is the default that --help shows.
void add_luma_option(CommandParser& parser, std::string& value, Luma by_default);

}  // namespace gpuimg
