// The traits of each operation, in the order of the options in gpuimg/backend.hpp; then the list of operations, with
// the trials for testing and timing them.
#include "operations/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "cli/option_values.hpp"
#include "operations/result_checks.hpp"
#include "ops/threshold.hpp"

namespace gpuimg {
namespace {

constexpr std::array kNotOpencl = {BackendKind::cpu, BackendKind::cuda};
constexpr std::array kOnlyCpu = {BackendKind::cpu};

constexpr std::size_t kTable = sizeof(std::uint64_t);

/// Device bytes per weighted pixel: a plane of weights, and three planes of weighted values with their tables (six
/// planes if squares are needed).
constexpr std::size_t kWeighted = 2 + 3 * (kTable + 2);
constexpr std::size_t kWeightedSquares = 2 + 6 * (kTable + 2);

std::size_t device_bytes_of(const WindowOptions& options, PixelFormat input) {
  const bool is_mean = keeps_format(options.statistic);
  if (weighs_pixels(input, options)) {
    return is_mean ? kWeighted : kWeightedSquares;
  }
  return is_mean ? kTable : sample_bytes(input.sample) + 2 * kTable;
}

std::size_t device_bytes_of(const ThresholdOptions& options, PixelFormat input) {
  if (has_window(options.method) && weighs_pixels(input, options)) {
    return needs_squares(options.method) ? kWeightedSquares : kWeighted;
  }
  return sample_bytes(input.sample) + (has_window(options.method) ? 2 * kTable : 0);
}

ImageShape with_format(ImageShape shape, PixelFormat format) {
  shape.format = format;
  return shape;
}

/// Bytes per pixel of the levels that a window or threshold reads.
std::uint64_t level_bytes(PixelFormat input) { return std::min<std::uint64_t>(input.bytes_per_pixel(), 2); }

/// The shape of the result. If the image does not fit the options, returns the shape of the input; for_image() of the
/// step reports the error.
template <class Options>
ImageShape reshaped(const ImageShape& input, const Options& options) {
  try {
    const Size size = result_size(input.width, input.height, options);
    return {size.width, size.height, input.format};
  } catch (const Error&) {
    return input;
  }
}

/// Bytes of the result per pixel of the input, rounded up.
std::uint64_t bytes_by_pixel(const ImageShape& result, const ImageShape& input) {
  const auto pixels = [](const ImageShape& shape) {
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(shape.width) * static_cast<std::uint64_t>(shape.height),
                                   1);
  };
  return (pixels(result) * result.format.bytes_per_pixel() + pixels(input) - 1) / pixels(input);
}

/// A row of the result depends on the input row at the corresponding position, and on this many rows above and below
/// that row.
int rows_beside(const ImageShape& input, const ResizeOptions& options) {
  try {
    const ResizePlan plan = resize_plan(input.width, input.height, options);
    constexpr float kWidestFilter = 3.0F;
    const float scale = (plan.bottom - plan.top) / static_cast<float>(plan.place.height);
    return static_cast<int>(std::min(kWidestFilter * std::max(scale, 1.0F), static_cast<float>(input.height)));
  } catch (const Error&) {
    return 0;
  }
}

/// The sample type of the table, even if its sums could wrap.
Sample entry_of(const IntegralOptions& options, const ImageShape& input) {
  const std::uint64_t largest = largest_sum(std::max(input.width, 1), std::max(input.height, 1),
                                            std::max(input.format.max_value(), 1U), options.square);
  const bool fits_u32 = largest <= std::numeric_limits<std::uint32_t>::max();
  return options.type.value_or(fits_u32 ? Sample::u32 : Sample::u64);
}

}  // namespace

OperationTraits traits_of(const HistogramOptions& /*options*/, const ImageShape& /*input*/) {
  return {.what = "hist", .reads_all_first = true};
}

OperationTraits traits_of(const EqualizeOptions& options, const ImageShape& input) {
  return {.what = "equalize", .result = input, .reads_all_first = options.tables == nullptr};
}

OperationTraits traits_of(const ClaheOptions& options, const ImageShape& input) {
  return {.what = "--clahe",
          .result = input,
          .reads_all_first = options.tables == nullptr,
          .result_bytes = input.format.bytes_per_pixel()};
}

OperationTraits traits_of(const IntegralOptions& options, const ImageShape& input) {
  const Sample entry = entry_of(options, input);
  return {.what = "integral",
          .result = {table_width(input.width, options.layout), table_height(input.height, options.layout), {entry, 1}},
          .reads_all_first = true,
          .result_bytes = sample_bytes(entry)};
}

OperationTraits traits_of(const ToHslOptions& options, const ImageShape& input) {
  const PixelFormat result = result_format(input.format, options);
  return {.what = "hsl", .result = with_format(input, result), .result_bytes = result.bytes_per_pixel()};
}

