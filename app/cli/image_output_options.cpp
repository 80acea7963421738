// --png-level, --quality, --subsampling, --strip, --background and --depth.
#include "cli/image_output_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "cli/number_options.hpp"
#include "cli/option_values.hpp"
#include "engine/command_context.hpp"
#include "gpuimg/error.hpp"
#include "io/output_stream.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

const NamedValues<codecs::ChromaSubsampling> kSubsamplingNames = {
    {"420", codecs::ChromaSubsampling::s420, "half the width and height; for photos", {"4:2:0"}},
    {"422", codecs::ChromaSubsampling::s422, "half the width"},
    {"440", codecs::ChromaSubsampling::s440, "half the height"},
    {"444", codecs::ChromaSubsampling::s444, "full; for text and thin colored lines", {"none", "full"}},
};

const NamedValues<Sample> kDepthNames = {{"8", Sample::u8}, {"16", Sample::u16}};

int number_from(const char* option, const std::optional<int>& given, int least, int most, int if_absent) {
  if (given && (*given < least || *given > most)) {
    throw Error(ErrorKind::usage, std::string(option) + ": " + std::to_string(*given) + " is not from " +
                                      std::to_string(least) + " to " + std::to_string(most));
  }
  return given.value_or(if_absent);
}

/// The number that --quality names; nothing if it is absent or "keep".
std::optional<int> quality_given(const ImageOutputArguments& arguments) {
  const std::string& text = arguments.quality;
  if (text.empty() || arguments.keeps_quality()) {
    return std::nullopt;
  }
  int value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || stop != text.data() + text.size()) {
    throw Error(ErrorKind::usage,
                "--quality: '" + printable_name(text) + "' is neither a number from 1 to 100 nor 'keep'");
  }
  return value;
}

}  // namespace

void add_png_option(CLI::App& parser, ImageOutputArguments& arguments) {
  add_number(parser, "--png-level", arguments.png_level, "compression of PNG, 0 (fastest) to 3 (smallest) [1]")
      ->type_name("N");
}

void add_jpeg_options(CLI::App& parser, ImageOutputArguments& arguments) {
  parser.add_option("--quality", arguments.quality, "quality of JPEG, 1 to 100, or keep: the tables of a JPEG IN [90]")
      ->type_name("N|keep");
  parser
      .add_option("--subsampling", arguments.subsampling,
                  with_choices("resolution of color in JPEG", kSubsamplingNames, "420"))
      ->type_name("NAME");
}

void add_metadata_option(CLI::App& parser, ImageOutputArguments& arguments) {
  parser.add_flag("--strip", arguments.strip,
                  "write no color profile, EXIF, XMP or other metadata [carry them to PNG and JPEG]");
}

void add_conversion_options(CLI::App& parser, ImageOutputArguments& arguments) {
  parser
      .add_option("--background", arguments.background,
                  "flatten alpha onto this color: white, ff8000, 255,128,0 [keep alpha]")
      ->type_name("COLOR");
  parser.add_option("--depth", arguments.depth, "bits per channel of OUT, 8 or 16 [as IN]")->type_name("BITS");
}

ImageConversion checked_conversion(const ImageOutputArguments& arguments) {
  ImageConversion conversion;
  if (!arguments.background.empty()) {
    conversion.background = parse_color("--background", arguments.background);
  }
  if (!arguments.depth.empty()) {
    conversion.depth = value_named("--depth", arguments.depth, kDepthNames);
  }
  return conversion;
}

codecs::WriteOptions checked_write_options(const ImageOutputArguments& arguments) {
  codecs::WriteOptions options;
  const auto& types = kImageForms.names;
  const auto named =
      std::find_if(types.begin(), types.end(), [&](const auto& t) { return t.name == arguments.format; });
  if (named != types.end()) {
    options.type = named->value;
  }
  options.png_level = number_from("--png-level", arguments.png_level, 0, 3, options.png_level);
  options.jpeg_quality = number_from("--quality", quality_given(arguments), 1, 100, options.jpeg_quality);
  if (!arguments.subsampling.empty()) {
    std::string name = arguments.subsampling;
    std::erase(name, ':');  // 4:2:0 is how it is spoken of
    options.jpeg_subsampling = value_named("--subsampling", name, kSubsamplingNames);
  }
  return options;
}

void note_without_effect(const ImageOutputArguments& arguments, const std::string& output,
                         std::optional<codecs::ImageFileType> type, Verbosity verbosity) {
  const bool is_png = type == codecs::ImageFileType::png;
  const bool is_jpeg = type == codecs::ImageFileType::jpeg;
  const std::string name = is_standard_output(output) ? "standard output" : printable_name(output);
  const auto note = [&](bool given, bool fits, const char* option, const char* kind) {
    note_no_effect(given && !fits, option, name + " is no " + kind, verbosity);
  };
  note(arguments.png_level.has_value(), is_png, "--png-level", "PNG");
  note(!arguments.quality.empty(), is_jpeg, "--quality", "JPEG");
  note(!arguments.subsampling.empty(), is_jpeg, "--subsampling", "JPEG");
}

std::string image_ending_for(const std::string& input, const std::string& asked) {
  const std::vector<std::string> written = names_of(kImageForms.names);
  if (!asked.empty()) {
    (void)image_file_type(input, asked);
    return asked;
  }
  const std::string own = file_ending(input);
  return std::find(written.begin(), written.end(), own) != written.end() ? own : "png";
}

}  // namespace gpuimg
