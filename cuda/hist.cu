// The histogram operation on the device: selects what to count, and copies the counts to the host.
// Specified in docs/operations.md, "Histogram".
#include "count/count_levels.cuh"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"

namespace gpuimg::cuda {
namespace {

std::size_t bins_of(const Picture& picture, const HistogramOptions& options, Channel channel) {
  return is_hsl(channel) ? static_cast<std::size_t>(options.hsl_bins) : picture.format().max_value() + std::size_t{1};
}

bool is_rgb_at(const std::vector<Channel>& channels, std::size_t i) {
  return i + 3 <= channels.size() && channels[i] == Channel::red && channels[i + 1] == Channel::green &&
         channels[i + 2] == Channel::blue;
}

}  // namespace

Histogram histogram(Workspace& workspace, const Picture& picture, const HistogramOptions& options) {
  std::vector<std::size_t> offsets = {0};
  for (const Channel channel : options.channels) {
    offsets.push_back(offsets.back() + bins_of(picture, options, channel));
  }
  const std::size_t bytes = offsets.back() * sizeof(std::uint64_t);
  if (bytes == 0) {
    return {};
  }
  const DeviceMemory counts(workspace.device(), bytes);
  const CountedPixels counted = counted_pixels(picture, options.selection);
  for (std::size_t i = 0; i < options.channels.size(); ++i) {
    auto* to = counts.as<std::uint64_t>() + offsets[i];
    if (is_rgb_at(options.channels, i) && can_count_rgb8(workspace, counted)) {
      count_rgb8(workspace, counted, to);
      i += 2;
    } else {
      count_levels(workspace, counted, source_of(options.channels[i], options.luma, picture.format(), options.hsl_bins),
                   to);
    }
  }
  const auto* on_host = workspace.results(bytes).as<std::uint64_t>();
  cuda_check(cudaMemcpyAsync(workspace.results(bytes).as<void>(), counts.data(), bytes, cudaMemcpyDeviceToHost,
                             workspace.stream()),
             "downloading counts");
  workspace.device()->wait();

  Histogram result;
  for (std::size_t i = 0; i < options.channels.size(); ++i) {
    result.channels.push_back({options.channels[i], {on_host + offsets[i], on_host + offsets[i + 1]}});
  }
  for (const std::uint64_t count : result.channels.front().counts) {
    result.counted += count;
  }
  return result;
}

}  // namespace gpuimg::cuda
