// The content of a histogram report, independent of the output format. to_csv, to_json, to_svg and to_terminal write
// it. docs/operations.md, "Histogram".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpuimg/ops/hist.hpp"
#include "report/statistics.hpp"

namespace gpuimg {

struct LevelRange {
  std::uint32_t first = 0;
  std::uint32_t last = 255;
};

/// The levels that a plot shows: hist --range.
struct PlotRange {
  bool is_automatic = false;  ///< from 0 to the smallest 2^k − 1 with k ≥ 8 that covers every counted level
  LevelRange levels;          ///< if not automatic
};

/// Options of the report, and options of the count, which only appear in the JSON.
struct ReportOptions {
  std::optional<int> bins;         ///< 2 … V + 1; hue, saturation and lightness are already counted in bins
  bool cumulative = false;         ///< values are inclusive prefix sums
  bool normalize = false;          ///< values are divided by the number of pixels counted (0 if there are none)
  std::optional<PlotRange> range;  ///< nothing: all levels. With `bins`, the bins divide the range
  Luma luma = kDefaultLuma;
  bool count_transparent = false;
  std::optional<Rect> region;
  bool masked = false;
};

/// Describes one image, or several images whose histograms were summed. For a sum, width, height, bits and channels are
/// unused.
struct ImageFacts {
  std::string name;  ///< file name, any bytes
  int width = 0;
  int height = 0;
  int bits = 8;  ///< per sample: 8 or 16
  int channels = 1;
  int pages = 1;  ///< of the file
  bool is_sum = false;
  std::uint64_t images = 1;  ///< in a sum
  std::uint64_t pixels = 0;  ///< of all images of a sum, counted or skipped
};

/// The facts of one image. `input` may be "-".
ImageFacts facts_of_image(const std::string& input, int width, int height, PixelFormat format);

enum class ValueUnit : std::uint8_t {
  level,    ///< 0 … V
  degrees,  ///< hue, [0,360)
  fraction  ///< saturation and lightness, [0,1]
};

/// The horizontal axis: `levels` levels from `first` on, reported in `bins` bins. For hue, saturation and lightness, a
/// level or bin stands for its smallest value, also in statistics.
struct ValueAxis {
  ValueUnit unit = ValueUnit::level;
  std::uint32_t first = 0;  ///< 0 unless the range is limited
  std::uint32_t levels = 256;
  std::uint32_t bins = 256;

  [[nodiscard]] std::uint32_t last() const { return first + levels - 1; }
  /// True for hue: 0° follows 359°, so mean and deviation are circular and there is no minimum or median.
  [[nodiscard]] bool is_circular() const { return unit == ValueUnit::degrees; }
  /// Converts a level, or a mean of levels, to the unit.
  [[nodiscard]] double value_of_level(double level) const;
  /// Smallest value in a bin, in the unit.
  [[nodiscard]] double start_of_bin(std::uint32_t bin) const;
  /// Value at tick `part` of `parts`, in the unit. Levels are rounded up to whole numbers; the last tick is V.
  [[nodiscard]] double tick(int part, int parts) const;
};

struct ChannelReport {
  Channel channel = Channel::luma;
  std::string label;                  ///< for a narrow column: "luma", "gray", "r"
  std::string caption;                ///< for a legend: "luma", "gray", "red", or the name of an image
  int series = 0;                     ///< from 1: the image of an overlay; 0: the channel of one image
  std::vector<std::uint64_t> counts;  ///< as counted, of all levels
  std::vector<std::uint64_t> values;  ///< axis.bins entries: rebinned, and accumulated if requested; not divided
  std::optional<HistogramStatistics> statistics;  ///< of `counts`, in levels; nullopt if no pixel was counted
  double share_at_first = 0.0;                    ///< share of counted pixels at or below axis.first
  double share_at_last = 0.0;                     ///< share at or above axis.last()
  double share_at_ends = 0.0;                     ///< sum of both shares
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

/// The levels to show. Throws Error{usage} if the histogram does not have them.
LevelRange shown_levels(const Histogram& histogram, const PlotRange& range);

/// Throws Error{usage} if `bins` or `range` is out of range, or if the channels do not share one axis (for example luma
/// and hue).
HistogramReport make_report(const Histogram& histogram, const ReportOptions& options, const ImageFacts& image);

/// A value as printed in CSV and JSON: an integer; with `normalize`, the share of the counted pixels as the shortest
/// text that reads back as the same float64.
std::string value_text(const HistogramReport& report, std::uint64_t value);

/// Several images in one plot: hist --overlay. docs/operations.md, "Plots".
constexpr std::size_t kMaxOverlaid = 8;

struct OverlaidImage {
  Histogram histogram;  ///< of one channel
  ImageFacts facts;
};

/// A report with one channel per image. Values are comparable as shares of the counted pixels: each image is scaled to
/// the largest number of counted pixels. `images` has 1 to kMaxOverlaid entries. Throws Error{unsupported} if the
/// images differ in their number of levels.
HistogramReport overlay(const std::vector<OverlaidImage>& images, ReportOptions options);

}  // namespace gpuimg
