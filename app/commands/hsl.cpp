// gpuimg hsl IN… OUT.npy|OUT.png: converts to HSL, converts back, or adjusts. docs/operations.md, "HSL".
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch/batch_command.hpp"
#include "cli/messages.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/npy/npy.hpp"
#include "commands/commands.hpp"
#include "commands/hsl.hpp"
#include "commands/photo_job.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::hsl {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg hsl in.png out.npy                       float32 degrees and fractions\n"
    "  gpuimg hsl --saturation 1.3 in.jpg vivid.png    adjusted, written as RGB\n"
    "  gpuimg hsl --inverse hsl.png rgb.png            back from what hsl wrote\n"
    "  gpuimg hsl --saturation 1.3 --recursive photos/ vivid/";

// Text entries of a PNG that describe HSL pixels.

constexpr const char* kEncodingKeyword = "gpuimg:hsl";
constexpr const char* kDepthKeyword = "gpuimg:hsl-depth";

struct HslFileFacts {
  std::optional<HslEncoding> encoding;
  std::optional<Sample> rgb_sample;  ///< u8 or u16: the sample type of the original RGB image
};

/// The entries gpuimg:hsl and gpuimg:hsl-depth.
std::vector<codecs::TextEntry> hsl_text_entries(HslEncoding encoding, Sample rgb_sample) {
  return {{kEncodingKeyword, name_of(encoding, kEncodingNames)},
          {kDepthKeyword, rgb_sample == Sample::u8 ? "8" : "16"}};
}

/// Parses the entries of a file; ignores unknown values.
HslFileFacts hsl_facts(const std::vector<codecs::TextEntry>& text) {
  HslFileFacts facts;
  for (const codecs::TextEntry& entry : text) {
    if (entry.keyword == kEncodingKeyword) {
      for (const auto& named : kEncodingNames) {
        if (named.name == entry.text) {
          facts.encoding = named.value;
        }
      }
    } else if (entry.keyword == kDepthKeyword && (entry.text == "8" || entry.text == "16")) {
      facts.rgb_sample = entry.text == "8" ? Sample::u8 : Sample::u16;
    }
  }
  return facts;
}

// Planes as separate files.

/// The OpenCV encodings store lightness before saturation.
bool is_opencv_order(HslEncoding encoding) {
  return encoding == HslEncoding::opencv || encoding == HslEncoding::opencv_full;
}

Image channel_image(ConstView pixels, std::size_t channel) {
  const std::size_t sample = sample_bytes(pixels.format.sample);
  const std::size_t pixel = pixels.format.bytes_per_pixel();
  Image plane(pixels.width, pixels.height, PixelFormat{pixels.format.sample, 1});
  const View out = plane.view();
  for (int y = 0; y < pixels.height; ++y) {
    const std::byte* from = pixels.row_bytes(y) + channel * sample;
    std::byte* to = out.row_bytes(y);
    for (int x = 0; x < pixels.width; ++x, from += pixel, to += sample) {
      std::memcpy(to, from, sample);
    }
  }
  return plane;
}

/// The file names of the three planes of `output`: a_h.png, a_s.png and a_l.png for "a.png", in this order.
std::array<std::string, 3> plane_names(const std::string& output) {
  const std::filesystem::path path(output);
  const std::string extension = path.extension().string();
  const std::string stem = output.substr(0, output.size() - extension.size());
  return {stem + "_h" + extension, stem + "_s" + extension, stem + "_l" + extension};
}

/// Hue, saturation and lightness as three gray images, in this order for every encoding.
std::array<Image, 3> split_planes(ConstView hsl, HslEncoding encoding) {
  const std::size_t saturation = is_opencv_order(encoding) ? 2 : 1;
  const std::size_t lightness = is_opencv_order(encoding) ? 1 : 2;
  return {channel_image(hsl, 0), channel_image(hsl, saturation), channel_image(hsl, lightness)};
}

enum class HslFormat { npy, png, tiff };

