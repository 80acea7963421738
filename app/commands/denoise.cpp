// gpuimg denoise IN… OUT: non-local means.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "batch/batch_command.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "commands/commands.hpp"
#include "commands/photo_output.hpp"
#include "engine/image_job.hpp"

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
  ImageOutputArguments image_output;
};

DenoiseOptions checked_options(const Arguments& arguments) {
  expect_within(kPatchLimits, "--patch", arguments.patch);
  expect_within(kSearchLimits, "--search", arguments.search);
  DenoiseOptions options;
  options.patch = arguments.patch;
  options.search = arguments.search;
  if (arguments.strength) {
    expect_within(Limits<double>{0.0, 1.0e6}, "--filter-strength", *arguments.strength);
    options.strength = static_cast<float>(*arguments.strength);
  }
  validate(options);
  return options;
}

/// Each offset of the search window costs every pixel the same; docs/operations.md, "Denoising".
OperationCost cost_of(const DenoiseOptions& options) {
  constexpr double kThreadMsAnOffset = 0.75;
  constexpr double kDeviceMsAnOffset = 0.02;
  const double offsets = static_cast<double>(options.search) * options.search;
  return {.thread_ms = offsets * kThreadMsAnOffset,
          .useful_threads = std::numeric_limits<int>::max(),
          .device_ms = offsets * kDeviceMsAnOffset};
}

class DenoiseJob final : public ImageJob {
 public:
  explicit DenoiseJob(const Arguments& arguments)
      : arguments_(arguments), options_(checked_options(arguments)), output_(arguments.image_output) {}

  void check_name(const std::string& output) const override {
    (void)image_format(output, arguments_.image_output.format);
  }
  void note_options(const std::string& output, Verbosity verbosity) const override {
    const std::string& format = arguments_.image_output.format;
    note_misleading_ending(kImageForms, format, output, verbosity);
    note_without_effect(arguments_.image_output, output, image_format(output, format), verbosity);
  }
  [[nodiscard]] std::string ending_for(const std::string& input) const override {
    return image_ending_for(input, arguments_.image_output.format);
  }
  [[nodiscard]] HeldBeside held_beside(const codecs::DeclaredImage& image, const std::string& output) const override {
    const std::uint64_t pixel = image.bytes_per_pixel;  // also of the input with a border
    return {pixel, pixel + converted_bytes(pixel, output_.conversion()), halo_rows(options_),
            output_.held_of_thread(output)};
  }
  [[nodiscard]] bool visits_rows(const std::string& output) const override { return output_.takes_rows(output); }

  [[nodiscard]] OperationCost cost() const { return cost_of(options_); }

  [[nodiscard]] bool can_be_watched() const override { return true; }

  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    DenoiseOptions options = options_;
    options.on_progress = worker.report.watcher();
    codecs::DecodedImage decoded = worker.loader.load_rows(paths, *this, RowsWhen::too_large);
    const codecs::WriteOptions write_options = output_.carried_from(decoded, paths, worker);
    const PixelFormat format = decoded.format();
    const Step step{
        [&](Backend& backend, const Picture& picture, const Picture*) { return backend.apply(picture, options); }};
    output_.process(OperationInput(std::move(decoded)), {step}, format, paths.output, write_options, worker);
    return {};
  }

 private:
  const Arguments& arguments_;
  DenoiseOptions options_;
  PhotoOutput output_;
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
  add_format_option(parser, arguments->image_output.format,
                    with_choices("form of the output", kImageForms.names, "the ending of OUT; png for -"));
  add_png_option(parser, arguments->image_output);
  add_lossy_options(parser, arguments->image_output);
  add_metadata_option(parser, arguments->image_output);
  add_conversion_options(parser, arguments->image_output);
  return [arguments, &parser](GlobalOptions globals) {
    DenoiseJob job(*arguments);
    globals.cost = job.cost();
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
