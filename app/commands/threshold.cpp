// gpuimg threshold IN… OUT: black and white images.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "batch/batch_command.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "cli/pixel_options.hpp"
#include "commands/commands.hpp"
#include "commands/photo_job.hpp"
#include "commands/side_inputs.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::threshold {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg threshold in.png black.png                       one threshold, Otsu's\n"
    "  gpuimg threshold --method sauvola scan.png text.png     a scanned page\n"
    "  gpuimg threshold --method mean --window 11 --offset 2 in.png local.png\n"
    "  gpuimg threshold --method bradley --recursive photos/ pages/";

struct Arguments {
  BatchArguments files;
  std::string method = name_of(ThresholdOptions().method, kMethodNames);
  std::string channel = name_of(ThresholdOptions().channel, kPlainChannelNames);
  std::string luma = name_of(ThresholdOptions().luma, kLumaNames);
  std::optional<int> window;
  std::optional<double> offset;
  std::optional<int> sensitivity;
  std::optional<double> k;
  std::string bits;  ///< --depth
  SelectionArguments selection;
  ImageOutputArguments image_output;
};

/// Refuses the parameters of other methods, and values out of range.
void check_parameters(const Arguments& arguments, ThresholdMethod method) {
  const auto refuse_unless = [&](bool is_given, bool has, const char* option, const char* of) {
    if (is_given && !has) {
      throw Error(ErrorKind::usage, fmt::format("{} goes with --method {}, not with {}", option, of, arguments.method));
    }
  };
  const bool uses_k = method == ThresholdMethod::niblack || method == ThresholdMethod::sauvola;
  refuse_unless(arguments.window.has_value(), has_window(method), "--window", "mean, bradley, niblack or sauvola");
  refuse_unless(arguments.offset.has_value(), method == ThresholdMethod::mean, "--offset", "mean");
  refuse_unless(arguments.sensitivity.has_value(), method == ThresholdMethod::bradley, "--sensitivity", "bradley");
  refuse_unless(arguments.k.has_value(), uses_k, "--k", "niblack or sauvola");
  const auto refuse_if = [](bool is_wrong, const std::string& why) {
    if (is_wrong) {
      throw Error(ErrorKind::usage, why);
    }
  };
  expect_within(kWindowLimits, "--window", arguments.window.value_or(1));
  expect_within(kSensitivityLimits, "--sensitivity", arguments.sensitivity.value_or(0));
  refuse_if(!std::isfinite(arguments.offset.value_or(0.0)), "--offset: must be a number of levels");
  refuse_if(!std::isfinite(arguments.k.value_or(0.0)), "--k: must be a number");
  refuse_if(!arguments.bits.empty() && arguments.bits != "1" && arguments.bits != "8",
            fmt::format("--depth: '{}' is neither 1 nor 8", arguments.bits));
}

ThresholdOptions checked_options(const Arguments& arguments) {
  ThresholdOptions options;
  options.method = value_named("--method", arguments.method, kMethodNames);
  check_parameters(arguments, options.method);
  options.channel = value_named("--channel", arguments.channel, kPlainChannelNames);
  options.luma = value_named("--luma", arguments.luma, kLumaNames);
  options.window = arguments.window;
  options.offset = arguments.offset.value_or(options.offset);
  options.sensitivity = arguments.sensitivity.value_or(options.sensitivity);
  options.k = arguments.k.value_or(options.k);
  options.selection = checked_selection(arguments.selection, options.channel);
  validate(options);
  return options;
}

class ThresholdStep final : public ImageStep {
 public:
  explicit ThresholdStep(const Arguments& arguments)
      : options_(checked_options(arguments)), mask_path_(arguments.selection.mask) {}

