// A histogram as JSON, schema 1. The rules stand in docs/operations.md, "Histogram".
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
///   histograms[]                    one a channel: channel; unit ("level", "degrees", "fraction"); counts; statistics
///                                   (in the unit; null when nothing was counted; of hue with "circular": true, a
///                                   circular mean and stddev, and null for min, max, median and percentiles); and
///                                   where bins, cumulative or normalize were asked for, values: what the CSV prints;
///                                   with bins also from
/// `counts` are always the integers as counted, one a level, whatever was asked for: files of the same options are
/// merged exactly by adding them. Integers can pass 2⁵³. No version, time or machine is named.
std::string to_json(const HistogramReport& report);

}  // namespace gpuimg
