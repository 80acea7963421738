// What the plots say of a channel in words: the chart's lines and the SVG's legend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"

namespace gpuimg {

/// {"mean 12.3", "stddev 4.5", "median 12"}, in the unit of the axis. On a circular axis {"circular mean 12.3",
/// "circular stddev 4.5"}, with "none" if there is no mean. `channel` must have statistics, here and below.
std::vector<std::string> center_facts(const ChannelReport& channel, const ValueAxis& axis);

/// {"mode 12", "entropy 6.78 bits"}.
std::vector<std::string> shape_facts(const ChannelReport& channel, const ValueAxis& axis);

/// From the smallest value to the largest: {"min 0", "1% 2", …, "max 255"}. Not for a circular axis.
std::vector<std::string> order_facts(const ChannelReport& channel, const ValueAxis& axis);

/// {"0.12% at 0", "3.4% at 255"}; in a limited range "at or below" and "at or above" its ends.
std::vector<std::string> end_facts(const ChannelReport& channel, const ValueAxis& axis);

/// "peak 812k at 255 is cut": the highest of the columns, of which `peak` is the text.
std::string cut_text(const HistogramReport& report, const std::vector<std::uint64_t>& columns,
                     std::size_t bins_per_column, const std::string& peak);

/// "gray", "gray + alpha", "RGB" or "RGB + alpha".
std::string_view color_kind(int channels);

}  // namespace gpuimg
