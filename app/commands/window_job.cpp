// The mean is an image like the input; variance and deviation are float32 numbers, or a preview of them.
#include "commands/window_job.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "codecs/npy/npy.hpp"
#include "commands/photo_output.hpp"

namespace gpuimg {
namespace {

class MeanJob final : public ImageJob {
 public:
  MeanJob(const WindowOptions& options, const ImageOutputArguments& image_output)
      : options_(options), arguments_(image_output), output_(image_output) {}

  void check_name(const std::string& output) const override { (void)image_format(output, arguments_.format); }
  void note_options(const std::string& output, Verbosity verbosity) const override {
    note_misleading_ending(kImageForms, arguments_.format, output, verbosity);
    note_no_effect(options_.channel != WindowOptions().channel, "--channel", "the mean is of every color channel",
                   verbosity);
    note_no_effect(options_.luma != WindowOptions().luma, "--luma", "the mean is of every color channel", verbosity);
    note_without_effect(arguments_, output, image_format(output, arguments_.format), verbosity);
  }
  [[nodiscard]] std::string ending_for(const std::string& input) const override {
    return image_ending_for(input, arguments_.format);
  }
  [[nodiscard]] HeldBeside held_beside(const codecs::DeclaredImage& image, const std::string& output) const override {
    return {image.bytes_per_pixel, converted_bytes(image.bytes_per_pixel, output_.conversion()), halo_rows(options_),
            output_.held_of_thread(output)};
  }
  [[nodiscard]] bool visits_rows(const std::string& output) const override { return output_.takes_rows(output); }

  InOrder run(CommandContext& context, const ItemPaths& paths) const override {
    codecs::DecodedImage decoded = context.load_rows(paths, *this, CommandContext::RowsWhen::too_large);
    const codecs::WriteOptions write_options = output_.carried_from(decoded, paths, context);
    const PixelFormat format = decoded.format();
    output_.process(
        OperationInput(std::move(decoded)), format, paths.output, write_options,
        [&](Backend& backend, const Picture& picture, const Picture*) { return backend.apply(picture, options_); },
        context);
    return {};
  }

 private:
  WindowOptions options_;
  const ImageOutputArguments& arguments_;
  PhotoOutput output_;
};

enum class MomentForm { npy, png };

const OutputForms<MomentForm> kMomentForms = {
    "a variance or deviation",
    {{"npy", MomentForm::npy, "float32"}, {"png", MomentForm::png, "a preview in 16-bit gray"}},
    MomentForm::npy};

/// The largest number becomes white.
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

  void check_name(const std::string& output) const override { (void)form_of(output); }
  void note_options(const std::string& output, Verbosity verbosity) const override {
    note_misleading_ending(kMomentForms, arguments_.format, output, verbosity);
    note_no_effect(options_.luma != WindowOptions().luma && options_.channel != Channel::luma, "--luma",
                   "luma is not used", verbosity);
    const bool is_png = form_of(output) == MomentForm::png;
    note_without_effect(arguments_, output, is_png ? std::optional(codecs::FileFormat::png) : std::nullopt, verbosity);
  }
  [[nodiscard]] std::string ending_for(const std::string& /*input*/) const override {
    return arguments_.format.empty() ? "npy" : arguments_.format;
  }
  [[nodiscard]] HeldBeside held_beside(const codecs::DeclaredImage& image, const std::string& output) const override {
    constexpr std::uint64_t kPreview = 2;
    const std::uint64_t levels = std::min<std::uint64_t>(image.bytes_per_pixel, 2);
    return {sizeof(float), levels + (form_of(output) == MomentForm::png ? kPreview : 0), halo_rows(options_)};
  }
  [[nodiscard]] bool visits_rows(const std::string& output) const override {
    return form_of(output) == MomentForm::npy;
  }

  InOrder run(CommandContext& context, const ItemPaths& paths) const override {
    const MomentForm form = form_of(paths.output);
    codecs::DecodedImage decoded = form == MomentForm::npy
                                       ? context.load_rows(paths, *this, CommandContext::RowsWhen::too_large)
                                       : context.load(paths.input);
    if (options_.channel == Channel::luma) {
      context.note_luma_of(decoded, paths.input);
    }
    const auto apply = [&](Backend& backend, const Picture& picture, const Picture*) {
      return backend.apply(picture, options_);
    };
    if (form == MomentForm::npy) {
      const auto open =
          codecs::npy_opener(decoded.width(), decoded.height(), result_format(decoded.format(), options_));
      context.write_result(OperationInput(std::move(decoded)), paths.output, open, apply);
    } else {
      const Image moments = context.process(OperationInput(std::move(decoded)), apply);
      context.save_image(paths.output, preview_of(moments.view()).view(), write_options_);
    }
    return {};
  }

 private:
  [[nodiscard]] MomentForm form_of(const std::string& output) const {
    return output_form(kMomentForms, arguments_.format, output);
  }

  WindowOptions options_;
  const ImageOutputArguments& arguments_;
  codecs::WriteOptions write_options_;
};

}  // namespace

void add_window_options(CommandParser& parser, WindowArguments& arguments) {
  parser.number({"--mean", "write the mean of the K x K pixels around each pixel, K odd; OUT is an image", "K"},
                arguments.mean);
  parser.number({"--variance", "write the variance of the K x K levels around each pixel", "K"}, arguments.variance);
  parser.number({"--deviation", "write the standard deviation of the K x K levels around each pixel", "K"},
                arguments.deviation);
  parser.text({"--border",
               with_choices("what a window sees outside the image", kBorderNames,
                            name_of(WindowOptions().border, kBorderNames)),
               "NAME"},
              arguments.border);
}

WindowOptions checked_window(const WindowArguments& arguments) {
  WindowOptions options;
  if (int{arguments.mean.has_value()} + int{arguments.variance.has_value()} + int{arguments.deviation.has_value()} !=
      1) {
    throw Error(ErrorKind::usage, "give one of --mean, --variance and --deviation");
  }
  options.statistic = arguments.mean       ? WindowStatistic::mean
                      : arguments.variance ? WindowStatistic::variance
                                           : WindowStatistic::deviation;
  const char* option = arguments.mean ? "--mean" : arguments.variance ? "--variance" : "--deviation";
  options.size = arguments.mean ? *arguments.mean : arguments.variance ? *arguments.variance : *arguments.deviation;
  if (options.size < 1 || options.size % 2 == 0 || options.size > kMaxWindow) {
    throw Error(ErrorKind::usage, std::string(option) + ": " + std::to_string(options.size) +
                                      " is not an odd number from 1 to " + std::to_string(kMaxWindow));
  }
  if (!arguments.border.empty()) {
    options.border = value_named("--border", arguments.border, kBorderNames);
  }
  return options;
}

std::unique_ptr<ImageJob> make_window_job(const WindowOptions& options, const ImageOutputArguments& image_output) {
  if (options.statistic == WindowStatistic::mean) {
    return std::make_unique<MeanJob>(options, image_output);
  }
  return std::make_unique<MomentJob>(options, image_output);
}

}  // namespace gpuimg