OperationTraits traits_of(const FromHslOptions& options, const ImageShape& input) {
  const PixelFormat result = result_format(input.format, options);
  return {.what = "hsl", .result = with_format(input, result), .result_bytes = result.bytes_per_pixel()};
}

OperationTraits traits_of(const HslAdjustment& /*by*/, const ImageShape& input) {
  return {.what = "hsl", .result = input, .result_bytes = input.format.bytes_per_pixel()};
}

OperationTraits traits_of(const WindowOptions& options, const ImageShape& input) {
  const bool is_mean = keeps_format(options.statistic);
  const PixelFormat result = result_format(input.format, options);
  return {.what = options.statistic == WindowStatistic::flat ? "threshold" : "--mean, --variance and --deviation",
          .result = with_format(input, result),
          .halo_rows = halo_rows(options),
          .result_bytes = result.bytes_per_pixel(),
          .other_bytes = is_mean ? 0 : level_bytes(input.format),
          .device_bytes = device_bytes_of(options, input.format)};
}

OperationTraits traits_of(const ThresholdOptions& options, const ImageShape& input) {
  const bool has_sums = has_window(options.method);
  const PixelFormat result = result_format(input.format, options);
  return {.what = "threshold",
          .result = with_format(input, result),
          .halo_rows = has_sums ? gpuimg::halo_rows(window_of(input.width, input.height, options)) : 0,
          .reads_all_first = looks_first(options),
          .result_bytes = result.bytes_per_pixel(),
          .other_bytes = level_bytes(input.format),
          .table_bytes = options.classes > 2
                             ? detail::OtsuClasses::bytes_for(input.format.max_value() + std::uint64_t{1},
                                                              static_cast<std::uint64_t>(options.classes))
                             : 0,
          .device_bytes = device_bytes_of(options, input.format)};
}

/// The host also stores the image with a border. Each offset of the search window costs the same time per pixel:
/// docs/operations.md, "Denoising".
OperationTraits traits_of(const DenoiseOptions& options, const ImageShape& input) {
  constexpr double kThreadMsAnOffset = 0.75;
  constexpr double kDeviceMsAnOffset = 0.02;
  const double offsets = static_cast<double>(options.search) * options.search;
  const bool has_hidden = input.format.has_alpha() && !options.count_transparent;
  return {.what = "denoise",
          .only_on = kNotOpencl,
          .cost = {.thread_ms = offsets * kThreadMsAnOffset,
                   .useful_threads = std::numeric_limits<int>::max(),
                   .device_ms = offsets * kDeviceMsAnOffset},
          .result = input,
          .halo_rows = halo_rows(options),
          .result_bytes = input.format.bytes_per_pixel(),
          .other_bytes = input.format.bytes_per_pixel(),
          .device_bytes = input.format.bytes_per_pixel() + std::size_t{has_hidden}};
}

/// The host stores runs of one color: at most one run per two pixels, with 16 bytes each, plus 8 bytes per row.
OperationTraits traits_of(const DespeckleOptions& options, const ImageShape& input) {
  const auto width = static_cast<std::size_t>(std::max(input.width, 1));
  const std::size_t row_bytes = 16 * ((width + 1) / 2) + 8;
  const std::size_t held = (row_bytes + width - 1) / width;
  return {.what = "despeckle",
          .only_on = kOnlyCpu,
          .result = input,
          .halo_rows = halo_rows(options),
          .result_bytes = input.format.bytes_per_pixel(),
          .other_bytes = held,
          .device_bytes = held};
}

/// The host stores a level of each pixel, its distance from its background, and a running count of text pixels. The
/// time was measured with a page of 8.7 megapixels; the search for the angle takes four fifths of this time. The time
/// also grows with the larger side of the page.
OperationTraits traits_of(const DeskewOptions& /*options*/, const ImageShape& input) {
  return {.what = "deskew",
          .only_on = kOnlyCpu,
          .cost = {.thread_ms = 45.0, .useful_threads = std::numeric_limits<int>::max()},
          .result = input,
          .reads_all_first = true,
          .moves_pixels = true,
          .moves_rows = true,
          .result_bytes = input.format.bytes_per_pixel(),
          .other_bytes = level_bytes(input.format) + sample_bytes(input.format.sample) + 2};
}

/// other_bytes and device_bytes are for the intermediate image between the two passes.
OperationTraits traits_of(const ResizeOptions& options, const ImageShape& input) {
  const ImageShape result = reshaped(input, options);
  const std::uint64_t bytes = bytes_by_pixel(result, input);
  return {.what = "resize",
          .result = result,
          .halo_rows = rows_beside(input, options),
          .moves_pixels = true,
          .moves_rows = true,
          .result_bytes = bytes,
          .other_bytes = bytes,
          .device_bytes = bytes};
}

