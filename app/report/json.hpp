// A histogram as JSON, schema 1: docs/operations.md, "Histogram".
#pragma once

#include <string>

#include "report/report.hpp"

namespace gpuimg {

/// One object:
///   schema, tool, operation         1, "gpuimg", "hist"
///   images                          number of images summed; 1 for an image
///   image                           name (U+FFFD for bytes that are not UTF-8), width, height, bits, channels; null
///                                   for a sum
///   options                         channels, luma, transparent, roi ([x, y, width, height] or null), mask, bins (or
///                                   null), cumulative, normalize
///   counted, skipped                pixels
///   histograms[]                    one per channel: channel; unit ("level", "degrees", "fraction"); counts;
///                                   statistics, in the unit (null if nothing was counted; for hue "circular": true,
///                                   circular mean and stddev, and null for min, max, median and percentiles); and
///                                   if bins, cumulative or normalize is set, values as the CSV prints them; with
///                                   bins also from
/// `counts` are always the integers as counted, one per level, for any options: files with the same options are merged
/// exactly by adding them. Integers can exceed 2⁵³. No version, time or machine is included.
std::string to_json(const HistogramReport& report);

}  // namespace gpuimg
