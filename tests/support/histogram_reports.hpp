// Histograms of known or random counts, and reports of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "report/histogram_report.hpp"

namespace gpuimg::test {

using Counts = std::vector<std::uint64_t>;

inline Histogram histogram_of(std::vector<ChannelHistogram> channels) {
  Histogram histogram;
  histogram.channels = std::move(channels);
  const Counts& counts = histogram.channels.front().counts;
  histogram.counted = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  return histogram;
}

/// A report for a 4×4 image with three channels.
inline HistogramReport report_of(std::vector<ChannelHistogram> channels, const ReportOptions& options = {},
                                 const std::string& name = "a.png") {
  const int depth = channels.front().counts.size() > 256 ? 16 : 8;
  return make_report(histogram_of(std::move(channels)), options, {name, 4, 4, depth, 3});
}

/// Each count is less than `limit`.
inline Counts random_counts(std::size_t size, std::uint64_t limit, std::mt19937& random) {
  Counts counts(size);
  for (std::uint64_t& count : counts) {
    count = random() % limit;
  }
  return counts;
}

}  // namespace gpuimg::test
