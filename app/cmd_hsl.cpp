// gpuimg hsl IN OUT.npy|OUT.png: to HSL, back from it, or adjusted within it.
#include <CLI/CLI.hpp>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "command_context.hpp"
#include "commands.hpp"
#include "files/npy.hpp"
#include "files/printable_name.hpp"
#include "hsl_file.hpp"
#include "image_output_options.hpp"
#include "option_values.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg hsl in.png out.npy                       float32 degrees and fractions\n"
    "  gpuimg hsl --saturation 1.3 in.jpg vivid.png    adjusted, written as RGB\n"
    "  gpuimg hsl --inverse hsl.png rgb.png            back from what hsl wrote";

struct Arguments {
  std::string input;
  std::string output;
  std::string encoding;
  std::string depth;
  bool planes = false;
  bool inverse = false;
  std::optional<double> hue;
  std::optional<double> saturation;
  std::optional<double> lightness;
  ImageOutputArguments image_output;

  [[nodiscard]] bool adjusts() const { return hue || saturation || lightness; }
};

const NamedValues<Sample> kDepthNames = {{"8", Sample::u8}, {"16", Sample::u16}};

bool is_npy_output(const std::string& output) { return file_ending(output) == "npy"; }

std::optional<HslEncoding> encoding_asked(const Arguments& arguments) {
  if (arguments.encoding.empty()) {
    return std::nullopt;
  }
  return value_named("--encode", arguments.encoding, kEncodingNames);
}

void refuse_together(bool both, const char* first, const char* second) {
  if (both) {
    throw Error(ErrorKind::usage, std::string(first) + " and " + second + " exclude each other; give one of them");
  }
}

void save_pixels(CommandContext& context, const std::string& output, ConstView pixels,
                 const WriteOptions& write_options) {
  if (is_npy_output(output)) {
    context.save(output, [&] { return encode_npy(pixels); });
  } else {
    context.save_image(output, pixels, write_options);
  }
}

void run_forward(const Arguments& arguments, CommandContext& context, WriteOptions write_options) {
  const bool npy = is_npy_output(arguments.output);
  if (!npy && arguments.output != "-" && file_ending(arguments.output) != "png") {
    throw Error(ErrorKind::usage, printable_name(arguments.output) + ": HSL is written as .npy or .png");
  }
  const HslEncoding encoding = encoding_asked(arguments).value_or(npy ? HslEncoding::f32 : HslEncoding::u16);
  if (encoding == HslEncoding::f32 && !npy) {
    throw Error(ErrorKind::usage, "--encode: float needs an .npy output; a PNG holds u16, opencv or opencv-full");
  }
  refuse_together(arguments.planes && arguments.output == "-", "--planes", "standard output");
  const auto planes = plane_names(arguments.output);
  if (arguments.planes) {
    for (const std::string& name : planes) {
      context.check_output_file(name, arguments.input, true);
    }
  } else {
    context.check_output_file(arguments.output, arguments.input, true);
  }

  Image image = context.load(arguments.input).image;
  const Sample rgb_sample = image.format().sample;
  const Image hsl = context.process(
      {std::move(image), std::nullopt},
      [&](Backend& backend, const Picture& picture, const Picture*) { return backend.to_hsl(picture, encoding); });
  if (arguments.planes) {
    const auto images = split_planes(hsl.view(), encoding);
    for (std::size_t i = 0; i < planes.size(); ++i) {
      save_pixels(context, planes[i], images[i].view(), write_options);
    }
  } else {
    write_options.text = hsl_text_entries(encoding, rgb_sample);
    save_pixels(context, arguments.output, hsl.view(), write_options);
  }
}

/// The encoding of pixels read back: what was asked for, else what the file says, else what its sample type allows.
HslEncoding encoding_of(const Arguments& arguments, const std::optional<HslEncoding>& tagged, bool npy,
                        const Image& image) {
  const auto asked = encoding_asked(arguments);
  std::optional<HslEncoding> encoding = asked ? asked : tagged;
  if (!encoding && npy && image.format().sample == Sample::f32) {
    encoding = HslEncoding::f32;
  }
  const std::string name = printable_name(arguments.input);
  if (!encoding) {
    throw Error(ErrorKind::usage, name + ": nothing in the file says how HSL is encoded in it; give --encode");
  }
  if (image.format().sample != sample_of(*encoding) || image.format().channels < 3) {
    throw Error(ErrorKind::unsupported, name + ": the pixels are not HSL in the encoding " +
                                            name_of(*encoding, kEncodingNames) +
                                            "; it has 3 channels (4 with alpha) of " +
                                            std::to_string(8 * sample_bytes(sample_of(*encoding))) + " bits");
  }
  return *encoding;
}

