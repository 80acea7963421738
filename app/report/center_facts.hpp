// Mean, deviation and median as text, for the plot's legend and the terminal chart.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace gpuimg {

/// {"mean 12.3", "stddev 4.5", "median 12"}, in the unit of the axis. On a circular axis {"circular mean 12.3",
/// "circular stddev 4.5"}, with "none" if there is no mean. `channel` must have statistics.
std::vector<std::string> center_facts(const ChannelReport& channel, const ValueAxis& axis);

}  // namespace gpuimg
