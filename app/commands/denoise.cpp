// gpuimg denoise IN… OUT: non-local means.
#include <fmt/format.h>
#include <tbb/info.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "batch/batch_command.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "commands/commands.hpp"
#include "commands/photo_job.hpp"
#include "ops/denoise.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::denoise {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg denoise in.png clean.png\n"
    "  gpuimg denoise --sigma auto in.png smooth.png\n"
    "  gpuimg denoise --patch 5 --search 11 in.png fast.png\n"
    "  gpuimg denoise --recursive photos/ clean/";

struct Arguments {
  BatchArguments files;
  std::optional<double> strength;
  std::string sigma;  ///< empty: not given
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
  if (arguments.strength && !arguments.sigma.empty()) {
    throw Error(ErrorKind::usage, "--sigma cannot be combined with --filter-strength: each says how much to remove");
  }
  validate(options);
  return options;
}

constexpr double kMaxSigma = 65535.0;

/// The number of --sigma; nothing for auto or without the option.
std::optional<double> checked_sigma(const std::string& text) {
  if (text.empty() || text == "auto") {
    return std::nullopt;
  }
  const double sigma = parse_number<double>("--sigma", text);
  expect_within(Limits<double>{0.0, kMaxSigma}, "--sigma", sigma);
  return sigma;
}

std::string shown(double number) { return fmt::format("{:.4g}", number); }

/// What the latest attempt at an image has found. After a failed attempt, the executor may start another one.
struct FoundStrength {
  std::uint32_t range = 0;  ///< 0 if the strength does not depend on it
  double sigma = 0.0;
  float strength = 0.0F;
  bool is_time_told = false;
};

class DenoiseStep final : public ImageStep {
 public:
  explicit DenoiseStep(const Arguments& arguments)
      : options_(checked_options(arguments)),
        sigma_(checked_sigma(arguments.sigma)),
        estimates_(arguments.sigma == "auto") {}