void run_inverse(const Arguments& arguments, CommandContext& context, const WriteOptions& write_options) {
  std::optional<Sample> depth;
  if (!arguments.depth.empty()) {
    depth = value_named("--depth", arguments.depth, kDepthNames);
  }
  (void)encoding_asked(arguments);
  (void)image_file_type(arguments.output);
  context.check_output_file(arguments.output, arguments.input, true);

  const Bytes bytes = context.read(arguments.input);
  const bool npy = is_npy(bytes.span());
  HslFileFacts facts;
  Image image;
  if (npy) {
    image = decode_npy(bytes.span(), arguments.input);
  } else {
    DecodedImage decoded = context.decode(bytes, arguments.input);
    facts = hsl_facts(decoded.text);
    image = std::move(decoded.image);
  }
  const HslEncoding encoding = encoding_of(arguments, facts.encoding, npy, image);
  const Sample sample = depth.value_or(facts.rgb_sample.value_or(Sample::u8));
  const Image rgb =
      context.process({std::move(image), std::nullopt}, [&](Backend& backend, const Picture& picture, const Picture*) {
        return backend.from_hsl(picture, encoding, sample);
      });
  context.save_image(arguments.output, rgb.view(), write_options);
}

HslAdjustment checked_adjustment(const Arguments& arguments) {
  const auto check_factor = [](const char* option, double factor) {
    constexpr double kLargestFactor = 1.0e6;
    if (!(factor >= 0.0 && factor <= kLargestFactor)) {
      throw Error(ErrorKind::usage, std::string(option) + ": the factor must be from 0 to 1000000");
    }
    return static_cast<float>(factor);
  };
  HslAdjustment by;
  const double hue = arguments.hue.value_or(0.0);
  if (!std::isfinite(hue)) {
    throw Error(ErrorKind::usage, "--hue: the angle must be a number of degrees");
  }
  by.hue_degrees = static_cast<float>(std::fmod(hue, 360.0));
  by.saturation = check_factor("--saturation", arguments.saturation.value_or(1.0));
  by.lightness = check_factor("--lightness", arguments.lightness.value_or(1.0));
  return by;
}

void run_adjust(const Arguments& arguments, CommandContext& context, WriteOptions write_options) {
  const HslAdjustment by = checked_adjustment(arguments);
  (void)image_file_type(arguments.output);
  context.check_output_file(arguments.output, arguments.input, true);
  DecodedImage decoded = context.load(arguments.input);
  if (!arguments.image_output.strip) {
    write_options.metadata = std::move(decoded.metadata);
  }
  const Image adjusted = context.process(
      {std::move(decoded.image), std::nullopt},
      [&](Backend& backend, const Picture& picture, const Picture*) { return backend.adjust_hsl(picture, by); });
  context.save_image(arguments.output, adjusted.view(), std::move(write_options));
}

void run(const Arguments& arguments, const GlobalOptions& globals) {
  refuse_together(arguments.inverse && arguments.adjusts(), "--inverse", "--hue, --saturation, --lightness");
  refuse_together(arguments.adjusts() && !arguments.encoding.empty(), "--encode", "--hue, --saturation, --lightness");
  refuse_together(arguments.planes && (arguments.inverse || arguments.adjusts()), "--planes",
                  "--inverse, --hue, --saturation, --lightness");
  if (!arguments.depth.empty() && !arguments.inverse) {
    throw Error(ErrorKind::usage, "--depth goes with --inverse: elsewhere the bit depth of the input is kept");
  }
  const WriteOptions write_options = checked_write_options(arguments.image_output, arguments.output, globals.verbosity);
  CommandContext context(globals);
  if (arguments.inverse) {
    run_inverse(arguments, context, write_options);
  } else if (arguments.adjusts()) {
    run_adjust(arguments, context, write_options);
  } else {
    run_forward(arguments, context, write_options);
  }
  context.finish();
}

}  // namespace

Command add_hsl(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = app.add_subcommand("hsl", "convert to hue, saturation and lightness, back, or adjust them");
  parser->footer(kExamples);
  parser->add_option("IN", arguments->input, "image (with --inverse: .npy or .png), or - for standard input")
      ->required();
  parser->add_option("OUT", arguments->output, ".npy or .png; with --inverse or an adjustment any image; - for PNG")
      ->required();
  parser->add_option("--encode", arguments->encoding, "float, u16, opencv or opencv-full [float in .npy, u16 in .png]")
      ->type_name("NAME");
  parser->add_flag("--planes", arguments->planes, "write three gray files: OUT_h, OUT_s and OUT_l");
  parser->add_flag("--inverse", arguments->inverse, "IN is HSL; write RGB");
  parser->add_option("--depth", arguments->depth, "8 or 16 bits for --inverse [as tagged, else 8]")->type_name("BITS");
  parser->add_option("--hue", arguments->hue, "turn hue by degrees; writes RGB")->type_name("DEG");
  parser->add_option("--saturation", arguments->saturation, "multiply saturation; writes RGB")->type_name("K");
  parser->add_option("--lightness", arguments->lightness, "multiply lightness; writes RGB")->type_name("K");
  add_image_output_options(*parser, arguments->image_output);
  add_metadata_option(*parser, arguments->image_output);
  return {parser, [arguments](const GlobalOptions& globals) { run(*arguments, globals); }};
}

}  // namespace gpuimg
