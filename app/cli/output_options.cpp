// Declares and checks the options of outputs.
#include "cli/output_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "gpuimg/error.hpp"

namespace gpuimg {
namespace {

/// Takes the names from the list of formats (app/codecs/codecs.cpp).
OutputFormats<codecs::FileFormat> image_formats(bool are_one_bit) {
  OutputFormats<codecs::FileFormat> formats = {"an image", {}, codecs::FileFormat::png};
  for (const codecs::Codec& codec : codecs::codecs()) {
    for (const codecs::WrittenName& written : codec.written) {
      if (are_one_bit || !written.is_one_bit) {
        auto& names = written.meaning.empty() ? formats.more_names : formats.names;
        names.emplace_back(std::string(written.name), codec.format, std::string(written.meaning));
      }
    }
  }
  return formats;
}

const NamedValues<codecs::ChromaSubsampling> kSubsamplingNames = {
    {"420", codecs::ChromaSubsampling::s420, "half the width and half the height; for photos", {"4:2:0"}},
    {"422", codecs::ChromaSubsampling::s422, "half the width"},
    {"440", codecs::ChromaSubsampling::s440, "half the height"},
    {"444", codecs::ChromaSubsampling::s444, "full; for text and thin colored lines", {"none", "full"}},
};

const NamedValues<codecs::TiffCompression> kCompressionNames = {
    {"none", codecs::TiffCompression::none, "uncompressed"},
    {"packbits", codecs::TiffCompression::packbits, "for drawings"},
    {"lzw", codecs::TiffCompression::lzw, "for old readers"},
    {"deflate", codecs::TiffCompression::deflate, "usually the smallest", {"zip"}},
    {"g4", codecs::TiffCompression::group4, "Group 4 fax, for black and white", {"group4"}},
    {"jpeg", codecs::TiffCompression::jpeg, "lossy, 8 bits, at --quality"},
};

const NamedValues<Stripping> kStrippingNames = {
    {"all", Stripping::all},
    {"gps", Stripping::positions},
};

/// Used if neither --subsampling nor the JPEG input decides: WriteOptions::jpeg_subsampling.
constexpr codecs::ChromaSubsampling kDefaultSubsampling = codecs::ChromaSubsampling::s420;

int number_from(const char* option, const std::optional<int>& given, int least, int most, int if_absent) {
  if (given && (*given < least || *given > most)) {
    throw Error(ErrorKind::usage, std::string(option) + ": " + std::to_string(*given) + " is out of range (" +
                                      std::to_string(least) + " to " + std::to_string(most) + ")");
  }
  return given.value_or(if_absent);
}

/// The number in --quality; nothing if the option is absent or "keep".
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

void add_format_option(CommandParser& parser, std::string& asked, const OptionText& description) {
  parser.text(of_run({"--format,--output-format", description, "NAME"}), asked);
}

const OutputFormats<codecs::FileFormat> kImageFormats = image_formats(false);
const OutputFormats<codecs::FileFormat> kBitmapFormats = image_formats(true);

codecs::FileFormat image_format(const std::string& path, const std::string& asked) {
  return output_format(kImageFormats, asked, path);
}

std::string listed_image_formats(const std::string& before_each) {
  std::vector<std::string> names;
  for (const codecs::Codec& codec : codecs::codecs()) {
    if (codec.is_written()) {
      names.push_back(before_each + std::string(codec.written.begin()->name));
    }
  }
  return listed(names);
}

void add_compression_options(CommandParser& parser, ImageOutputArguments& arguments) {
  parser.number(
      of_run({"--png-level",
              fmt::format("compression of PNG, 0 (fastest) to 3 (smallest) [{}]", codecs::WriteOptions().png_level),
              "N"}),
      arguments.png_level);
  parser.text(of_run({"--compression",
                      with_choices("compression of TIFF", kCompressionNames,
                                   name_of(codecs::WriteOptions().tiff_compression, kCompressionNames)),
                      "NAME"}),
              arguments.compression);
}

void add_lossy_options(CommandParser& parser, ImageOutputArguments& arguments) {
  parser.text(
      of_run({"--quality",
              fmt::format("quality of JPEG and WebP, 1 to 100; keep reuses the quantization tables of a JPEG IN [{}]",
                          codecs::WriteOptions().jpeg_quality),
              "N|keep"}),
      arguments.quality);
  parser.text(of_run({"--subsampling",
                      with_choices("color resolution of JPEG", kSubsamplingNames,
                                   name_of(kDefaultSubsampling, kSubsamplingNames)),
                      "NAME"}),
              arguments.subsampling);
  parser.flag(of_run({"--lossless", "compress WebP without loss, instead of at --quality"}), arguments.lossless);
}

void add_metadata_option(CommandParser& parser, ImageOutputArguments& arguments) {
  std::vector<std::string> carriers;
  for (const codecs::Codec& codec : codecs::codecs()) {
    if (codec.fit_metadata != nullptr) {
      carriers.emplace_back(codec.name);
    }
  }
  parser.flag_or_text(
      of_run({"--strip", fmt::format("write no color profile, EXIF, XMP or other metadata; --strip=gps removes only "
                                     "positions [copy all to {}]",
                                     listed(carriers, "and"))}),
      arguments.strip);
}

Stripping stripping_of(const ImageOutputArguments& arguments) {
  if (arguments.strip.empty()) {
    return Stripping::nothing;
  }
  return arguments.strip == "true" ? Stripping::all : value_named("--strip", arguments.strip, kStrippingNames);
}

void add_conversion_options(CommandParser& parser, ImageOutputArguments& arguments) {
  parser.text(of_run({"--background", "flatten alpha onto this color, such as white, ff8000 or 255,128,0 [keep alpha]",
                      "COLOR"}),
              arguments.background);
  parser.text(of_run({"--depth", "bits per channel of OUT, 8 or 16 [as IN]", "BITS"}), arguments.depth);
}

codecs::WriteOptions checked_write_options(const ImageOutputArguments& arguments) {
  codecs::WriteOptions options;
  if (const auto* named = kImageFormats.find(arguments.format)) {
    options.format = named->value;
  }
  options.png_level = number_from("--png-level", arguments.png_level, 0, 3, options.png_level);
  options.jpeg_quality = number_from("--quality", quality_given(arguments), 1, 100, options.jpeg_quality);
  options.webp_quality = options.jpeg_quality;
  options.webp_lossless = arguments.lossless;
  if (!arguments.compression.empty()) {
    options.tiff_compression = value_named("--compression", arguments.compression, kCompressionNames);
  }
  if (!arguments.subsampling.empty()) {
    std::string name = arguments.subsampling;
    std::erase(name, ':');  // accept 4:2:0, the usual notation
    options.jpeg_subsampling = value_named("--subsampling", name, kSubsamplingNames);
  }
  return options;
}

void note_without_effect(const ImageOutputArguments& arguments, const std::string& output,
                         std::optional<codecs::FileFormat> format, Verbosity verbosity) {
  const bool is_png = format == codecs::FileFormat::png;
  const bool is_jpeg = format == codecs::FileFormat::jpeg;
  const bool is_webp = format && codecs::codec_of(*format).name == "WebP";  // FileFormat::webp may not exist
  const bool is_tiff = format && codecs::codec_of(*format).name == "TIFF";  // FileFormat::tiff may not exist
  const bool has_jpeg_data = is_jpeg || (is_tiff && arguments.compression == "jpeg");
  const std::string name = is_standard_output(output) ? "standard output" : printable_name(output);
  const auto note = [&](bool given, bool fits, const char* option, const char* kind) {
    note_no_effect(given && !fits, option, name + " is not a " + kind, verbosity);
  };
  note(arguments.png_level.has_value(), is_png, "--png-level", "PNG");
  note(!arguments.compression.empty(), is_tiff, "--compression", "TIFF");
  note(!arguments.quality.empty(), has_jpeg_data || is_webp, "--quality", "JPEG");
  note_no_effect(is_webp && !arguments.quality.empty() && arguments.lossless, "--quality", "--lossless is given",
                 verbosity);
  const bool is_other_lossy = (is_webp && !arguments.lossless) || (has_jpeg_data && !is_jpeg);
  note_no_effect(is_other_lossy && arguments.keeps_quality(), "--quality keep", name + " is not a JPEG", verbosity);
  note(!arguments.subsampling.empty(), has_jpeg_data, "--subsampling", "JPEG");
  note(arguments.lossless, is_webp, "--lossless", "WebP");
}

std::string image_extension_for(const std::string& input, const std::string& asked) {
  if (!asked.empty()) {
    (void)image_format(input, asked);
    return asked;
  }
  const std::string own = file_extension(input);
  return kImageFormats.find(own) != nullptr ? own : "png";
}

void add_selection_options(CommandParser& parser, SelectionArguments& arguments) {
  parser.text({"--roi", "count only the pixels in this rectangle", "X,Y,W,H"}, arguments.region);
  parser.text({.names = "--mask",
               .description = "leave out the pixels that are black in FILE, an image of the same size",
               .type_name = "FILE",
               .reads_file = true},
              arguments.mask);
  add_transparent_option(parser, arguments.transparent);
}

void add_transparent_option(CommandParser& parser, std::string& value, bool counts) {
  parser.text({"--transparent",
               with_choices("what to do with fully transparent pixels, whose colors are hidden", kTransparentNames,
                            name_of(counts, kTransparentNames)),
               "WHAT"},
              value);
}

bool counts_transparent(const std::string& value, Channel channel) {
  return value.empty() ? channel == Channel::alpha : value_named("--transparent", value, kTransparentNames);
}

Selection checked_selection(const SelectionArguments& arguments, Channel channel) {
  Selection selection;
  selection.count_transparent = counts_transparent(arguments.transparent, channel);
  if (!arguments.region.empty()) {
    selection.region = parse_region("--roi", arguments.region);
  }
  return selection;
}

void add_luma_option(CommandParser& parser, std::string& value, Luma by_default) {
  parser.text(
      {"--luma",
       with_choices("how luma is computed from red, green and blue", kLumaNames, name_of(by_default, kLumaNames)),
       "NAME"},
      value);
}

}  // namespace gpuimg