  [[nodiscard]] std::string_view name() const override { return "denoise"; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override {
    OperationTraits traits = traits_of(options_, input);
    traits.reads_all_first = looks_first();
    return traits;
  }
  [[nodiscard]] RowsWhen rows_when() const override { return estimates_ ? RowsWhen::never : RowsWhen::too_large; }
  [[nodiscard]] bool can_be_watched() const override { return true; }

  [[nodiscard]] StepOfImage for_image(const StepInput& input, Worker& worker) const override {
    DenoiseOptions options = options_;
    options.on_progress = worker.report.watcher();
    const auto found = std::make_shared<FoundStrength>();
    const std::string name = input_name(input.path);
    StepOfImage made{{[this, options, found, name, &worker](Backend& backend, const Picture& picture, const Picture*) {
      tell_time(backend, picture, name, *found, worker);
      DenoiseOptions with_strength = options;
      with_strength.strength = strength_for(backend, picture, *found);
      return backend.apply(picture, with_strength);
    }}};
    made.step.check_fit = fit_of(options);
    made.save_more = [this, found, name, &worker](OutputWriter&) { tell_strength(*found, name, worker); };
    return made;
  }

 private:
  /// True if the strength depends on the pixels.
  [[nodiscard]] bool looks_first() const { return !options_.strength && !sigma_; }

  /// The strength of --filter-strength; else a strength for the noise (--sigma), or for the range of levels in use.
  /// Each attempt computes it again, because it may see different pixels.
  [[nodiscard]] float strength_for(Backend& backend, const Picture& picture, FoundStrength& found) const {
    if (options_.strength) {
      return *options_.strength;
    }
    if (sigma_ || estimates_) {
      found.sigma = sigma_ ? *sigma_ : noise_of(backend, picture);
      found.strength = strength_for_noise(picture.format(), found.sigma);
    } else {
      found.range = range_of(backend, picture);
      found.strength = strength_for_range(found.range);
    }
    return found.strength;
  }

  void tell_strength(const FoundStrength& found, const std::string& name, Worker& worker) const {
    const std::string strength = shown(static_cast<double>(found.strength));
    if (sigma_ || estimates_) {
      worker.report.detail(fmt::format("{}: noise of {} levels{}, so the filter strength is {}", name,
                                       shown(found.sigma), sigma_ ? "" : " (estimated)", strength));
    } else if (found.range != 0 && found.range != 255 && found.range != 65535) {
      worker.report.note(
          fmt::format("{}: levels up to {} are used, so the filter strength is {}", name, found.range, strength));
    }
  }

  [[nodiscard]] double noise_of(Backend& backend, const Picture& picture) const {
    const Image pixels = backend.download(picture);
    return picture.format().sample == Sample::u8
               ? estimated_noise<std::uint8_t>(pixels.view(), options_.count_transparent)
               : estimated_noise<std::uint16_t>(pixels.view(), options_.count_transparent);
  }

  /// The range of levels that the colors use.
  [[nodiscard]] std::uint32_t range_of(Backend& backend, const Picture& picture) const {
    if (picture.format().sample == Sample::u8) {
      return 255;
    }
    HistogramOptions counting;
    counting.selection.count_transparent = options_.count_transparent;
    counting.channels = {Channel::red};
    if (picture.format().color_channels() == 3) {
      counting.channels = {Channel::red, Channel::green, Channel::blue};
    }
    std::size_t greatest = 0;
    for (const ChannelHistogram& channel : backend.histogram(picture, counting).channels) {
      const auto last =
          std::find_if(channel.counts.rbegin(), channel.counts.rend(), [](auto count) { return count > 0; });
      greatest =
          std::max(greatest, static_cast<std::size_t>(std::max<std::ptrdiff_t>(channel.counts.rend() - last, 1)) - 1);
    }
    return range_in_use(static_cast<std::uint32_t>(greatest));
  }

  /// Prints a note before a search that takes longer than a minute.
  void tell_time(const Backend& backend, const Picture& picture, const std::string& name, FoundStrength& found,
                 Worker& worker) const {
    constexpr double kLongMs = 60'000.0;
    const int threads = worker.options.threads > 0 ? worker.options.threads : tbb::info::default_concurrency();
    const OperationCost cost = traits_of(options_).cost;
    const double of_megapixel = backend.memory_is_host() ? cost.thread_ms / threads : cost.device_ms;
    const double ms = of_megapixel * static_cast<double>(picture.pixel_count()) / 1.0e6;
    if (ms > kLongMs && !found.is_time_told) {
      worker.report.note(fmt::format("{}: this search takes about {:.0f} minutes; a smaller --search takes less", name,
                                     std::ceil(ms / kLongMs)));
    }
    found.is_time_told = true;
  }

  DenoiseOptions options_;
  std::optional<double> sigma_;
  bool estimates_;  ///< --sigma auto: estimates the noise, from pixels in host memory
};

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  add_batch_options(parser, arguments->files,
                    {.input = "images and folders; - is standard input",
                     .output = fmt::format("a {} file, or a folder; - is standard output", listed_image_formats("."))});
  parser.number({"--filter-strength",
                 "how much patches may differ, in levels; a higher H removes more noise, 0 changes nothing [10 per 255 "
                 "levels of the range in use]",
                 "H"},
                arguments->strength);
  parser.text(
      {"--sigma", "choose the strength by the standard deviation of the noise, in levels; auto measures it", "N|auto"},
      arguments->sigma);
  parser.number(
      {"--patch", fmt::format("side of the patches that are compared, in pixels, odd [{}]", arguments->patch), "T"},
      arguments->patch);
  parser.number(
      {"--search",
       fmt::format("side of the window that is searched for patches, in pixels, odd [{}]", arguments->search), "S"},
      arguments->search);
  add_transparent_option(parser, arguments->transparent);
  add_format_option(parser, arguments->image_output.format,
                    with_choices("format of the output", kImageFormats.names, "by the extension of OUT; png for -"));
  add_compression_options(parser, arguments->image_output);
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
