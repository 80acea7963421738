// gpuimg integral IN… OUT: summed-area tables, and the window statistics that are computed with them. The mean is an
// image like the input; variance and deviation are float32 numbers, or a preview of them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "batch/batch_command.hpp"
#include "cli/command_parser.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "codecs/npy/npy.hpp"
#include "commands/commands.hpp"
#include "commands/photo_job.hpp"
#include "engine/image_job.hpp"
#include "report/table_text.hpp"

namespace gpuimg::commands::integral {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg integral in.png table.npy\n"
    "  gpuimg integral --layout inclusive --square --type f64 in.png squares.npy\n"
    "  gpuimg integral --mean 31 in.png blurred.png\n"
    "  gpuimg integral --recursive photos/ tables/";

/// Options of --mean, --variance and --deviation, as given on the command line.
struct WindowArguments {
  std::string mean;  ///< this and the next two are empty if not given
  std::string variance;
  std::string deviation;
  std::string border;

  [[nodiscard]] bool any() const { return !(mean.empty() && variance.empty() && deviation.empty()); }
};

struct Arguments {
  BatchArguments files;
  std::string layout;  ///< empty: the default
  std::string type;
  std::string channel = name_of(IntegralOptions().channel, kPlainChannelNames);
  std::string luma = name_of(IntegralOptions().luma, kLumaNames);
  bool square = false;
  bool allow_wrap = false;
  std::string transparent;  ///< empty: the default
  WindowArguments window;
  ImageOutputArguments image_output;
};

IntegralOptions checked_options(const Arguments& arguments) {
  IntegralOptions options;
  if (!arguments.layout.empty()) {
    options.layout = value_named("--layout", arguments.layout, kLayoutNames);
  }
  if (!arguments.type.empty()) {
    options.type = value_named("--type", arguments.type, kTableTypeNames);
  }
  options.channel = value_named("--channel", arguments.channel, kPlainChannelNames);
  options.luma = value_named("--luma", arguments.luma, kLumaNames);
  options.square = arguments.square;
  options.allow_wrap = arguments.allow_wrap;
  return options;
}

enum class Format { npy, png, csv, tiff };

const OutputFormats<Format> kFormats = with_table_codec({"a summed-area table",
                                                         {{"npy", Format::npy, "exact"},
                                                          {"png", Format::png, "a preview in 16-bit gray"},
                                                          {"csv", Format::csv, "exact, up to 4,000,000 entries"}},
                                                         Format::npy},
                                                        Format::tiff, "u32, f32 or f64");

/// Begins an .npy file of the table.
OpenWriter npy_writer(const ImageShape& input, const IntegralOptions& options) {
  const Sample entry = table_sample(input.width, input.height, input.format, options);
  const int width = table_width(input.width, options.layout);
  const int height = table_height(input.height, options.layout);
  return codecs::npy::npy_opener(width, height, {entry, 1});
}

class IntegralJob final : public ImageJob {
 public:
  explicit IntegralJob(const Arguments& arguments)
      : arguments_(arguments),
        options_(checked_options(arguments)),
        write_options_(checked_write_options(arguments.image_output)) {}