OperationTraits traits_of(const CropOptions& options, const ImageShape& input) {
  const ImageShape result = reshaped(input, options);
  return {.what = "crop",
          .result = result,
          .moves_pixels = true,
          .moves_rows = true,
          .result_bytes = bytes_by_pixel(result, input)};
}

OperationTraits traits_of(const TurnOptions& options, const ImageShape& input) {
  const bool stays_in_row = options.turn == Turn::flip_horizontal;
  return {.what = swaps_sides(options.turn) || options.turn == Turn::rotate180 ? "rotate" : "flip",
          .result = reshaped(input, options),
          .reads_all_first = !stays_in_row,
          .moves_pixels = true,
          .moves_rows = !stays_in_row,
          .swaps_sides = swaps_sides(options.turn),
          .result_bytes = input.format.bytes_per_pixel()};
}

OperationTraits traits_of(const PictureOperation& operation, const ImageShape& input) {
  return std::visit([&](const auto& options) { return traits_of(options, input); }, operation);
}

OperationCost operator+(const OperationCost& a, const OperationCost& b) {
  return {a.thread_ms + b.thread_ms, a.thread_ms < b.thread_ms ? b.useful_threads : a.useful_threads,
          a.device_ms + b.device_ms};
}

namespace {

/// A trial that calls an operation with these options.
Trial trial(std::string name, const HistogramOptions& options, double bytes_per_pixel) {
  return {std::move(name),
          [options](Backend& backend, const Picture& picture) -> OperationResult {
            return backend.histogram(picture, options);
          },
          bytes_per_pixel};
}

Trial trial(std::string name, const EqualizeOptions& options, double bytes_per_pixel) {
  return {std::move(name),
          [options](Backend& backend, const Picture& picture) -> OperationResult {
            return backend.equalize(picture, options);
          },
          bytes_per_pixel};
}

Trial trial(std::string name, const PictureOperation& operation, double bytes_per_pixel) {
  return {std::move(name),
          [operation](Backend& backend, const Picture& picture) -> OperationResult {
            return backend.apply(picture, operation);
          },
          bytes_per_pixel, false, traits_of(operation).only_on};
}

double bytes_of(PixelFormat format) { return static_cast<double>(format.bytes_per_pixel()); }

/// A trial of an operation that reads each pixel once and writes its result once.
template <class Options>
Trial mapping(std::string name, const Options& options, PixelFormat format) {
  return trial(std::move(name), options, bytes_of(format) + bytes_of(result_format(format, options)));
}

/// The same trial, except that an image that is too small for the window gets the largest window that fits.
Trial fitted(Trial trial, WindowOptions options) {
  trial.run = [options](Backend& backend, const Picture& picture) -> OperationResult {
    WindowOptions fitting = options;
    const int most = 2 * std::max(picture.width(), picture.height()) - 1;
    fitting.size = {std::min(options.size.width, most), std::min(options.size.height, most)};
    return backend.apply(picture, fitting);
  };
  return trial;
}

Trial timed(Trial trial) {
  trial.is_timed = true;
  return trial;
}

Trial hist_trial(const std::string& channels, Luma luma, int hsl_bins, PixelFormat format) {
  HistogramOptions options;
  options.channels = value_named("channel", channels, kHistogramChannelNames);
  options.luma = luma;
  options.hsl_bins = hsl_bins;
  const std::string suffix = luma == kDefaultLuma ? "" : fmt::format(" {}", name_of(luma, kLumaNames));
  return trial("hist " + channels + suffix, options, bytes_of(format));
}

std::vector<Trial> hist_trials(PixelFormat format) {
  std::vector<Trial> trials;
  for (const std::string& channels : names_of(kHistogramChannelNames)) {
    if (channels != "a" || format.has_alpha()) {
      trials.push_back(hist_trial(channels, kDefaultLuma, kDefaultHslBins, format));
      trials.back().is_timed = channels == "luma" || channels == "rgb";
    }
  }
  for (const auto& luma : kLumaNames) {
    trials.push_back(hist_trial("luma", luma.value, kDefaultHslBins, format));
  }
  trials.push_back(hist_trial("h", kDefaultLuma, 65536, format));
  return trials;
}

/// Matches images to a histogram that rises like a ramp, so that dark images become bright.
Trial match_trial(EqualizeColor color, PixelFormat format) {
  const auto ramp = std::make_shared<LevelCounts>(1, std::vector<std::uint64_t>(format.max_value() + std::size_t{1}));
  std::iota(ramp->front().begin(), ramp->front().end(), std::uint64_t{0});
  return {"equalize match " + name_of(color, kColorNames),
          [ramp, color](Backend& backend, const Picture& picture) -> OperationResult {
            EqualizeOptions options;
            options.color = color;
            options.match = ramp.get();
            return backend.equalize(picture, options);
          },
          3.0 * bytes_of(format)};
}

std::vector<Trial> clahe_trials(PixelFormat format) {
  std::vector<Trial> trials;
  const auto add = [&](const std::string& name, int tiles_x, int tiles_y, double clip, EqualizeColor color,
                       double strength = 1.0) {
    ClaheOptions options;
    options.tiles_x = tiles_x;
    options.tiles_y = tiles_y;
    options.clip = clip;
    options.color = color;
    options.strength = strength;
    trials.push_back(trial("equalize clahe " + name, options, 3.0 * bytes_of(format)));
  };
  for (const auto& color : kColorNames) {
    if (color.value != EqualizeColor::joint) {
      const bool is_default = color.value == ClaheOptions().color;
      const int tiles = is_default || format.sample == Sample::u8 ? 8 : 2;  // 64 tables of 65536 levels take long
      add(color.name, tiles, tiles, 2.0, color.value);
      trials.back().is_timed = is_default;
      add(color.name + " 5x3", 5, 3, 40.0, color.value, 0.3);
    }
  }
  if (format.sample == Sample::u16) {
    ClaheOptions options;
    options.tiles_x = options.tiles_y = 2;
    options.full_bins = true;
    trials.push_back(trial("equalize clahe full 2x2", options, 3.0 * bytes_of(format)));
  }
  add("1x1 unlimited", 1, 1, 0.0, EqualizeColor::luma);
  return trials;
}

std::vector<Trial> equalize_trials(PixelFormat format) {
  std::vector<Trial> trials;
  for (const auto& color : kColorNames) {
    for (const auto& formula : kFormulaNames) {
      EqualizeOptions options;
      options.color = color.value;
      options.formula = formula.value;
      const bool is_default = options.formula == EqualizeOptions().formula;
      const bool is_stretch = options.formula.kind == EqualizeFormula::stretch;
      const std::string name = "equalize " + color.name + (is_default ? "" : " " + formula.name);
      const double bytes = 3.0 * bytes_of(format);  // read once to count, then read and written to map
      trials.push_back(trial(name, options, bytes));
      trials.back().is_timed = is_default || (is_stretch && options.color == EqualizeOptions().color);
      options.strength = 0.3;
      trials.push_back(trial(name, options, bytes));
    }
    trials.push_back(match_trial(color.value, format));
    trials.back().is_timed = color.value == EqualizeOptions().color;
  }
  const std::vector<Trial> by_tiles = clahe_trials(format);
  trials.insert(trials.end(), by_tiles.begin(), by_tiles.end());
  return trials;
}

/// Windows up to and beyond the largest size whose sums fit in 32 bits; smaller windows for small images.
std::vector<Trial> window_trials(PixelFormat format) {
  std::vector<Trial> trials;
  const auto add = [&](WindowStatistic statistic, const std::string& name, int size, Border border) {
    WindowOptions options;
    options.statistic = statistic;
    options.size = size;
    options.border = border;
    const std::string suffix =
        border == WindowOptions().border ? "" : fmt::format(" {}", name_of(border, kBorderNames));
    trials.push_back(fitted(mapping(fmt::format("integral {} {}{}", name, size, suffix), options, format), options));
  };
  add(WindowStatistic::mean, "mean", 31, Border::reflect101);
  trials.back().is_timed = true;
  add(WindowStatistic::deviation, "deviation", 31, Border::reflect101);
  trials.back().is_timed = true;
  add(WindowStatistic::mean, "mean", 7, Border::replicate);
  add(WindowStatistic::mean, "mean", 7, Border::cut);
  add(WindowStatistic::flat, "flat", 101, Border::cut);
  trials.back().is_timed = true;
  add(WindowStatistic::flat, "flat", 5, Border::cut);
  add(WindowStatistic::mean, "mean", 401, Border::reflect101);
  add(WindowStatistic::variance, "variance", 257, Border::cut);
  WindowOptions wide;
  wide.size = {21, 5};
  trials.push_back(fitted(mapping("integral mean 21x5", wide, format), wide));
  if (format.has_alpha()) {
    WindowOptions all;
    all.size = 15;
    all.count_transparent = true;
    trials.push_back(fitted(mapping("integral mean 15 of all pixels", all, format), all));
  }
  return trials;
}

std::vector<Trial> integral_trials(PixelFormat format) {
  std::vector<Trial> trials;
  for (const auto& type : kTableTypeNames) {
    for (const bool square : {false, true}) {
      for (const TableLayout layout : {TableLayout::padded, TableLayout::inclusive}) {
        IntegralOptions options;
        options.layout = layout;
        options.type = type.value;
        options.square = square;
        options.allow_wrap = true;
        const bool padded = layout == TableLayout::padded;
        trials.push_back(trial("integral " + type.name + (padded ? "" : " inclusive") + (square ? " square" : ""),
                               options, bytes_of(format) + static_cast<double>(sample_bytes(type.value))));
        trials.back().is_timed = padded && type.value == (square ? Sample::f64 : Sample::u32);
      }
    }
  }
  const std::vector<Trial> of_windows = window_trials(format);
  trials.insert(trials.end(), of_windows.begin(), of_windows.end());
  return trials;
}

std::vector<Trial> hsl_trials(PixelFormat format) {
  std::vector<Trial> trials;
  for (const auto& encoding : kEncodingNames) {
    const ToHslOptions there{encoding.value};
    const FromHslOptions back{encoding.value, format.sample};
    trials.push_back(mapping("hsl " + encoding.name, there, format));
    trials.back().is_timed = encoding.value == HslEncoding::f32 || encoding.value == HslEncoding::u16;
    trials.push_back({"hsl inverse " + encoding.name,
                      [there, back](Backend& backend, const Picture& picture) -> OperationResult {
                        return backend.apply(backend.apply(picture, there), back);
                      },
                      bytes_of(format)});
  }
  trials.push_back(timed(mapping("hsl adjust", HslAdjustment{40.0F, 1.25F, 0.9F}, format)));
  return trials;
}

/// Every method with its default window, and with a window of one pixel.
std::vector<Trial> threshold_trials(PixelFormat format) {
  std::vector<Trial> trials;
  for (const auto& method : kMethodNames) {
    ThresholdOptions options;
    options.method = method.value;
    options.offset = 2.5;
    trials.push_back(timed(mapping("threshold " + method.name, options, format)));
    if (options.method == ThresholdMethod::otsu) {
      options.classes = 4;
      trials.push_back(timed(mapping("threshold otsu of 4 classes", options, format)));
      options.classes = 2;
    }
    options.channel = Channel::green;
    options.offset = -3.0;
    options.k = -0.3;
    options.range = 100.0;
    options.invert = true;
    options.sensitivity = 0;
    options.window = 1;
    trials.push_back(mapping("threshold " + method.name + " 1", options, format));
    if (format.has_alpha()) {
      options.selection.count_transparent = true;
      options.window = std::nullopt;
      trials.push_back(mapping("threshold " + method.name + " of all pixels", options, format));
    }
  }
  return trials;
}

/// Bytes per pixel to read a picture once and to write a result with `part` of its pixels once.
double moved_bytes(PixelFormat format, double part) { return (1.0 + part) * bytes_of(format); }

ResizeOptions scaling(double percent, ResizeFilter filter) {
  ResizeOptions options;
  options.percent = percent;
  options.enlarges = true;
  options.filter = filter;
  return options;
}

Trial percent_trial(PixelFormat format, double percent, ResizeFilter filter) {
  return trial(fmt::format("resize {}% {}", percent, name_of(filter, kFilterNames)), scaling(percent, filter),
               moved_bytes(format, percent * percent / 10000.0));
}

Trial fit_trial(PixelFormat format, Size size, ResizeFit fit) {
  ResizeOptions options;
  options.width = size.width;
  options.height = size.height;
  options.fit = fit;
  options.pad_color = {{10, 200, 30}};
  return trial(fmt::format("resize {}x{} {}", size.width, size.height, name_of(fit, kFitNames)), options,
               moved_bytes(format, 1.0));
}

/// Every filter, making images smaller and larger; every fit, with a wide and a tall size; and a box with fractional
/// sides.
std::vector<Trial> resize_trials(PixelFormat format) {
  std::vector<Trial> trials;
  for (const auto& filter : kFilterNames) {
    trials.push_back(percent_trial(format, 50.0, filter.value));
    trials.back().is_timed = true;
    trials.push_back(percent_trial(format, 13.7, filter.value));
    trials.push_back(percent_trial(format, 230.0, filter.value));
  }
  for (const auto& fit : kFitNames) {
    trials.push_back(fit_trial(format, {40, 9}, fit.value));
    trials.push_back(fit_trial(format, {7, 50}, fit.value));
  }
  Trial boxed = fit_trial(format, {31, 17}, ResizeFit::stretch);
  boxed.name = "resize box";
  boxed.run = [](Backend& backend, const Picture& picture) -> OperationResult {
    ResizeOptions options;
    options.width = 31;
    options.height = picture.height();
    options.fit = ResizeFit::stretch;
    options.box =
        ResizeBox{picture.width() * 0.3, picture.height() * 0.1, picture.width() * 0.61, picture.height() * 0.7};
    return backend.apply(picture, options);
  };
  trials.push_back(boxed);
  return trials;
}

/// Each trial crops to half the width and height, with one gravity.
std::vector<Trial> crop_trials(PixelFormat format) {
  const auto half = [](int side) { return (side + 1) / 2; };
  const auto cropping = [&](std::string name, Gravity gravity) {
    return Trial{std::move(name),
                 [half, gravity](Backend& backend, const Picture& picture) -> OperationResult {
                   CropOptions options;
                   options.width = half(picture.width());
                   options.height = half(picture.height());
                   options.gravity = gravity;
                   return backend.apply(picture, options);
                 },
                 moved_bytes(format, 0.25) - 0.75 * bytes_of(format)};
  };
  std::vector<Trial> trials;
  for (const auto& gravity : kGravityNames) {
    trials.push_back(cropping("crop " + gravity.name, gravity.value));
    trials.back().is_timed = gravity.value == CropOptions().gravity;
  }
  return trials;
}

Trial turn_trial(PixelFormat format, const char* name, Turn turn) {
  return timed(mapping(name, TurnOptions{turn}, format));
}

std::vector<Trial> rotate_trials(PixelFormat format) {
  return {turn_trial(format, "rotate 90", Turn::rotate90), turn_trial(format, "rotate 180", Turn::rotate180),
          turn_trial(format, "rotate 270", Turn::rotate270)};
}

std::vector<Trial> flip_trials(PixelFormat format) {
  return {turn_trial(format, "flip horizontal", Turn::flip_horizontal),
          turn_trial(format, "flip vertical", Turn::flip_vertical)};
}

std::vector<Trial> denoise_trials(PixelFormat format) {
  const auto denoising = [format](int patch, int search, std::optional<float> strength) {
    DenoiseOptions options;
    options.patch = patch;
    options.search = search;
    options.strength = strength;
    return mapping(fmt::format("denoise {}/{}{}", patch, search, strength ? " strong" : ""), options, format);
  };
  return {timed(denoising(3, 5, std::nullopt)), denoising(1, 1, 0.0F), denoising(5, 3, 90.0F)};
}

/// Makes pixels below a level black, then removes specks.
std::vector<Trial> despeckle_trials(PixelFormat format) {
  const auto despeckling = [format](int size, SpeckColor color) {
    return Trial{fmt::format("despeckle {} {}", name_of(color, kSpeckColorNames), size),
                 [size, color](Backend& backend, const Picture& picture) -> OperationResult {
                   ThresholdOptions black;
                   black.levels = ClassLevels{picture.format().max_value() / 2};
                   return backend.apply(backend.apply(picture, black), DespeckleOptions{size, color});
                 },
                 bytes_of(format) + 3.0, false, kOnlyCpu};
  };
  return {timed(despeckling(4, SpeckColor::black)), despeckling(9, SpeckColor::white),
          despeckling(30, SpeckColor::both)};
}

std::vector<Trial> deskew_trials(PixelFormat format) {
  DeskewOptions colored;
  colored.fill = {10, 200, 30};
  return {timed(mapping("deskew", DeskewOptions(), format)), mapping("deskew fill", colored, format)};
}

/// An 8-bit image with these samples.
template <std::size_t count>
Picture picture_of(Backend& backend, int width, int height, const std::array<std::uint8_t, count>& samples) {
  Image image(width, height, PixelFormat{Sample::u8, static_cast<int>(count) / (width * height)});
  std::memcpy(image.view().data, samples.data(), samples.size());
  return backend.upload(std::move(image));
}

Picture four_grays(Backend& backend) { return picture_of(backend, 2, 2, std::array<std::uint8_t, 4>{10, 20, 20, 250}); }

template <class T, std::size_t count>
bool holds(const Image& image, const std::array<T, count>& expected) {
  return image.size_bytes() == sizeof expected && std::memcmp(image.view().data, expected.data(), sizeof expected) == 0;
}

bool hist_is_right(Backend& backend) {
  const Histogram histogram = backend.histogram(four_grays(backend), {});
  const auto& counts = histogram.channels.front().counts;
  return histogram.counted == 4 && counts[10] == 1 && counts[20] == 2 && counts[250] == 1;
}

bool equalize_is_right(Backend& backend) {
  return holds(backend.download(backend.equalize(four_grays(backend), {})),
               std::array<std::uint8_t, 4>{0, 170, 170, 255});
}

/// True if the operation turns the four gray pixels into these samples.
template <class T, std::size_t count>
bool makes(Backend& backend, const PictureOperation& operation, const std::array<T, count>& expected) {
  return holds(backend.download(backend.apply(four_grays(backend), operation)), expected);
}

bool windows_are_right(Backend& backend) {
  WindowOptions mean;
  mean.size = 3;
  WindowOptions variance = mean;
  variance.statistic = WindowStatistic::variance;
  variance.border = Border::cut;
  return makes(backend, mean, std::array<std::uint8_t, 4>{121, 69, 69, 41}) &&
         makes(backend, variance, std::array<float, 4>{10225.0F, 10225.0F, 10225.0F, 10225.0F});
}

bool integral_is_right(Backend& backend) {
  return makes(backend, IntegralOptions{}, std::array<std::uint32_t, 9>{0, 0, 0, 0, 10, 30, 0, 30, 300}) &&
         windows_are_right(backend);
}

bool threshold_is_right(Backend& backend) {
  ThresholdOptions bradley;
  bradley.method = ThresholdMethod::bradley;
  bradley.window = 3;
  return makes(backend, ThresholdOptions{}, std::array<std::uint8_t, 4>{0, 0, 0, 255}) &&
         makes(backend, bradley, std::array<std::uint8_t, 4>{0, 0, 0, 255});
}

/// At this strength, levels 10 apart get nearly full weight, and the bright pixel gets none.
bool denoise_is_right(Backend& backend) {
  DenoiseOptions options;
  options.patch = 1;
  options.search = 3;
  options.strength = 50.0F;
  return makes(backend, options, std::array<std::uint8_t, 4>{18, 17, 17, 250});
}

/// Two black pixels that touch by a corner are one speck, which is too large for size 1.
bool despeckle_is_right(Backend& backend) {
  const auto despeckled = [&](int size) {
    const Picture page = picture_of(backend, 4, 2, std::array<std::uint8_t, 8>{0, 255, 255, 255, 255, 0, 255, 0});
    return backend.download(backend.apply(page, DespeckleOptions{size}));
  };
  return holds(despeckled(1), std::array<std::uint8_t, 8>{0, 255, 255, 255, 255, 0, 255, 255}) &&
         holds(despeckled(2), std::array<std::uint8_t, 8>{255, 255, 255, 255, 255, 255, 255, 255});
}

/// A bar with a slope of one pixel in twenty (2.86 degrees) becomes level.
bool deskew_is_right(Backend& backend) {
  constexpr int kSide = 201;
  constexpr int kMiddle = kSide / 2;
  Image page(kSide, kSide, PixelFormat{Sample::u8, 1});
  std::memset(page.view().data, 255, page.size_bytes());
  for (int x = 0; x < kSide; ++x) {
    for (int y = -2; y <= 2; ++y) {
      page.view().row<std::uint8_t>(kMiddle + y + (x + 10) / 20 - 5)[x] = 0;
    }
  }
  FoundSkew found;
  DeskewOptions options;
  options.found = &found;
  const Image straight = backend.download(backend.apply(backend.upload(std::move(page)), options));
  const auto* row = straight.view().row<std::uint8_t>(kMiddle);
  return found.has_text && std::abs(found.steps - 57) <= 1 &&
         std::all_of(row, row + kSide, [](std::uint8_t level) { return level < 16; });
}

/// Checks a translucent color, which is multiplied by its alpha and divided by it again.
bool translucent_resize_is_right(Backend& backend) {
  const Picture pixel = picture_of(backend, 1, 1, std::array<std::uint8_t, 4>{176, 129, 217, 222});
  return holds(backend.download(backend.apply(pixel, scaling(200.0, ResizeFilter::box))),
               std::array<std::uint8_t, 16>{175, 128, 217, 222, 175, 128, 217, 222,  //
                                            175, 128, 217, 222, 175, 128, 217, 222});
}

/// Half the size with `box` gives the rounded mean. Twice the size with `nearest` gives each pixel four times.
bool resize_is_right(Backend& backend) {
  return makes(backend, scaling(50.0, ResizeFilter::box), std::array<std::uint8_t, 1>{75}) &&
         makes(backend, scaling(200.0, ResizeFilter::nearest),
               std::array<std::uint8_t, 16>{10, 10, 20, 20, 10, 10, 20, 20, 20, 20, 250, 250, 20, 20, 250, 250}) &&
         translucent_resize_is_right(backend);
}

bool crop_is_right(Backend& backend) {
  return makes(backend, CropOptions{Rect{1, 0, 1, 2}}, std::array<std::uint8_t, 2>{20, 250});
}

bool rotate_is_right(Backend& backend) {
  return makes(backend, TurnOptions{Turn::rotate90}, std::array<std::uint8_t, 4>{20, 10, 250, 20}) &&
         makes(backend, TurnOptions{Turn::rotate180}, std::array<std::uint8_t, 4>{250, 20, 20, 10});
}

bool flip_is_right(Backend& backend) {
  return makes(backend, TurnOptions{Turn::flip_horizontal}, std::array<std::uint8_t, 4>{20, 10, 250, 20}) &&
         makes(backend, TurnOptions{Turn::flip_vertical}, std::array<std::uint8_t, 4>{20, 250, 10, 20});
}

bool hsl_is_right(Backend& backend) {
  const Picture orange = picture_of(backend, 1, 1, std::array<std::uint8_t, 3>{255, 128, 0});
  return holds(backend.download(backend.apply(orange, ToHslOptions{HslEncoding::u16})),
               std::array<std::uint16_t, 3>{5483, 65535, 32768});
}

/// The traits of an operation with default options.
template <class Options>
OperationTraits with_defaults(const ImageShape& input) {
  return traits_of(Options(), input);
}

OperationTraits of_variances(const ImageShape& input) {
  WindowOptions options;
  options.statistic = WindowStatistic::variance;
  return traits_of(options, input);
}

OperationTraits of_doubling(const ImageShape& input) { return traits_of(scaling(200.0, ResizeFilter::lanczos), input); }

OperationTraits of_sauvola(const ImageShape& input) {
  ThresholdOptions options;
  options.method = ThresholdMethod::sauvola;
  return traits_of(options, input);
}

const std::array kOperations = {
    Operation{"hist", "count how often each level occurs (histogram)", with_defaults<HistogramOptions>, hist_trials,
              hist_is_right},
    Operation{"equalize", "spread the levels of an image over the whole range (histogram equalization)",
              with_defaults<ClaheOptions>, equalize_trials, equalize_is_right},
    Operation{"integral", "sum an image into a summed-area table (integral image)", of_variances, integral_trials,
              integral_is_right},
    Operation{"hsl", "convert to hue, saturation and lightness, back, or adjust them", with_defaults<ToHslOptions>,
              hsl_trials, hsl_is_right},
    Operation{"threshold", "make black and white images, with one threshold or local ones", of_sauvola,
              threshold_trials, threshold_is_right},
    Operation{"denoise", "remove noise and keep edges (non-local means)", with_defaults<DenoiseOptions>, denoise_trials,
              denoise_is_right},
    Operation{"despeckle", "remove specks from black and white pages", with_defaults<DespeckleOptions>,
              despeckle_trials, despeckle_is_right},
    Operation{"deskew", "straighten scanned pages by their lines of text", with_defaults<DeskewOptions>, deskew_trials,
              deskew_is_right},
    Operation{"resize", "make an image smaller or larger, as Pillow does to the byte", of_doubling, resize_trials,
              resize_is_right},
    Operation{"crop", "keep a part of an image", with_defaults<CropOptions>, crop_trials, crop_is_right},
    Operation{"rotate", "rotate by 90, 180 or 270 degrees", with_defaults<TurnOptions>, rotate_trials, rotate_is_right},
    Operation{"flip", "mirror an image left to right or top to bottom", with_defaults<TurnOptions>, flip_trials,
              flip_is_right},
};

}  // namespace

