// What is said of a histogram, before it takes a form: to_csv, to_json, to_svg and to_terminal write a HistogramReport.
// The rules stand in docs/operations.md, "Histogram".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpuimg/ops/hist.hpp"
#include "report/circular_moments.hpp"
#include "report/statistics.hpp"

namespace gpuimg {

/// How to report, and how it was counted (the latter only to be said in the JSON).
struct ReportOptions {
  std::optional<int> bins;  ///< 2 … V + 1; hue, saturation and lightness come counted in their bins and keep them
  bool cumulative = false;  ///< values are inclusive prefix sums
  bool normalize = false;   ///< values are divided by the number of pixels counted (0 when there are none)
  Luma luma = Luma::bt601;
  bool count_transparent = false;
  std::optional<Rect> region;
  bool masked = false;
};

/// Of one image, or of several whose histograms were summed: then width, height, bits and channels mean nothing.
struct ImageFacts {
  std::string name;  ///< file name, any bytes
  int width = 0;
  int height = 0;
  int bits = 8;  ///< of a sample: 8 or 16
  int channels = 1;
  bool is_sum = false;
  std::uint64_t images = 1;  ///< in a sum
  std::uint64_t pixels = 0;  ///< of all images of a sum, counted or not
};

enum class ValueUnit : std::uint8_t {
  level,    ///< 0 … V
  degrees,  ///< hue, [0,360)
  fraction  ///< saturation and lightness, [0,1]
};

/// The axis of values: `levels` counted levels in `bins` reported bins. A level or bin of hue, saturation or lightness
/// stands for its smallest value, in statistics too.
struct ValueAxis {
  ValueUnit unit = ValueUnit::level;
  std::uint32_t levels = 256;
  std::uint32_t bins = 256;

  /// True for hue: 0° follows 359°, so that mean and deviation are circular and nothing is smallest or in the middle.
  [[nodiscard]] bool is_circular() const { return unit == ValueUnit::degrees; }
  /// A level, or a mean of levels, in the unit.
  [[nodiscard]] double value_of_level(double level) const;
  /// Smallest value in a bin, in the unit.
  [[nodiscard]] double start_of_bin(std::uint32_t bin) const;
  /// Where tick `part` of `parts` stands, in the unit: levels are rounded up to whole ones, the last is V.
  [[nodiscard]] double tick(int part, int parts) const;
};

struct ChannelReport {
  Channel channel = Channel::luma;
  std::vector<std::uint64_t> counts;  ///< as counted: axis.levels entries
  std::vector<std::uint64_t> values;  ///< axis.bins entries: rebinned and summed as the options ask; value_text divides
  std::optional<HistogramStatistics> statistics;  ///< of `counts`, in levels; nothing when no pixel was counted
  std::optional<CircularMoments> circular;        ///< of `counts` on a circular axis, unless they have no mean
};

struct HistogramReport {
  ReportOptions options;
  ImageFacts image;
  std::uint64_t counted = 0;
  std::uint64_t skipped = 0;  ///< pixels − counted: outside the region, masked out or transparent
  ValueAxis axis;
  std::vector<ChannelReport> channels;
};

/// Throws Error{usage} if `bins` is out of range, or if the channels do not share one axis (luma and hue, say).
HistogramReport make_report(const Histogram& histogram, const ReportOptions& options, const ImageFacts& image);

/// A value as CSV and JSON print it: an integer, or with `normalize` the shortest text that reads back as the float64.
std::string value_text(const HistogramReport& report, std::uint64_t value);

}  // namespace gpuimg