  void check_name(const std::string& output) const override {
    if (format_of(output) == Format::tiff && options_.type == Sample::u64) {
      throw Error(ErrorKind::usage, "--type: u64 needs an .npy or .csv output; a TIFF holds u32, f32 or f64");
    }
  }
  void note_options(const std::string& output, Verbosity verbosity) const override {
    note_misleading_extension(kFormats, asked_format(), output, verbosity);
    note_no_effect(options_.luma != IntegralOptions().luma && options_.channel != Channel::luma, "--luma",
                   "luma is not summed", verbosity);
    const bool may_wrap = options_.type == Sample::u32 || options_.type == Sample::u64;
    note_no_effect(options_.allow_wrap && !may_wrap, "--allow-wrap", "only --type u32 and u64 can wrap", verbosity);
    ImageOutputArguments of_image = arguments_.image_output;
    if (format_of(output) == Format::tiff && !std::exchange(of_image.compression, "").empty()) {
      note_no_effect(true, "--compression", "tables in TIFF are stored uncompressed", verbosity);
    }
    const bool is_png = format_of(output) == Format::png;
    note_without_effect(of_image, output, is_png ? std::optional(codecs::FileFormat::png) : std::nullopt, verbosity);
  }
  [[nodiscard]] bool is_binary(const std::string& output) const override { return format_of(output) != Format::csv; }
  [[nodiscard]] std::string extension_for(const std::string& /*input*/) const override {
    return asked_format().empty() ? "npy" : asked_format();
  }
  [[nodiscard]] ExtraBytes extra_bytes(const codecs::DeclaredImage& image, const std::string& output) const override {
    constexpr std::uint64_t kLongestText = 21;  // one sum and its comma
    constexpr std::uint64_t kPreview = 2;
    ExtraBytes held = held_by_steps_and(traits_for(options_), image);
    const Format format = format_of(output);
    held.others += format == Format::npy   ? 0
                   : format == Format::csv ? kLongestText
                   : format == Format::png ? kPreview
                                           : held.result;
    return held;
  }
  [[nodiscard]] std::vector<OperationTraits> operations() const override { return followed_by(traits_of(options_)); }
  [[nodiscard]] bool visits_rows(const std::string& output) const override {
    return format_of(output) == Format::npy && steps_.takes_bands();
  }

  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    const Format format = format_of(paths.output);
    codecs::DecodedImage decoded =
        format == Format::npy ? load_rows(worker, paths, rows_when(RowsWhen::always)) : load(worker, paths);
    ImageSteps::OfImage made = steps_.for_image(decoded, paths.input, worker);
    const ImageShape shape = made.result;
    if (options_.channel == Channel::luma) {
      worker.loader.note_luma_of(shape.format, decoded.metadata, paths.input);
    }
    if (format == Format::csv) {
      check_table_fits_csv(shape.width, shape.height, options_.layout);
    }
    IntegralOptions options = options_;
    if (format == Format::tiff && !options.type &&
        table_sample(shape.width, shape.height, shape.format, options) == Sample::u64) {
      options.type = Sample::f64;
    }
    made.add("integral", applying(options), traits_of(options, shape));
    OperationInput input(std::move(decoded));
    if (format == Format::npy) {
      worker.writer.write_result(worker.executor, std::move(input), made.steps, paths.output,
                                 npy_writer(shape, options));
      save_side_files(made, worker);
      return {};
    }
    const Image table = worker.executor.process(std::move(input), made.steps);
    save_side_files(made, worker);
    if (format == Format::tiff) {
      constexpr std::string_view kSums = "sums";
      worker.writer.save(paths.output, [&] { return codecs::table_codec()->encode_table(table.view(), {&kSums, 1}); });
    } else if (format == Format::csv) {
      worker.writer.save(paths.output, [&] { return table_csv(table.view()); });
    } else {
      worker.writer.save_image(paths.output, table_preview(table.view()).view(), write_options_);
    }
    return {};
  }

 private:
  [[nodiscard]] const std::string& asked_format() const { return arguments_.image_output.format; }
  [[nodiscard]] Format format_of(const std::string& output) const {
    return output_format(kFormats, asked_format(), output);
  }

  const Arguments& arguments_;
  IntegralOptions options_;
  codecs::WriteOptions write_options_;
};

class MeanStep final : public ImageStep {
 public:
  explicit MeanStep(const WindowOptions& options) : options_(options) {}

  [[nodiscard]] std::string_view name() const override { return "integral"; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override { return traits_of(options_, input); }
  void note_options(Verbosity verbosity) const override {
    note_no_effect(options_.channel != WindowOptions().channel, "--channel", "--mean averages every color channel",
                   verbosity);
    note_no_effect(options_.luma != WindowOptions().luma, "--luma", "--mean averages every color channel", verbosity);
  }
  [[nodiscard]] StepOfImage for_image(const StepInput& /*input*/, Worker& /*worker*/) const override {
    return {applying(options_)};
  }

 private:
  WindowOptions options_;
};

enum class MomentFormat { npy, png };

const OutputFormats<MomentFormat> kMomentFormats = {
    "a variance or deviation",
    {{"npy", MomentFormat::npy, "float32"}, {"png", MomentFormat::png, "a preview in 16-bit gray"}},
    MomentFormat::npy};

/// A gray image in which the largest number is white.
Image preview_of(ConstView moments) {
  float largest = 0.0F;
  for (int y = 0; y < moments.height; ++y) {
    const auto* row = moments.row<float>(y);
    largest = std::max(largest, *std::max_element(row, row + moments.width));
  }
  Image preview(moments.width, moments.height, PixelFormat{Sample::u16, 1});
  const double white = largest > 0.0F ? static_cast<double>(largest) : 1.0;
  for (int y = 0; y < moments.height; ++y) {
    const auto* row = moments.row<float>(y);
    std::transform(row, row + moments.width, preview.view().row<std::uint16_t>(y), [white](float moment) {
      return static_cast<std::uint16_t>(std::floor(65535.0 * static_cast<double>(moment) / white + 0.5));
    });
  }
  return preview;
}

class MomentJob final : public ImageJob {
 public:
  MomentJob(const WindowOptions& options, const ImageOutputArguments& image_output)
      : options_(options), arguments_(image_output), write_options_(checked_write_options(image_output)) {}

