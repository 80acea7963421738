// --png-level, --quality, --subsampling and --strip.
#include "image_output_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "command_context.hpp"
#include "files/output_stream.hpp"
#include "files/printable_name.hpp"
#include "gpuimg/error.hpp"
#include "option_values.hpp"

namespace gpuimg {
namespace {

const NamedValues<ChromaSubsampling> kSubsamplingNames = {
    {"420", ChromaSubsampling::s420},
    {"422", ChromaSubsampling::s422},
    {"440", ChromaSubsampling::s440},
    {"444", ChromaSubsampling::s444},
};

int number_from(const char* option, const std::optional<int>& given, int least, int most, int if_absent) {
  if (given && (*given < least || *given > most)) {
    throw Error(ErrorKind::usage, std::string(option) + ": " + std::to_string(*given) + " is not from " +
                                      std::to_string(least) + " to " + std::to_string(most));
  }
  return given.value_or(if_absent);
}

}  // namespace

void add_image_output_options(CLI::App& parser, ImageOutputArguments& arguments) {
  parser.add_option("--png-level", arguments.png_level, "PNG compression, 0 (fastest) to 3 (smallest) [1]")
      ->type_name("N");
  parser.add_option("--quality", arguments.quality, "JPEG quality, 1 to 100 [90]")->type_name("N");
  parser.add_option("--subsampling", arguments.subsampling, "JPEG chroma, 420, 422, 440 or 444 [420]")
      ->type_name("NAME");
}

void add_metadata_option(CLI::App& parser, ImageOutputArguments& arguments) {
  parser.add_flag("--strip", arguments.strip, "write no profile, EXIF data or other metadata");
}

WriteOptions checked_write_options(const ImageOutputArguments& arguments) {
  WriteOptions options;
  options.png_level = number_from("--png-level", arguments.png_level, 0, 3, options.png_level);
  options.jpeg_quality = number_from("--quality", arguments.quality, 1, 100, options.jpeg_quality);
  if (!arguments.subsampling.empty()) {
    std::string name = arguments.subsampling;
    std::erase(name, ':');  // 4:2:0 is how it is spoken of
    options.jpeg_subsampling = value_named("--subsampling", name, kSubsamplingNames);
  }
  return options;
}

void note_without_effect(const ImageOutputArguments& arguments, const std::string& output, Verbosity verbosity) {
  const std::string ending = file_ending(output);
  const bool is_png = is_untyped_stream(output) || ending == "png";
  const bool is_jpeg = ending == "jpg" || ending == "jpeg";
  const auto note = [&](bool given, bool fits, const char* option, const char* type) {
    if (given && !fits) {
      const std::string name = output == "-" ? "standard output" : printable_name(output);
      print_note(verbosity, std::string(option) + " has no effect: " + name + " is no " + type);
    }
  };
  note(arguments.png_level.has_value(), is_png, "--png-level", "PNG");
  note(arguments.quality.has_value(), is_jpeg, "--quality", "JPEG");
  note(!arguments.subsampling.empty(), is_jpeg, "--subsampling", "JPEG");
}

std::string image_ending_for(const std::string& input, const std::string& asked) {
  const std::vector<std::string> written = {"png", "jpg", "jpeg", "bmp", "tga"};
  if (!asked.empty()) {
    return ending_asked(asked, written);
  }
  const std::string own = file_ending(input);
  return std::find(written.begin(), written.end(), own) != written.end() ? own : "png";
}

}  // namespace gpuimg
