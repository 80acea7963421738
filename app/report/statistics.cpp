// Statistics from integer counts, in exact sums.
#include "report/statistics.hpp"

#include <cmath>
#include <numeric>

namespace gpuimg {
namespace {

__extension__ using Wide = unsigned __int128;

/// Mean and standard deviation about an integer near the mean. The squared offsets sum to less than 2⁹⁶, and at most
/// half of the variance is subtracted, so there is no cancellation.
void fill_moments(std::span<const std::uint64_t> counts, HistogramStatistics& s) {
  Wide sum = 0;
  for (std::size_t v = s.min; v <= s.max; ++v) {
    sum += Wide{counts[v]} * v;
  }
  const auto pivot = static_cast<std::uint64_t>((sum + s.counted / 2) / s.counted);
  Wide squares = 0;
  for (std::size_t v = s.min; v <= s.max; ++v) {
    const std::uint64_t offset = v > pivot ? v - pivot : pivot - v;
    squares += Wide{counts[v]} * (offset * offset);
  }
  const Wide at_pivot = Wide{pivot} * s.counted;
  const auto n = static_cast<double>(s.counted);
  const double excess = sum >= at_pivot ? static_cast<double>(sum - at_pivot) : -static_cast<double>(at_pivot - sum);
  const double shift = excess / n;
  s.mean = static_cast<double>(sum) / n;
  s.standard_deviation = std::sqrt(static_cast<double>(squares) / n - shift * shift);
}

void fill_percentiles(std::span<const std::uint64_t> counts, HistogramStatistics& s) {
  std::size_t next = 0;
  std::uint64_t below = 0;
  for (std::size_t v = s.min; v <= s.max; ++v) {
    below += counts[v];
    while (next < kPercentiles.size() &&
           Wide{below} * 100 >= Wide{s.counted} * static_cast<unsigned>(kPercentiles[next])) {
      s.percentiles[next++] = static_cast<std::uint32_t>(v);
    }
  }
}

double entropy_bits(std::span<const std::uint64_t> counts, std::uint64_t counted) {
  constexpr double kDecimals = 1e9;
  double bits = 0.0;
  for (const std::uint64_t count : counts) {
    if (count != 0) {
      const double share = static_cast<double>(count) / static_cast<double>(counted);
      bits -= share * std::log2(share);
    }
  }
  return std::abs(std::round(bits * kDecimals) / kDecimals);  // abs: a single level gives −0
}

}  // namespace

std::optional<HistogramStatistics> statistics_of(std::span<const std::uint64_t> counts) {
  HistogramStatistics s;
  s.counted = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (s.counted == 0) {
    return std::nullopt;
  }
  const std::size_t last = counts.size() - 1;
  std::size_t low = 0;
  std::size_t high = last;
  while (counts[low] == 0) {
    ++low;
  }
  while (counts[high] == 0) {
    --high;
  }
  std::size_t mode = low;
  for (std::size_t v = low + 1; v <= high; ++v) {
    mode = counts[v] > counts[mode] ? v : mode;
  }
  s.min = static_cast<std::uint32_t>(low);
  s.max = static_cast<std::uint32_t>(high);
  s.mode = static_cast<std::uint32_t>(mode);
  fill_moments(counts, s);
  fill_percentiles(counts, s);
  s.entropy_bits = entropy_bits(counts, s.counted);
  s.share_at_zero = static_cast<double>(counts[0]) / static_cast<double>(s.counted);
  s.share_at_max = static_cast<double>(counts[last]) / static_cast<double>(s.counted);
  return s;
}

}  // namespace gpuimg
