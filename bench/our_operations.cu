// Calls gpuimg's operations with the options that the benchmark times.
#include "bench/our_operations.hpp"

#include <cstring>

#include "count/count_levels.cuh"
#include "operations.hpp"

namespace gpuimg::bench {

struct CountMemory {
  cuda::DeviceMemory memory;
};

HistogramOptions histogram_options(Operation operation) {
  HistogramOptions options;
  if (operation == Operation::hist_rgb8) {
    options.channels = {Channel::red, Channel::green, Channel::blue};
  }
  return options;
}

PictureOperation picture_operation(Operation operation) {
  IntegralOptions sums;
  sums.type = Sample::u32;
  sums.allow_wrap = true;  // sums of 16384² pixels may exceed 32 bits, but can be checked modulo 2³²
  WindowOptions mean;
  mean.size = window_of(operation);
  ThresholdOptions threshold;
  threshold.method = operation == Operation::otsu ? ThresholdMethod::otsu : ThresholdMethod::bradley;
  if (window_of(operation) != 0) {
    threshold.window = window_of(operation);
  }
  if (is_mean(operation)) {
    return mean;
  }
  switch (operation) {
    case Operation::clahe_gray8: return ClaheOptions{};
    case Operation::integral_u32: return sums;
    case Operation::hsl_f32: return ToHslOptions{HslEncoding::f32};
    case Operation::hsl_u16: return ToHslOptions{HslEncoding::u16};
    default: return threshold;
  }
}

Outcome run(Backend& backend, Operation operation, const Picture& picture) {
  Outcome outcome;
  if (is_histogram(operation)) {
    outcome.histogram = backend.histogram(picture, histogram_options(operation));
  } else if (is_equalization(operation)) {
    outcome.picture = backend.equalize(picture, {});
  } else {
    outcome.picture = backend.apply(picture, picture_operation(operation));
  }
  return outcome;
}

OurOperations::OurOperations(const std::shared_ptr<cuda::Device>& device)
    : workspace_(std::make_unique<cuda::Workspace>(device)),
      counts_(std::make_unique<CountMemory>(cuda::DeviceMemory(device, 65536 * sizeof(std::uint64_t)))) {}

OurOperations::~OurOperations() = default;

void OurOperations::queue_counts(Operation operation, const Picture& picture) {
  const cuda::CountedPixels counted = cuda::counted_pixels(picture, {});
  auto* to = counts_->memory.as<std::uint64_t>();
  if (operation == Operation::hist_rgb8) {
    cuda::count_rgb8(*workspace_, counted, to);
  } else {
    const HistogramOptions options;
    cuda::count_levels(*workspace_, counted,
                       cuda::source_of(Channel::luma, options.luma, picture.format(), options.hsl_bins), to);
  }
}

std::optional<Picture> OurOperations::queue(Operation operation, const Picture& picture) {
  if (is_histogram(operation)) {
    queue_counts(operation, picture);
    return std::nullopt;
  }
  if (is_equalization(operation)) {
    return cuda::equalize(*workspace_, picture, {}, nullptr);
  }
  return std::visit(
      [&]<class Options>(const Options& options) -> Picture {
        if constexpr (cuda::kHasOperation<Options>) {
          return cuda::apply(*workspace_, picture, options);
        } else {
          throw Error(ErrorKind::unsupported, "bench: the device does not have this operation");
        }
      },
      picture_operation(operation));
}

Histogram OurOperations::counts(const Picture& picture, const HistogramOptions& options) {
  return cuda::histogram(*workspace_, picture, options);
}

std::string difference(Backend& ours, Backend& reference, Operation operation, const Image& image) {
  Outcome a = run(ours, operation, ours.upload(image.view()));
  Outcome b = run(reference, operation, reference.upload(image.view()));
  if (a.histogram) {
    for (std::size_t c = 0; c < b.histogram->channels.size(); ++c) {
      if (a.histogram->channels[c].counts != b.histogram->channels[c].counts) {
        return "the counts differ from the CPU's";
      }
    }
    return a.histogram->counted == b.histogram->counted ? "" : "the number of counted pixels differs from the CPU's";
  }
  const Image x = ours.download(*std::move(a.picture));
  const Image y = reference.download(*std::move(b.picture));
  const bool equal = x.format() == y.format() && x.size_bytes() == y.size_bytes() &&
                     std::memcmp(x.view().data, y.view().data, x.size_bytes()) == 0;
  return equal ? "" : "the bytes differ from the CPU's";
}

}  // namespace gpuimg::bench
