// Histograms on the CPU. The rule stands in docs/operations.md, "Histogram".
#include "level_counts.hpp"
#include "levels.hpp"
#include "operations.hpp"

namespace gpuimg::cpu {

Histogram histogram(ConstView pixels, const HistogramOptions& options) {
  const CountedPixels counted(pixels, options.selection);
  const Rect& region = counted.region();
  Histogram result;
  for (const Channel channel : options.channels) {
    const std::size_t bins =
        is_hsl(channel) ? static_cast<std::size_t>(options.hsl_bins) : pixels.format.max_value() + std::size_t{1};
    auto counts = count_levels(counted, bins, [&](int y, std::uint16_t* levels) {
      read_levels(pixels, region.y + y, region.x, region.width, channel, options.luma, options.hsl_bins, levels);
    });
    result.channels.push_back({channel, std::move(counts)});
  }
  if (!result.channels.empty()) {
    for (const std::uint64_t count : result.channels.front().counts) {
      result.counted += count;
    }
  }
  return result;
}

}  // namespace gpuimg::cpu
