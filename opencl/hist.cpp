// The histogram operation on the device: what to count, and the counts on the host.
// Specified in docs/operations.md, "Histogram".
#include <cstdint>
#include <numeric>
#include <vector>

#include "count_levels.hpp"

namespace gpuimg::opencl {
namespace {

/// True if red, green and blue start at channel i of the request, and their tables fit in local memory together.
bool is_rgb_at(const Device& device, const Picture& picture, const std::vector<Channel>& channels, std::size_t i) {
  return picture.format().color_channels() == 3 && i + 3 <= channels.size() && channels[i] == Channel::red &&
         channels[i + 1] == Channel::green && channels[i + 2] == Channel::blue &&
         3 * (picture.format().max_value() + std::size_t{1}) * sizeof(cl_uint) < device.local_bytes();
}

}  // namespace

Histogram histogram(const DevicePointer& device, const Picture& picture, const HistogramOptions& options) {
  struct Pending {
    Memory counts;
    std::size_t bins;
    int tables;
  };
  std::vector<Pending> pending;
  for (std::size_t i = 0; i < options.channels.size(); ++i) {
    const Channel channel = options.channels[i];
    const bool is_rgb = is_rgb_at(*device, picture, options.channels, i);
    const std::size_t bins =
        is_hsl(channel) ? static_cast<std::size_t>(options.hsl_bins) : picture.format().max_value() + std::size_t{1};
    const CountRequest request{level_of(channel, options.luma, picture.format()), bins, is_rgb};
    pending.push_back({count_levels(device, picture, options.selection, request), bins, is_rgb ? 3 : 1});
    i += is_rgb ? 2 : 0;
  }
  Histogram result;
  for (const Pending& each : pending) {
    std::vector<std::uint64_t> counts(each.bins * static_cast<std::size_t>(each.tables));
    device->download(counts.data(), each.counts, counts.size() * sizeof(std::uint64_t));
    for (auto from = counts.begin(); from != counts.end(); from += static_cast<std::ptrdiff_t>(each.bins)) {
      result.channels.push_back(
          {options.channels[result.channels.size()], {from, from + static_cast<std::ptrdiff_t>(each.bins)}});
    }
  }
  if (!result.channels.empty()) {
    const auto& counts = result.channels.front().counts;
    result.counted = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
  return result;
}

}  // namespace gpuimg::opencl