  [[nodiscard]] std::vector<OperationTraits> operations() const override { return followed_by(traits_of(options_)); }
  void check_name(const std::string& output) const override { (void)format_of(output); }
  void note_options(const std::string& output, Verbosity verbosity) const override {
    note_misleading_extension(kMomentFormats, arguments_.format, output, verbosity);
    note_no_effect(options_.luma != WindowOptions().luma && options_.channel != Channel::luma, "--luma",
                   "luma is not used", verbosity);
    const bool is_png = format_of(output) == MomentFormat::png;
    note_without_effect(arguments_, output, is_png ? std::optional(codecs::FileFormat::png) : std::nullopt, verbosity);
  }
  [[nodiscard]] std::string extension_for(const std::string& /*input*/) const override {
    return arguments_.format.empty() ? "npy" : arguments_.format;
  }
  [[nodiscard]] ExtraBytes extra_bytes(const codecs::DeclaredImage& image, const std::string& output) const override {
    constexpr std::uint64_t kPreview = 2;
    ExtraBytes held = held_by_steps_and(traits_for(options_), image);
    held.others += format_of(output) == MomentFormat::png ? kPreview : 0;
    return held;
  }
  [[nodiscard]] bool visits_rows(const std::string& output) const override {
    return format_of(output) == MomentFormat::npy && steps_.takes_bands();
  }

  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    const MomentFormat format = format_of(paths.output);
    codecs::DecodedImage decoded =
        format == MomentFormat::npy ? load_rows(worker, paths, rows_when(RowsWhen::too_large)) : load(worker, paths);
    ImageSteps::OfImage made = steps_.for_image(decoded, paths.input, worker);
    if (options_.channel == Channel::luma) {
      worker.loader.note_luma_of(made.result.format, decoded.metadata, paths.input);
    }
    const OperationTraits traits = traits_of(options_, made.result);
    made.add("integral", applying(options_), traits);
    if (format == MomentFormat::npy) {
      const auto open = codecs::npy::npy_opener(traits.result.width, traits.result.height, traits.result.format);
      worker.writer.write_result(worker.executor, OperationInput(std::move(decoded)), made.steps, paths.output, open);
    } else {
      const Image moments = worker.executor.process(OperationInput(std::move(decoded)), made.steps);
      worker.writer.save_image(paths.output, preview_of(moments.view()).view(), write_options_);
    }
    save_side_files(made, worker);
    return {};
  }

 private:
  [[nodiscard]] MomentFormat format_of(const std::string& output) const {
    return output_format(kMomentFormats, arguments_.format, output);
  }

  WindowOptions options_;
  const ImageOutputArguments& arguments_;
  codecs::WriteOptions write_options_;
};

/// The statistic, its window and its border. Throws Error{usage} unless exactly one statistic is given.
WindowOptions checked_window(const WindowArguments& arguments) {
  WindowOptions options;
  if (int{!arguments.mean.empty()} + int{!arguments.variance.empty()} + int{!arguments.deviation.empty()} != 1) {
    throw Error(ErrorKind::usage, "give one of --mean, --variance and --deviation");
  }
  if (!arguments.mean.empty()) {
    options.size = parse_window("--mean", arguments.mean);
  } else if (!arguments.variance.empty()) {
    options.statistic = WindowStatistic::variance;
    options.size = parse_window("--variance", arguments.variance);
  } else {
    options.statistic = WindowStatistic::deviation;
    options.size = parse_window("--deviation", arguments.deviation);
  }
  if (!arguments.border.empty()) {
    options.border = value_named("--border", arguments.border, kBorderNames);
  }
  return options;
}

/// `image_output` must outlive the job. Throws Error{usage}.
std::unique_ptr<ImageJob> make_window_job(const WindowOptions& options, const ImageOutputArguments& image_output) {
  if (options.statistic == WindowStatistic::mean) {
    return std::make_unique<PhotoJob>(std::make_shared<MeanStep>(options), image_output);
  }
  return std::make_unique<MomentJob>(options, image_output);
}

void reject_table_options(const Arguments& arguments) {
  const auto reject = [](bool is_given, const char* option) {
    if (is_given) {
      throw Error(
          ErrorKind::usage,
          std::string(option) +
              " cannot be combined with --mean, --variance or --deviation: it applies only to summed-area tables");
    }
  };
  reject(!arguments.layout.empty(), "--layout");
  reject(!arguments.type.empty(), "--type");
  reject(arguments.square, "--square");
  reject(arguments.allow_wrap, "--allow-wrap");
}

