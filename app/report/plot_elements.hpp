// Elements that the SVG plot and the terminal chart share: grouping bins into columns, the height and ticks of the
// vertical axis, and texts about a channel. docs/operations.md, "Plots".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/histogram_report.hpp"

namespace gpuimg {

/// Bins per column, so that at most `limit` columns are needed. Prefers a divisor of `bins` if one is less than twice
/// the smallest possible value, so that all columns have the same width.
std::size_t bins_per_column(std::size_t bins, std::size_t limit);

/// One entry per column: the sum of its bins, or the last bin if the values are cumulative.
std::vector<std::uint64_t> columns_of(const ChannelReport& channel, std::size_t per_column, bool cumulative);

/// The top of the plot: the largest column, unless a few outliers tower above the others, as clipped levels do. Then it
/// is five quarters of the largest other column. Up to two columns, or 2 % of the non-empty ones, count as outliers if
/// they are more than four times as high as the others.
std::uint64_t count_ceiling(const std::vector<std::uint64_t>& columns);

struct Tick {
  double position = 0.0;  ///< 0 (axis) … 1 (top)
  std::string label;
};

/// The vertical scale: linear, or logarithmic as log(1 + count), which can show 0 and a single pixel. `unit` is the
/// count that labels show as 1: 1 for counts; the number of counted pixels for shares.
class CountScale {
 public:
  /// largest: the largest count drawn; the axis extends slightly above it. unit > 0.
  CountScale(std::uint64_t largest, bool log, double unit);

  [[nodiscard]] double position(double count) const;

  /// Linear: multiples of 1, 2 or 5 times a power of ten, four to eleven of them. Logarithmic: zero and powers of ten.
  [[nodiscard]] std::vector<Tick> ticks() const;

 private:
  [[nodiscard]] std::vector<Tick> linear_ticks() const;
  [[nodiscard]] std::vector<Tick> log_ticks() const;

  double top_;
  double unit_;
  bool log_;
};

/// 1, 2 or 5 times a power of ten: the step that divides `span` into at most ten parts. span > 0.
double nice_step(double span);

/// {"mean 12.3", "stddev 4.5", "median 12"}, in the unit of the axis. On a circular axis {"circular mean 12.3",
/// "circular stddev 4.5"}, with "none" if there is no mean. Here and below, `channel` must have statistics.
std::vector<std::string> center_facts(const ChannelReport& channel, const ValueAxis& axis);

/// {"mode 12", "entropy 6.78 bits"}.
std::vector<std::string> shape_facts(const ChannelReport& channel, const ValueAxis& axis);

/// From the smallest value to the largest: {"min 0", "1% 2", …, "max 255"}. Not for a circular axis.
std::vector<std::string> order_facts(const ChannelReport& channel, const ValueAxis& axis);

/// {"0.12% at 0", "3.4% at 255"}. In a limited range, "at or below" and "at or above" its ends.
std::vector<std::string> end_facts(const ChannelReport& channel, const ValueAxis& axis);

/// "peak 812k at 255 is cut": about the highest column. `peak` is its count as text.
std::string cut_text(const HistogramReport& report, const std::vector<std::uint64_t>& columns,
                     std::size_t bins_per_column, const std::string& peak);

/// "gray", "gray + alpha", "RGB" or "RGB + alpha".
std::string_view color_kind(int channels);

}  // namespace gpuimg