  [[nodiscard]] std::string_view name() const override { return "threshold"; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override {
    OperationTraits traits = traits_of(options_, input);
    const bool has_places = options_.selection.region || !mask_path_.empty();
    traits.reads_all_first = traits.reads_all_first || has_places;  // a band between steps does not know where it is
    return traits;
  }
  [[nodiscard]] bool is_bilevel() const override { return true; }
  void note_options(Verbosity verbosity) const override {
    note_no_effect(options_.luma != ThresholdOptions().luma && options_.channel != Channel::luma, "--luma",
                   "luma is not compared", verbosity);
  }

  void prepare(Worker& worker) override { mask_ = load_mask(mask_path_, worker); }

  [[nodiscard]] StepOfImage for_image(const StepInput& input, Worker& worker) const override {
    if (options_.channel == Channel::luma) {
      worker.loader.note_luma_of(input.shape.format, input.file.metadata, input.path);
    }
    note_dropped_alpha(input, worker);
    ThresholdOptions options = options_;
    if (has_window(options.method)) {
      options.window = window_of(input.shape.width, input.shape.height, options);  // also for bands of the image
    }
    return {{[options](Backend& backend, const Picture& picture, const Picture* mask) {
               ThresholdOptions with_mask = options;
               with_mask.selection.mask = mask;
               return backend.apply(picture, with_mask);
             },
             mask_}};
  }

 private:
  void note_dropped_alpha(const StepInput& input, Worker& worker) const {
    if (input.shape.format.has_alpha() && options_.channel != Channel::alpha) {
      const bool skips = !options_.selection.count_transparent;
      worker.report.note(fmt::format("{}: alpha is left out{}", input_name(input.path),
                                     skips ? "; fully transparent pixels are white" : ""));
    }
  }

  ThresholdOptions options_;
  std::string mask_path_;  ///< empty: none
  SharedMask mask_;
};

void add_parameters(CommandParser& parser, Arguments& arguments) {
  const ThresholdOptions defaults;
  parser.number({"--window", "side of the window in pixels, odd [31; of bradley an eighth of the width]", "K"},
                arguments.window);
  parser.number(
      {"--offset", fmt::format("of mean: white is what is not darker than the mean by C levels [{}]", defaults.offset),
       "C"},
      arguments.offset);
  parser.number({"--sensitivity",
                 fmt::format("of bradley: black is what is darker than the mean by T percent, 0 to 100 [{}]",
                             defaults.sensitivity),
                 "T"},
                arguments.sensitivity);
  parser.number({"--k", fmt::format("of niblack and sauvola: weight of the deviation [{}]", defaults.k), "K"},
                arguments.k);
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  add_batch_options(parser, arguments->files,
                    {.input = "images and folders; - is standard input",
                     .output = fmt::format("a {} file, or a folder; - is standard output", listed_image_forms("."))});
  parser.text({"--method", with_choices("what a pixel is compared with", kMethodNames, arguments->method), "NAME"},
              arguments->method);
  add_parameters(parser, *arguments);
  parser.text({"--channel", with_choices("what is compared", kPlainChannelNames, arguments->channel), "NAME"},
              arguments->channel);
  add_luma_option(parser, arguments->luma, ThresholdOptions().luma);
  add_selection_options(parser, arguments->selection);
  parser.text(of_run({"--depth", "bits per pixel of a PNG, TIFF or PNM, 1 or 8; other formats have 8 [1]", "BITS"}),
              arguments->bits);
  add_format_option(parser, arguments->image_output.format,
                    with_choices("form of the output", kBitmapForms.names, "the ending of OUT; png for -"));
  add_png_option(parser, arguments->image_output);
  add_lossy_options(parser, arguments->image_output);
  add_metadata_option(parser, arguments->image_output);
  parser.declare_step([arguments] { return std::make_shared<ThresholdStep>(*arguments); });
  return [arguments, &parser](const GlobalOptions& globals) {
    PhotoJob job(std::make_shared<ThresholdStep>(*arguments), arguments->image_output,
                 arguments->bits == "8" ? BilevelBits::eight : BilevelBits::one);
    return run_job(job, parser, arguments->files, globals);
  };
}

}  // namespace
}  // namespace gpuimg::commands::threshold

namespace gpuimg {

Command threshold_command() {
  return operation_command("threshold", commands::threshold::kExamples, commands::threshold::declare);
}

}  // namespace gpuimg
