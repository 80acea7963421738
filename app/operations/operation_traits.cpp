// The needs of each operation, in the order of their options in gpuimg/backend.hpp.
#include "operations/operation_traits.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace gpuimg {
namespace {

constexpr std::array kNotOpencl = {BackendKind::cpu, BackendKind::cuda};

constexpr std::size_t kTable = sizeof(std::uint64_t);

ImageShape with_format(ImageShape shape, PixelFormat format) {
  shape.format = format;
  return shape;
}

/// Bytes per pixel of the levels that a window or a threshold looks at.
std::uint64_t level_bytes(PixelFormat input) { return std::min<std::uint64_t>(input.bytes_per_pixel(), 2); }

/// That of the table, also for one that could wrap.
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
          .only_on = kNotOpencl,
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
  const bool is_mean = options.statistic == WindowStatistic::mean;
  const PixelFormat result = result_format(input.format, options);
  return {.what = "--mean, --variance and --deviation",
          .only_on = kNotOpencl,
          .result = with_format(input, result),
          .halo_rows = halo_rows(options),
          .result_bytes = result.bytes_per_pixel(),
          .other_bytes = is_mean ? 0 : level_bytes(input.format),
          .device_bytes = is_mean ? kTable : sample_bytes(input.format.sample) + 2 * kTable};
}

OperationTraits traits_of(const ThresholdOptions& options, const ImageShape& input) {
  const bool has_sums = has_window(options.method);
  const PixelFormat result = result_format(input.format, options);
  return {.what = "threshold",
          .only_on = kNotOpencl,
          .result = with_format(input, result),
          .halo_rows = has_sums ? window_of(input.width, input.height, options) / 2 : 0,
          .reads_all_first = !has_sums && !options.level,
          .result_bytes = result.bytes_per_pixel(),
          .other_bytes = level_bytes(input.format),
          .device_bytes = sample_bytes(input.format.sample) + (has_sums ? 2 * kTable : 0)};
}

/// The host holds the image with a border too. Each offset of the search window costs every pixel the same:
/// docs/operations.md, "Denoising".
OperationTraits traits_of(const DenoiseOptions& options, const ImageShape& input) {
  constexpr double kThreadMsAnOffset = 0.75;
  constexpr double kDeviceMsAnOffset = 0.02;
  const double offsets = static_cast<double>(options.search) * options.search;
  return {.what = "denoise",
          .only_on = kNotOpencl,
          .cost = {.thread_ms = offsets * kThreadMsAnOffset,
                   .useful_threads = std::numeric_limits<int>::max(),
                   .device_ms = offsets * kDeviceMsAnOffset},
          .result = input,
          .halo_rows = halo_rows(options),
          .result_bytes = input.format.bytes_per_pixel(),
          .other_bytes = input.format.bytes_per_pixel(),
          .device_bytes = input.format.bytes_per_pixel()};
}

OperationTraits traits_of(const PictureOperation& operation, const ImageShape& input) {
  return std::visit([&](const auto& options) { return traits_of(options, input); }, operation);
}

OperationCost operator+(const OperationCost& a, const OperationCost& b) {
  return {a.thread_ms + b.thread_ms, a.thread_ms < b.thread_ms ? b.useful_threads : a.useful_threads,
          a.device_ms + b.device_ms};
}

}  // namespace gpuimg