const OutputFormats<HslFormat> kHslFormats = with_table_codec(
    {"HSL",
     {{"npy", HslFormat::npy, "float32, or what --encode says"}, {"png", HslFormat::png, "16 bits, or 8"}},
     HslFormat::png},
    HslFormat::tiff, "float32, a page for each of H, S and L");

std::optional<HslEncoding> encoding_asked(const Arguments& arguments) {
  if (arguments.encoding.empty()) {
    return std::nullopt;
  }
  return value_named("--encode", arguments.encoding, kEncodingNames);
}

std::vector<std::byte> tiff_of(ConstView hsl) {
  constexpr std::array<std::string_view, 4> kNames = {"hue", "saturation", "lightness", "alpha"};
  const auto channels = std::span(kNames).first(static_cast<std::size_t>(hsl.format.channels));
  return codecs::table_codec()->encode_table(hsl, channels);
}

void save_pixels(Worker& worker, const std::string& output, HslFormat format, ConstView pixels,
                 const codecs::WriteOptions& write_options) {
  if (format == HslFormat::tiff) {
    worker.writer.save(output, [&] { return tiff_of(pixels); });
  } else if (format == HslFormat::npy) {
    worker.writer.save_rows(output, pixels, codecs::npy::npy_opener(pixels.width, pixels.height, pixels.format));
  } else {
    worker.writer.save_image(output, pixels, write_options);
  }
}

class ToHslJob final : public ImageJob {
 public:
  explicit ToHslJob(const Arguments& arguments) : arguments_(arguments), output_(arguments.image_output) {
    (void)encoding_asked(arguments);
  }

