// gpuimg denoise IN… OUT: non-local means.
#include <fmt/format.h>

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

namespace gpuimg::commands::denoise {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg denoise in.png clean.png\n"
    "  gpuimg denoise --filter-strength 5 in.jpg clean.jpg\n"
    "  gpuimg denoise --patch 5 --search 11 in.png fast.png\n"
    "  gpuimg denoise --recursive photos/ clean/";

struct Arguments {
  BatchArguments files;
  std::optional<double> strength;
  int patch = DenoiseOptions().patch;
  int search = DenoiseOptions().search;
  std::string transparent;  ///< empty: the default
  ImageOutputArguments image_output;
};

DenoiseOptions checked_options(const Arguments& arguments) {
  expect_within(kPatchLimits, "--patch", arguments.patch);
  expect_within(kSearchLimits, "--search", arguments.search);
  DenoiseOptions options;
  options.patch = arguments.patch;
  options.search = arguments.search;
  options.count_transparent = counts_transparent(arguments.transparent, Channel::luma);
  if (arguments.strength) {
    expect_within(Limits<double>{0.0, 1.0e6}, "--filter-strength", *arguments.strength);
    options.strength = static_cast<float>(*arguments.strength);
  }
  validate(options);
  return options;
}

class DenoiseStep final : public ImageStep {
 public:
  explicit DenoiseStep(const Arguments& arguments) : options_(checked_options(arguments)) {}

  [[nodiscard]] std::string_view name() const override { return "denoise"; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override { return traits_of(options_, input); }
  [[nodiscard]] bool can_be_watched() const override { return true; }

  [[nodiscard]] StepOfImage for_image(const StepInput& /*input*/, Worker& worker) const override {
    DenoiseOptions options = options_;
    options.on_progress = worker.report.watcher();
    return {applying(options)};
  }

 private:
  DenoiseOptions options_;
};

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  add_batch_options(parser, arguments->files,
                    {.input = "images and folders; - is standard input",
                     .output = fmt::format("a {} file, or a folder; - is standard output", listed_image_forms("."))});
  parser.number({"--filter-strength", "noise to remove, in levels; 0 removes none [10; of 16 bits 2570]", "H"},
                arguments->strength);
  parser.number({"--patch", fmt::format("side of the patches that are compared, odd [{}]", arguments->patch), "T"},
                arguments->patch);
  parser.number(
      {"--search", fmt::format("side of the window in which patches are searched, odd [{}]", arguments->search), "S"},
      arguments->search);
  add_transparent_option(parser, arguments->transparent);
  add_format_option(parser, arguments->image_output.format,
                    with_choices("form of the output", kImageForms.names, "the ending of OUT; png for -"));
  add_png_option(parser, arguments->image_output);
  add_lossy_options(parser, arguments->image_output);
  add_metadata_option(parser, arguments->image_output);
  add_conversion_options(parser, arguments->image_output);
  parser.declare_step([arguments] { return std::make_shared<DenoiseStep>(*arguments); });
  return [arguments, &parser](const GlobalOptions& globals) {
    PhotoJob job(std::make_shared<DenoiseStep>(*arguments), arguments->image_output);
    return run_job(job, parser, arguments->files, globals);
  };
}

}  // namespace
}  // namespace gpuimg::commands::denoise

namespace gpuimg {

Command denoise_command() {
  return operation_command("denoise", commands::denoise::kExamples, commands::denoise::declare);
}

}  // namespace gpuimg
