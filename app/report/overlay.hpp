// Several images in one plot: hist --overlay. docs/operations.md, "Plots".
#pragma once

#include <cstddef>
#include <vector>

#include "gpuimg/ops/hist.hpp"
#include "report/report.hpp"

namespace gpuimg {

constexpr std::size_t kMaxOverlaid = 8;

struct OverlaidImage {
  Histogram histogram;  ///< of one channel
  ImageFacts facts;
};

/// A report with a channel for each image. Its values are shares of the pixels that were counted in that image: all are
/// scaled to the largest number. `images` has 1 to kMaxOverlaid entries. Throws Error{unsupported} if they differ in
/// their number of levels.
HistogramReport overlay(const std::vector<OverlaidImage>& images, ReportOptions options);

}  // namespace gpuimg