  void check_name(const std::string& output) const override {
    const bool is_float = encoding_for(output) == HslEncoding::f32;
    if (is_float && format_of(output) == HslFormat::png) {
      throw Error(ErrorKind::usage, "--encode: float needs an .npy output; a PNG holds u16, opencv or opencv-full");
    }
    if (!is_float && format_of(output) == HslFormat::tiff) {
      throw Error(ErrorKind::usage, "--encode: a TIFF holds float; give OUT the extension .npy or .png");
    }
    reject_together(arguments_.planes && is_standard_output(output), "--planes", "standard output");
  }
  void note_options(const std::string& output, Verbosity verbosity) const override {
    note_misleading_extension(kHslFormats, asked_format(), output, verbosity);
    note_no_effect(!arguments_.image_output.strip.empty(), "--strip", "HSL carries no metadata", verbosity);
    ImageOutputArguments of_image = arguments_.image_output;
    if (format_of(output) == HslFormat::tiff && !std::exchange(of_image.compression, "").empty()) {
      note_no_effect(true, "--compression", "tables in TIFF are stored uncompressed", verbosity);
    }
    const bool is_png = format_of(output) == HslFormat::png;
    note_without_effect(of_image, output, is_png ? std::optional(codecs::FileFormat::png) : std::nullopt, verbosity);
  }
  [[nodiscard]] std::vector<std::string> files_of(const std::string& output) const override {
    if (!arguments_.planes) {
      return {output};
    }
    const auto planes = plane_names(output);
    return {planes.begin(), planes.end()};
  }
  [[nodiscard]] std::string extension_for(const std::string& /*input*/) const override {
    const HslEncoding encoding = encoding_asked(arguments_).value_or(HslEncoding::f32);
    return !asked_format().empty() ? asked_format() : encoding == HslEncoding::f32 ? "npy" : "png";
  }
  [[nodiscard]] ExtraBytes extra_bytes(const codecs::DeclaredImage& image, const std::string& output) const override {
    const ToHslOptions options{encoding_for(output)};
    ExtraBytes held = held_by_steps_and(traits_for(options), image);
    held.others += (format_of(output) == HslFormat::tiff ? held.result : 0) + (arguments_.planes ? held.result : 0);
    held.of_thread = format_of(output) == HslFormat::png ? output_.held_of_thread(output) : 0;
    return held;
  }
  [[nodiscard]] std::vector<OperationTraits> operations() const override {
    return followed_by(traits_of(ToHslOptions()));
  }
  [[nodiscard]] bool visits_rows(const std::string& output) const override {
    return !arguments_.planes && steps_.takes_bands() &&
           (format_of(output) == HslFormat::npy || (format_of(output) == HslFormat::png && output_.takes_rows(output)));
  }

  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    const HslEncoding encoding = encoding_for(paths.output);
    const bool is_png = format_of(paths.output) == HslFormat::png;  // a device may encode it
    const auto when = is_png ? RowsWhen::on_host : RowsWhen::always;
    codecs::DecodedImage decoded = arguments_.planes ? load(worker, paths) : load_rows(worker, paths, rows_when(when));
    ImageSteps::OfImage made = steps_.for_image(decoded, paths.input, worker);
    const Sample rgb_sample = made.result.format.sample;
    made.add("hsl", applying(ToHslOptions{encoding}), traits_of(ToHslOptions{encoding}, made.result));
    const ImageShape& result = made.result;
    codecs::WriteOptions write_options = output_.write_options();
    if (!arguments_.planes && format_of(paths.output) == HslFormat::png) {
      write_options.text = hsl_text_entries(encoding, rgb_sample);
      output_.process(OperationInput(std::move(decoded)), made.steps, result, paths.output, write_options, worker);
      save_side_files(made, worker);
      return {};
    }
    OperationInput input(std::move(decoded));
    if (!arguments_.planes && format_of(paths.output) == HslFormat::npy) {
      const auto open = codecs::npy::npy_opener(result.width, result.height, result.format);
      worker.writer.write_result(worker.executor, std::move(input), made.steps, paths.output, open);
      save_side_files(made, worker);
      return {};
    }
    const Image hsl = worker.executor.process(std::move(input), made.steps);
    save_side_files(made, worker);
    if (arguments_.planes) {
      const auto images = split_planes(hsl.view(), encoding);
      const auto names = plane_names(paths.output);
      for (std::size_t i = 0; i < names.size(); ++i) {
        save_pixels(worker, names[i], format_of(paths.output), images[i].view(), write_options);
      }
    } else {
      save_pixels(worker, paths.output, format_of(paths.output), hsl.view(), write_options);
    }
    return {};
  }

 private:
  [[nodiscard]] HslFormat format_of(const std::string& output) const {
    return output_format(kHslFormats, asked_format(), output);
  }
  [[nodiscard]] HslEncoding encoding_for(const std::string& output) const {
    return encoding_asked(arguments_)
        .value_or(format_of(output) == HslFormat::png ? HslEncoding::u16 : HslEncoding::f32);
  }
  [[nodiscard]] const std::string& asked_format() const { return arguments_.image_output.format; }

  const Arguments& arguments_;
  PhotoOutput output_;
};

/// Converts back to RGB. Its input files contain HSL, so it can only be the first step.
class FromHslStep final : public ImageStep {
 public:
  /// The arguments must outlive the step. If it is the `only` step, --depth applies to its result.
  FromHslStep(const Arguments& arguments, bool only)
      : arguments_(arguments),
        asked_encoding_(encoding_asked(arguments)),
        asked_depth_(only ? PhotoOutput(arguments.image_output).conversion().depth : std::nullopt) {}

