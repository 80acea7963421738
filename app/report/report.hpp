// The content of a histogram report, independent of its form. to_csv, to_json, to_svg and to_terminal write it.
// docs/operations.md, "Histogram".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpuimg/ops/hist.hpp"
#include "report/circular_moments.hpp"
#include "report/statistics.hpp"

namespace gpuimg {

/// What to report, and the options of the count (the latter only appear in the JSON).
struct ReportOptions {
  std::optional<int> bins;  ///< 2 … V + 1; hue, saturation and lightness are counted in their bins already
  bool cumulative = false;  ///< values are inclusive prefix sums
  bool normalize = false;   ///< values are divided by the number of pixels counted (0 if there are none)
  Luma luma = kDefaultLuma;
  bool count_transparent = false;
  std::optional<Rect> region;
  bool masked = false;
};

/// Describes one image, or several whose histograms were summed; then width, height, bits and channels are unused.
struct ImageFacts {
  std::string name;  ///< file name, any bytes
  int width = 0;
  int height = 0;
  int bits = 8;  ///< per sample: 8 or 16
  int channels = 1;
  bool is_sum = false;
  std::uint64_t images = 1;  ///< in a sum
  std::uint64_t pixels = 0;  ///< of all images of a sum, counted or skipped
};

/// Of one image. `input` may be "-".
ImageFacts facts_of_image(const std::string& input, int width, int height, PixelFormat format);

enum class ValueUnit : std::uint8_t {
  level,    ///< 0 … V
  degrees,  ///< hue, [0,360)
  fraction  ///< saturation and lightness, [0,1]
};

/// The horizontal axis: `levels` counted levels in `bins` reported bins. For hue, saturation and lightness a level or
/// bin stands for its smallest value, also in statistics.
struct ValueAxis {
  ValueUnit unit = ValueUnit::level;
  std::uint32_t levels = 256;
  std::uint32_t bins = 256;

  /// True for hue: 0° follows 359°, so mean and deviation are circular and there is no minimum or median.
  [[nodiscard]] bool is_circular() const { return unit == ValueUnit::degrees; }
  /// Converts a level, or a mean of levels, to the unit.
  [[nodiscard]] double value_of_level(double level) const;
  /// Smallest value in a bin, in the unit.
  [[nodiscard]] double start_of_bin(std::uint32_t bin) const;
  /// Value at tick `part` of `parts`, in the unit: levels are rounded up to whole ones, the last is V.
  [[nodiscard]] double tick(int part, int parts) const;
};

struct ChannelReport {
  Channel channel = Channel::luma;
  std::vector<std::uint64_t> counts;  ///< as counted: axis.levels entries
  std::vector<std::uint64_t> values;  ///< axis.bins entries: rebinned, accumulated if asked; value_text divides
  std::optional<HistogramStatistics> statistics;  ///< of `counts`, in levels; nullopt if no pixel was counted
  std::optional<CircularMoments> circular;        ///< of `counts` on a circular axis; nullopt if there is no mean
};

struct HistogramReport {
  ReportOptions options;
  ImageFacts image;
  std::uint64_t counted = 0;
  std::uint64_t skipped = 0;  ///< pixels − counted: outside the region, masked out or transparent
  ValueAxis axis;
  std::vector<ChannelReport> channels;
};

/// Throws Error{usage} if `bins` is out of range, or if the channels do not share one axis (for example luma and hue).
HistogramReport make_report(const Histogram& histogram, const ReportOptions& options, const ImageFacts& image);

/// A value as printed in CSV and JSON: an integer, or with `normalize` the shortest text that
/// reads back as the float64.
std::string value_text(const HistogramReport& report, std::uint64_t value);

}  // namespace gpuimg
