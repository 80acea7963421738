// Histograms on the CPU. Specified in docs/operations.md, "Histogram".
#include <numeric>

#include "levels.hpp"
#include "operations.hpp"

namespace gpuimg::cpu {
namespace {

template <class T>
std::vector<std::uint64_t> count_values(ConstView pixels, const CountedPixels& counted, Channel channel, Luma luma) {
  const Rect& region = counted.region();
  return count_levels<T>(counted, pixels.format.max_value() + std::size_t{1}, [&](int y, T* buffer) {
    return read_levels<T>(pixels, region.y + y, region.x, region.width, channel, luma, buffer);
  });
}

std::vector<std::uint64_t> count_hsl(ConstView pixels, const CountedPixels& counted, Channel channel, int bins) {
  const Rect& region = counted.region();
  return count_levels<std::uint16_t>(counted, static_cast<std::size_t>(bins), [&](int y, std::uint16_t* buffer) {
    read_hsl_bins(pixels, region.y + y, region.x, region.width, channel, bins, buffer);
    return buffer;
  });
}

}  // namespace

std::vector<std::uint64_t> count_channel(ConstView pixels, const CountedPixels& counted, Channel channel, Luma luma) {
  return pixels.format.sample == Sample::u8 ? count_values<std::uint8_t>(pixels, counted, channel, luma)
                                            : count_values<std::uint16_t>(pixels, counted, channel, luma);
}

Histogram histogram(ConstView pixels, const HistogramOptions& options) {
  const CountedPixels counted(pixels, options.selection);
  Histogram result;
  for (const Channel channel : options.channels) {
    result.channels.push_back({channel, is_hsl(channel) ? count_hsl(pixels, counted, channel, options.hsl_bins)
                                                        : count_channel(pixels, counted, channel, options.luma)});
  }
  if (!result.channels.empty()) {
    const auto& counts = result.channels.front().counts;
    result.counted = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
  return result;
}

}  // namespace gpuimg::cpu