/// Rejects the options of image outputs: only the mean is an image like the input.
void reject_photo_options(const ImageOutputArguments& output) {
  const auto reject = [](bool is_given, const char* option) {
    if (is_given) {
      throw Error(ErrorKind::usage, std::string(option) + " needs --mean: without it, OUT holds numbers");
    }
  };
  reject(!output.quality.empty(), "--quality");
  reject(!output.subsampling.empty(), "--subsampling");
  reject(!output.strip.empty(), "--strip");
  reject(!output.background.empty(), "--background");
  reject(!output.depth.empty(), "--depth");
}

/// Also throws Error{usage} for options that apply only to tables.
WindowOptions checked_window_options(const Arguments& arguments) {
  reject_table_options(arguments);
  WindowOptions options = checked_window(arguments.window);
  options.channel = value_named("--channel", arguments.channel, kPlainChannelNames);
  options.luma = value_named("--luma", arguments.luma, kLumaNames);
  const bool is_mean = options.statistic == WindowStatistic::mean;
  options.count_transparent = counts_transparent(arguments.transparent, is_mean ? Channel::luma : options.channel);
  return options;
}

std::unique_ptr<ImageJob> make_job(const Arguments& arguments) {
  if (arguments.window.mean.empty()) {
    reject_photo_options(arguments.image_output);
  }
  if (!arguments.window.any()) {
    if (!arguments.window.border.empty()) {
      (void)value_named("--border", arguments.window.border, kBorderNames);
      throw Error(ErrorKind::usage, "--border needs --mean, --variance or --deviation");
    }
    if (!arguments.transparent.empty()) {
      (void)counts_transparent(arguments.transparent, Channel::luma);
      throw Error(ErrorKind::usage,
                  "--transparent needs --mean, --variance or --deviation: a summed-area table sums all pixels");
    }
    return std::make_unique<IntegralJob>(arguments);
  }
  return make_window_job(checked_window_options(arguments), arguments.image_output);
}

void add_window_options(CommandParser& parser, WindowArguments& arguments) {
  parser.text(
      {"--mean", "write an image: the mean of the window of KxK or WxH pixels around each pixel; K, W and H are odd",
       "K|WxH"},
      arguments.mean);
  parser.text({"--variance", "write the variance of the levels in a window of this size around each pixel", "K|WxH"},
              arguments.variance);
  parser.text(
      {"--deviation", "write the standard deviation of the levels in a window of this size around each pixel", "K|WxH"},
      arguments.deviation);
  parser.text({"--border",
               with_choices("which values a window has outside the image", kBorderNames,
                            name_of(WindowOptions().border, kBorderNames)),
               "NAME"},
              arguments.border);
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  add_batch_options(
      parser, arguments->files,
      {.input = "images and folders; - is standard input",
       .output = "a .npy, .png, .csv or .tif file, with --mean any image, or a folder; - is standard output"});
  parser.text(
      {"--layout", with_choices("size of the table", kLayoutNames, name_of(IntegralOptions().layout, kLayoutNames)),
       "NAME"},
      arguments->layout);
  parser.text(
      {"--type", with_choices("type of the sums", kTableTypeNames, "the narrower of u32 and u64 that holds every sum"),
       "TYPE"},
      arguments->type);
  parser.text({"--channel", with_choices("what is summed", kPlainChannelNames, arguments->channel), "NAME"},
              arguments->channel);
  add_luma_option(parser, arguments->luma, IntegralOptions().luma);
  parser.flag({"--square", "sum squared values"}, arguments->square);
  parser.flag({"--allow-wrap", "allow sums to wrap around in the integer type of --type"}, arguments->allow_wrap);
  add_window_options(parser, arguments->window);
  add_transparent_option(parser, arguments->transparent);
  add_format_option(parser, arguments->image_output.format,
                    with_choices("format of the output; with --mean an image format", kFormats.names,
                                 "by the extension of OUT; npy for -, png with --mean"));
  add_compression_options(parser, arguments->image_output);
  add_lossy_options(parser, arguments->image_output);
  add_metadata_option(parser, arguments->image_output);
  add_conversion_options(parser, arguments->image_output);
  parser.declare_step([arguments]() -> std::shared_ptr<ImageStep> {
    if (arguments->window.mean.empty()) {
      reject_before_steps("a table of numbers", "--mean");
    }
    return std::make_shared<MeanStep>(checked_window_options(*arguments));
  });
  return [arguments, &parser](const GlobalOptions& globals) {
    return run_job(*make_job(*arguments), parser, arguments->files, globals);
  };
}

}  // namespace
}  // namespace gpuimg::commands::integral

namespace gpuimg {

Command integral_command() {
  return operation_command("integral", commands::integral::kExamples, commands::integral::declare);
}

}  // namespace gpuimg