  [[nodiscard]] std::string_view name() const override { return "hsl"; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override {
    return traits_of(FromHslOptions{asked_encoding_.value_or(HslEncoding::f32), asked_depth_.value_or(Sample::u16)},
                     input);
  }
  void note_options(Verbosity verbosity) const override {
    note_no_effect(!arguments_.image_output.strip.empty(), "--strip", "HSL carries no metadata", verbosity);
  }
  [[nodiscard]] bool reads_files() const override { return true; }
  [[nodiscard]] std::vector<std::string> input_extensions() const override { return {"npy", "png"}; }

  [[nodiscard]] codecs::DecodedImage read(Worker& worker, const std::string& path) const override {
    const Bytes bytes = worker.loader.read(path);
    codecs::DecodedImage decoded;
    if (codecs::npy::is_npy(bytes.span())) {
      decoded.image = codecs::npy::decode_npy(bytes.span(), path);
    } else {
      decoded = worker.loader.decode(bytes, path);
      decoded.metadata = {};
    }
    return decoded;
  }

  [[nodiscard]] StepOfImage for_image(const StepInput& input, Worker& worker) const override {
    const HslFileFacts facts = hsl_facts(input.file.text);
    const HslEncoding encoding = encoding_of(facts, input.shape.format, input.path);
    const Sample sample = depth_of(facts, encoding, input.path, worker);
    const FromHslOptions options{encoding, sample};
    StepOfImage made{applying(options)};
    made.step.traits = traits_of(options, input.shape);
    return made;
  }

 private:
  /// The encoding: from --encode; else from the file; else float if the samples are float32.
  [[nodiscard]] HslEncoding encoding_of(const HslFileFacts& facts, PixelFormat format, const std::string& input) const {
    std::optional<HslEncoding> encoding = asked_encoding_ ? asked_encoding_ : facts.encoding;
    if (!encoding && format.sample == Sample::f32) {
      encoding = HslEncoding::f32;
    }
    const std::string name = printable_name(input);
    if (!encoding) {
      throw Error(ErrorKind::usage, name + ": the file does not say how its HSL is encoded; give --encode");
    }
    if (format.sample != sample_of(*encoding) || format.channels < 3) {
      throw Error(ErrorKind::unsupported, name + ": the pixels are not HSL in the encoding " +
                                              name_of(*encoding, kEncodingNames) +
                                              "; it has 3 channels (4 with alpha) of " +
                                              std::to_string(8 * sample_bytes(sample_of(*encoding))) + " bits");
    }
    return *encoding;
  }

  /// The depth: from --depth; else from the file; else 8 bits, with a note if the encoding stores more.
  [[nodiscard]] Sample depth_of(const HslFileFacts& facts, HslEncoding encoding, const std::string& input,
                                Worker& worker) const {
    if (!asked_depth_ && !facts.rgb_sample && sample_of(encoding) != Sample::u8) {
      worker.report.note(input_name(input) +
                         ": does not say the bit depth of its source; OUT has 8 bits; use --depth 16 to keep more");
    }
    return asked_depth_ ? *asked_depth_ : facts.rgb_sample.value_or(Sample::u8);
  }

  const Arguments& arguments_;
  std::optional<HslEncoding> asked_encoding_;
  std::optional<Sample> asked_depth_;
};

/// Rejects --depth and --background for HSL output: the encoding determines the depth, and alpha is kept.
void reject_conversion_of_hsl(const ImageOutputArguments& output) {
  const char* option = !output.depth.empty() ? "--depth" : !output.background.empty() ? "--background" : nullptr;
  if (option != nullptr) {
    throw Error(ErrorKind::usage, std::string(option) + ": OUT is HSL, not RGB; give --inverse or an adjustment, " +
                                      "or choose the HSL encoding with --encode");
  }
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

class AdjustHslStep final : public ImageStep {
 public:
  explicit AdjustHslStep(const Arguments& arguments) : by_(checked_adjustment(arguments)) {}

  [[nodiscard]] std::string_view name() const override { return "hsl"; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override { return traits_of(by_, input); }
  [[nodiscard]] StepOfImage for_image(const StepInput& /*input*/, Worker& /*worker*/) const override {
    return {applying(by_)};
  }

 private:
  HslAdjustment by_;
};

void check_together(const Arguments& arguments) {
  reject_together(arguments.inverse && arguments.adjusts(), "--inverse", "--hue, --saturation or --lightness");
  reject_together(arguments.adjusts() && !arguments.encoding.empty(), "--encode", "--hue, --saturation or --lightness");
  reject_together(arguments.planes && (arguments.inverse || arguments.adjusts()), "--planes",
                  "--inverse, --hue, --saturation or --lightness");
  reject_together(arguments.inverse && arguments.image_output.keeps_quality(), "--inverse", "--quality keep");
}

/// Prints a note for a factor of 5 or more without a percent sign, which was probably meant as a percentage.
void note_large_factors(const CommandParser& parser, Verbosity verbosity) {
  constexpr double kLarge = 5.0;
  for (const GivenOption& option : parser.given_options()) {
    const std::string& text = option.values.front();
    const bool is_factor = option.name == "saturation" || option.name == "lightness";
    if (is_factor && !text.ends_with('%') && parse_factor("--" + option.name, text) >= kLarge) {
      print_note(verbosity,
                 fmt::format("--{0} {1} multiplies by {1}; for {1} percent more, give +{1}%", option.name, text));
    }
  }
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  add_batch_options(
      parser, arguments->files,
      {.input = "images and folders; with --inverse .npy or .png files that hsl wrote; - is standard input",
       .output = fmt::format("a .npy, .png or .tif file, or a folder; with --inverse or an adjustment a {} file; - is "
                             "standard output",
                             listed_image_formats("."))});
  parser.text({"--encode", with_choices("how HSL is stored", kEncodingNames, "u16 in .png, else float"), "NAME"},
              arguments->encoding);
  parser.flag({"--planes", "write three gray images: OUT_h, OUT_s and OUT_l"}, arguments->planes);
  parser.flag({"--inverse", "IN is HSL: convert it back to RGB"}, arguments->inverse);
  parser.number({"--hue", "adjust: add DEG degrees to the hue; OUT is RGB", "DEG"}, arguments->hue);
  parser.factor(
      {"--saturation", "adjust: multiply the saturation by K, such as 1.15, or 115% or +15%; OUT is RGB", "K"},
      arguments->saturation);
  parser.factor({"--lightness", "adjust: multiply the lightness by K; OUT is RGB", "K"}, arguments->lightness);
  add_format_option(
      parser, arguments->image_output.format,
      fmt::format("format of the output: npy, png or tif; with --inverse or an adjustment {} [by the extension of OUT; "
                  "png for -]",
                  listed_image_formats()));
  add_compression_options(parser, arguments->image_output);
  add_lossy_options(parser, arguments->image_output);
  add_metadata_option(parser, arguments->image_output);
  add_conversion_options(parser, arguments->image_output);
  parser.declare_step([arguments]() -> std::shared_ptr<ImageStep> {
    check_together(*arguments);
    if (arguments->inverse) {
      return std::make_shared<FromHslStep>(*arguments, false);
    }
    if (!arguments->adjusts()) {
      reject_before_steps("HSL", "--inverse, --hue, --saturation or --lightness");
    }
    return std::make_shared<AdjustHslStep>(*arguments);
  });
  return [arguments, &parser](const GlobalOptions& globals) {
    note_large_factors(parser, globals.verbosity);
    return run_job(*make_job(*arguments), parser, arguments->files, globals);
  };
}

}  // namespace

std::unique_ptr<ImageJob> make_job(const Arguments& arguments) {
  check_together(arguments);
  if (!arguments.inverse && !arguments.adjusts()) {
    reject_conversion_of_hsl(arguments.image_output);
  }
  if (arguments.inverse) {
    return std::make_unique<PhotoJob>(std::make_shared<FromHslStep>(arguments, true), arguments.image_output);
  }
  if (arguments.adjusts()) {
    return std::make_unique<PhotoJob>(std::make_shared<AdjustHslStep>(arguments), arguments.image_output);
  }
  return std::make_unique<ToHslJob>(arguments);
}

}  // namespace gpuimg::commands::hsl

namespace gpuimg {

Command hsl_command() { return operation_command("hsl", commands::hsl::kExamples, commands::hsl::declare); }

}  // namespace gpuimg
