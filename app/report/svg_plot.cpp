// Draws a histogram as an SVG plot.
#include "report/histogram_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "report/plot_elements.hpp"
#include "text/channel_names.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

// Layout in user units. 768 = 3 · 256, so that the columns of an 8-bit histogram lie on whole units.
constexpr int kWidth = 880;
constexpr int kLeft = 80;
constexpr int kPlotWidth = 768;
constexpr int kPlotHeight = 300;
constexpr int kLegendTop = 70;
constexpr int kLegendStep = 18;
constexpr std::size_t kLongestCaption = 40;
constexpr int kLeastTickDistance = 13;
constexpr int kRampGap = 3;
constexpr int kRampHeight = 8;
constexpr std::size_t kMostColumns = 1024;
constexpr std::size_t kLongestTitle = 80;

/// Content of the <style> element. The class of a channel is "c-" plus its channel_name; of an image in an overlay,
/// "i-" plus its number. A second class is "bars" (filled) or "line".
std::string_view svg_style() {
  return R"(
text{font:12px system-ui,-apple-system,"Segoe UI","Liberation Sans",Helvetica,Arial,sans-serif;fill:#57606a}
.title{font-size:17px;font-weight:600;fill:#1f2328}
.page{fill:#ffffff}
.grid{stroke:#d8dee4;stroke-width:1;fill:none}
.axis{stroke:#8c959f;stroke-width:1;fill:none}
.plot{isolation:isolate}
.bars{fill-opacity:.45;stroke-width:1;stroke-linejoin:round;mix-blend-mode:multiply}
.line{stroke-width:1.5;stroke-linejoin:round}
.cut{stroke:none}
.c-luma,.c-l{fill:#6e7781;stroke:#424a53}
.c-r{fill:#fa4549;stroke:#cf222e}
.c-g{fill:#2da44e;stroke:#1a7f37}
.c-b{fill:#218bff;stroke:#0969da}
.c-a,.c-h,.c-s{fill:#a475f9;stroke:#8250df}
.i-1{fill:#0969da;stroke:#0969da}
.i-2{fill:#bc4c00;stroke:#bc4c00}
.i-3{fill:#1a7f37;stroke:#1a7f37}
.i-4{fill:#bf3989;stroke:#bf3989}
.i-5{fill:#6639ba;stroke:#6639ba}
.i-6{fill:#9a6700;stroke:#9a6700}
.i-7{fill:#1b7c83;stroke:#1b7c83}
.i-8{fill:#424a53;stroke:#424a53}
@media (prefers-color-scheme:dark){
text{fill:#9198a1}
.title{fill:#f0f6fc}
.page{fill:#0d1117}
.grid{stroke:#262c36}
.axis{stroke:#656c76}
.bars{mix-blend-mode:screen}
.c-luma,.c-l{fill:#8b949e;stroke:#c9d1d9}
.c-r{fill:#f85149;stroke:#ff7b72}
.c-g{fill:#2ea043;stroke:#56d364}
.c-b{fill:#388bfd;stroke:#79c0ff}
.c-a,.c-h,.c-s{fill:#a371f7;stroke:#d2a8ff}
.i-1{fill:#58a6ff;stroke:#58a6ff}
.i-2{fill:#f0883e;stroke:#f0883e}
.i-3{fill:#3fb950;stroke:#3fb950}
.i-4{fill:#f778ba;stroke:#f778ba}
.i-5{fill:#bc8cff;stroke:#bc8cff}
.i-6{fill:#e3b341;stroke:#e3b341}
.i-7{fill:#39c5cf;stroke:#39c5cf}
.i-8{fill:#c9d1d9;stroke:#c9d1d9}
}
.plot .line{fill:none}
)";
}

/// The colors of the ramp below the axis, evenly spaced from the smallest to the largest value of the channel.
std::vector<std::string_view> ramp_colors(Channel channel) {
  switch (channel) {
    case Channel::red: return {"#000", "#f00"};
    case Channel::green: return {"#000", "#0f0"};
    case Channel::blue: return {"#000", "#00f"};
    case Channel::hue: return {"#f00", "#ff0", "#0f0", "#0ff", "#00f", "#f0f", "#f00"};
    case Channel::saturation: return {"#808080", "#f00"};
    case Channel::luma:
    case Channel::alpha:
    case Channel::lightness: break;
  }
  return {"#000", "#fff"};
}

struct Frame {
  int top = 0;     ///< top of the plot area
  int bottom = 0;  ///< position of the axis
};

/// At most two decimals, without trailing zeros.
std::string coordinate(double x) { return fmt::format("{}", std::round(x * 100.0) / 100.0); }

double height_at(const Frame& frame, double position) { return frame.bottom - position * (frame.bottom - frame.top); }

/// The size of the image, followed by a separator; empty for a sum of images.
std::string size_prefix(const ImageFacts& image) {
  return image.is_sum ? ""
                      : fmt::format("{} × {} · {} bit · {} · ", image.width, image.height, image.bits,
                                    color_kind(image.channels));
}

void add_heading(std::string& svg, const HistogramReport& report, const SvgOptions& options) {
  const std::string title = options.title.empty() ? fmt::format("Histogram of {}", report.image.name) : options.title;
  append_format(svg, "<title>{}</title>\n<style>{}</style>\n", xml_escaped(title), svg_style());
  append_format(svg, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
  append_format(svg, "<text class=\"title\" x=\"{}\" y=\"30\">{}</text>\n", kLeft,
                xml_escaped(shortened(title, kLongestTitle)));
  const bool is_overlay = report.channels.front().series > 0;
  append_format(svg, "<text x=\"{}\" y=\"50\">{}</text>\n", kLeft,
                is_overlay ? "shares of the pixels counted in each image"
                           : fmt::format("{}{} pixels counted, {} skipped", size_prefix(report.image),
                                         grouped(report.counted), grouped(report.skipped)));
}

/// The class in the style sheet that sets the color of a channel, or of an image in an overlay.
std::string color_class(const ChannelReport& channel) {
  return channel.series > 0 ? fmt::format("i-{}", channel.series) : fmt::format("c-{}", channel_name(channel.channel));
}

/// The columns of all channels, with a common ceiling.
struct PlotColumns {
  std::size_t per_column = 1;
  std::vector<std::vector<std::uint64_t>> channels;
  std::uint64_t ceiling = 0;
};

PlotColumns plot_columns(const HistogramReport& report, bool log) {
  PlotColumns plot;
  plot.per_column = bins_per_column(report.axis.bins, kMostColumns);
  std::vector<std::uint64_t> all;
  for (const ChannelReport& channel : report.channels) {
    plot.channels.push_back(columns_of(channel, plot.per_column, report.options.cumulative));
    all.insert(all.end(), plot.channels.back().begin(), plot.channels.back().end());
  }
  plot.ceiling = log || report.options.cumulative ? *std::max_element(all.begin(), all.end()) : count_ceiling(all);
  return plot;
}

/// The legend of a channel: its name and center_facts(), then order_facts() and end_facts().
std::vector<std::string> legend_lines(const HistogramReport& report, std::size_t index, const PlotColumns& plot) {
  const ChannelReport& channel = report.channels[index];
  const std::string caption = shortened(channel.caption, kLongestCaption);
  if (!channel.statistics) {
    return {caption + ": nothing counted"};
  }
  const auto joined = [](const std::vector<std::string>& facts) { return fmt::format("{}", fmt::join(facts, " · ")); };
  std::vector<std::string> first = center_facts(channel, report.axis);
  const std::vector<std::string> shape = shape_facts(channel, report.axis);
  first.insert(first.end(), shape.begin(), shape.end());
  const std::vector<std::uint64_t>& columns = plot.channels[index];
  if (const std::uint64_t peak = *std::max_element(columns.begin(), columns.end()); peak > plot.ceiling) {
    const bool shares = report.options.normalize && report.counted > 0;
    const auto value = static_cast<double>(peak) / (shares ? static_cast<double>(report.counted) : 1.0);
    first.push_back(cut_text(report, columns, plot.per_column, compact(value)));
  }
  std::vector<std::string> second = end_facts(channel, report.axis);
  if (!report.axis.is_circular()) {
    const std::vector<std::string> order = order_facts(channel, report.axis);
    second.insert(second.begin(), order.begin(), order.end());
  }
  return {caption + ": " + joined(first), joined(second)};
}

/// Draws the legend and returns its lower edge.
int add_legend(std::string& svg, const HistogramReport& report, const PlotColumns& plot) {
  int y = kLegendTop;
  for (std::size_t i = 0; i < report.channels.size(); ++i) {
    append_format(svg, "<rect class=\"{}\" fill-opacity=\".5\" x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" rx=\"2\"/>",
                  color_class(report.channels[i]), kLeft, y - 9);
    for (const std::string& line : legend_lines(report, i, plot)) {
      append_format(svg, "<text x=\"{}\" y=\"{}\">{}</text>\n", kLeft + 16, y, xml_escaped(line));
      y += kLegendStep;
    }
  }
  return y - kLegendStep;
}

std::string count_label(const HistogramReport& report, const SvgOptions& options, std::size_t per_column) {
  std::string label = report.options.normalize ? "share of pixels" : "pixels";
  if (report.options.cumulative) {
    label += " up to here";
  } else if (per_column > 1) {
    label += fmt::format(" in {} bins", per_column);
  }
  return options.log ? label + " (log)" : label;
}

void add_count_axis(std::string& svg, const Frame& frame, const CountScale& scale, const std::string& label) {
  double lowest_free = frame.bottom + 1.0;
  for (const Tick& tick : scale.ticks()) {
    const double y = std::round(height_at(frame, tick.position)) + 0.5;  // half-pixel offset for a crisp line
    if (y > lowest_free) {
      continue;  // its label would touch the one below
    }
    lowest_free = y - kLeastTickDistance;
    append_format(svg, "<path class=\"grid\" d=\"M{} {}h{}\"/>", kLeft, y, kPlotWidth);
    append_format(svg, "<text text-anchor=\"end\" x=\"{}\" y=\"{}\" dy=\".35em\">{}</text>\n", kLeft - 8, y,
                  tick.label);
  }
  append_format(svg, "<text text-anchor=\"middle\" transform=\"translate(24 {}) rotate(-90)\">{}</text>\n",
                (frame.top + frame.bottom) / 2, label);
}

/// Ticks are at eighths of the range for levels, with the last tick at V; at sixths of the circle for hue; at tenths
/// for fractions.
void add_value_axis(std::string& svg, const HistogramReport& report, const Frame& frame) {
  const ValueAxis& axis = report.axis;
  const int parts = axis.unit == ValueUnit::level ? 8 : axis.unit == ValueUnit::degrees ? 6 : 10;
  const int baseline = frame.bottom + kRampGap + kRampHeight + 16;
  for (int i = 0; i <= parts; ++i) {
    const double x = kLeft + static_cast<double>(kPlotWidth) * i / parts;
    append_format(svg, "<path class=\"axis\" d=\"M{} {}v{}\"/>", coordinate(x), frame.bottom, kRampGap);
    append_format(svg, "<text text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\n", coordinate(x), baseline,
                  rounded(axis.tick(i, parts)));
  }
  append_format(svg, "<path class=\"axis\" d=\"M{} {}h{}\"/>\n", kLeft, frame.bottom + 0.5, kPlotWidth);
  const ChannelReport& first = report.channels.front();
  const bool is_one = report.channels.size() == 1 || first.series > 0;
  std::string label = !is_one                   ? "channel value"
                      : first.caption == "gray" ? "gray"
                                                : std::string(channel_word(first.channel));
  if (first.channel == Channel::luma && label != "gray") {
    label += fmt::format(" ({})", luma_name(report.options.luma));
  } else if (axis.unit == ValueUnit::degrees) {
    label += " in degrees";
  }
  append_format(svg, "<text text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\n", kLeft + kPlotWidth / 2,
                baseline + 22, label);
}

void add_ramp(std::string& svg, const HistogramReport& report, const Frame& frame) {
  const auto colors = ramp_colors(report.channels.size() == 1 ? report.channels.front().channel : Channel::luma);
  svg += "<defs><linearGradient id=\"ramp\">";
  for (std::size_t i = 0; i < colors.size(); ++i) {
    append_format(svg, "<stop offset=\"{}\" stop-color=\"{}\"/>",
                  coordinate(static_cast<double>(i) / static_cast<double>(colors.size() - 1)), colors[i]);
  }
  append_format(svg,
                "</linearGradient></defs>\n<rect fill=\"url(#ramp)\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                kLeft, frame.bottom + kRampGap, kPlotWidth, kRampHeight);
}

/// Draws a staircase with one step per column; adjacent steps of equal height are merged. Bars begin and end on the
/// axis, which closes the filled area. A running sum begins and ends at its own heights, so that the line never falls.
void add_staircase(std::string& svg, const ChannelReport& channel, const std::vector<std::uint64_t>& columns,
                   bool is_running_sum, const Frame& frame, const CountScale& scale) {
  const auto y_of = [&](std::uint64_t count) {
    return coordinate(height_at(frame, std::min(1.0, scale.position(static_cast<double>(count)))));
  };
  const double width = static_cast<double>(kPlotWidth) / static_cast<double>(columns.size());
  std::string last = y_of(is_running_sum ? columns.front() : 0);
  append_format(svg, "<path class=\"{} {}\" d=\"M{} {}", is_running_sum || channel.series > 0 ? "line" : "bars",
                color_class(channel), kLeft, last);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::string y = y_of(columns[i]);
    if (y != last) {
      append_format(svg, "H{}V{}", coordinate(kLeft + width * static_cast<double>(i)), y);
      last = std::move(y);
    }
  }
  append_format(svg, "H{}", kLeft + kPlotWidth);
  if (!is_running_sum) {
    append_format(svg, "V{}", frame.bottom);
  }
  svg += "\"/>\n";
}

/// Draws an arrow above each column that is higher than the plot.
void add_cuts(std::string& svg, const ChannelReport& channel, const std::vector<std::uint64_t>& columns,
              std::uint64_t ceiling, const Frame& frame) {
  const double width = static_cast<double>(kPlotWidth) / static_cast<double>(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] > ceiling) {
      append_format(svg, "<path class=\"cut {}\" d=\"M{} {}l4 -7l4 7z\"/>\n", color_class(channel),
                    coordinate(kLeft + width * (static_cast<double>(i) + 0.5) - 4.0), frame.top - 1);
    }
  }
}

}  // namespace

std::string to_svg(const HistogramReport& report, const SvgOptions& options) {
  const PlotColumns plot = plot_columns(report, options.log);
  const bool shares = report.options.normalize && report.counted > 0;
  const CountScale scale(plot.ceiling, options.log, shares ? static_cast<double>(report.counted) : 1.0);

  std::string body;
  add_heading(body, report, options);
  Frame frame;
  frame.top = add_legend(body, report, plot) + 18;
  frame.bottom = frame.top + kPlotHeight;
  add_count_axis(body, frame, scale, count_label(report, options, plot.per_column));
  body += "<g class=\"plot\">\n";
  for (std::size_t i = 0; i < plot.channels.size(); ++i) {
    add_staircase(body, report.channels[i], plot.channels[i], report.options.cumulative, frame, scale);
    add_cuts(body, report.channels[i], plot.channels[i], plot.ceiling, frame);
  }
  body += "</g>\n";
  add_ramp(body, report, frame);
  add_value_axis(body, report, frame);

  const int height = frame.bottom + 62;
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
      "height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n{2}</svg>\n",
      kWidth, height, body);
}

}  // namespace gpuimg
