// Colors of the SVG plot: the style sheet, light and dark, and the color ramp under the axis.
#pragma once

#include <string_view>
#include <vector>

#include "gpuimg/ops/hist.hpp"

namespace gpuimg {

/// Content of the plot's <style> element. Each channel draws with the class "c-" + channel_name and
/// "bars" (filled) or "line".
std::string_view svg_style();

/// Evenly spaced colors from the smallest to the largest value of the channel.
std::vector<std::string_view> ramp_colors(Channel channel);

}  // namespace gpuimg