bool Trial::is_on(BackendKind kind) const { return gpuimg::is_on(kind, only_on); }

HostResult host_result(const Trial& trial, Backend& backend, const Picture& picture) {
  OperationResult result = trial.run(backend, picture);
  if (auto* histogram = std::get_if<Histogram>(&result)) {
    return std::move(*histogram);
  }
  return backend.download(std::get<Picture>(std::move(result)));
}

std::string difference(const Trial& trial, Backend& a, const Picture& on_a, Backend& b, const Picture& on_b) {
  const HostResult from_a = host_result(trial, a, on_a);
  const HostResult from_b = host_result(trial, b, on_b);
  return first_difference(from_a, a.name(), from_b, b.name());
}

bool Operation::is_on(BackendKind kind) const {
  const std::vector<Trial> all = trials({Sample::u8, 3});
  return std::any_of(all.begin(), all.end(), [kind](const Trial& trial) { return trial.is_on(kind); });
}

std::span<const Operation> operations() { return kOperations; }

const Operation* find_operation(std::string_view name) {
  const auto found = std::find_if(kOperations.begin(), kOperations.end(),
                                  [name](const Operation& operation) { return operation.name == name; });
  return found != kOperations.end() ? &*found : nullptr;
}

std::vector<Trial> trials_on(BackendKind backend, PixelFormat format) {
  std::vector<Trial> all;
  for (const Operation& operation : kOperations) {
    const std::vector<Trial> trials = operation.trials(format);
    std::copy_if(trials.begin(), trials.end(), std::back_inserter(all),
                 [backend](const Trial& trial) { return trial.is_on(backend); });
  }
  return all;
}

std::size_t most_device_bytes(bool has_alpha) {
  const ImageShape shape{1, 1, {Sample::u16, has_alpha ? 4 : 3}};
  std::size_t most = 0;
  for (const Operation& operation : kOperations) {
    const OperationTraits traits = operation.largest(shape);
    const bool makes_pixels = traits.result != ImageShape();
    const bool is_of_host = !traits.only_on.empty() && std::ranges::all_of(traits.only_on, [](BackendKind kind) {
      return kind == BackendKind::cpu;
    });
    if (is_of_host || traits.result.width > shape.width || traits.result.height > shape.height) {
      continue;  // needs no device memory, or an amount that depends on how much the image grows
    }
    most = std::max(most, (makes_pixels ? traits.result.format.bytes_per_pixel() : 0) + traits.device_bytes);
  }
  return most;
}

}  // namespace gpuimg
