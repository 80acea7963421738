// Draws a histogram as a terminal chart.
#include "report/histogram_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "report/plot_elements.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr int kGutter = 8;  // label, space, rule
constexpr int kMostChartColumns = 256;
constexpr int kMostRows = 32;  ///< per channel
constexpr int kEighths = 8;
constexpr std::size_t kLongestName = 60;

struct Glyphs {
  std::array<std::string_view, kEighths + 1> blocks;
  std::string_view rule;
  std::string_view axis;
  std::string_view corner;
  std::string_view separator;
  std::string_view cut;
  std::string_view times;
};

const Glyphs& glyphs_of(const TerminalStyle& style) {
  static constexpr Glyphs kUnicode = {{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "│", "─", "└", " · ", "▲", " × "};
  static constexpr Glyphs kAscii = {{" ", ".", ".", ".", ":", ":", "|", "|", "#"}, "|", "-", "+", ", ", "^", " x "};
  return style.unicode ? kUnicode : kAscii;
}

std::string_view color_of(Channel channel) {
  switch (channel) {
    case Channel::red: return "\x1b[31m";
    case Channel::green: return "\x1b[32m";
    case Channel::blue: return "\x1b[94m";
    case Channel::luma:
    case Channel::lightness: return "\x1b[36m";
    case Channel::alpha:
    case Channel::hue:
    case Channel::saturation: return "\x1b[35m";
  }
  return "";
}

/// The color of a channel, or of an image in an overlay; neighboring images have different colors.
std::string_view color_of(const ChannelReport& channel) {
  static constexpr std::array<std::string_view, 4> kSeries = {"\x1b[36m", "\x1b[33m", "\x1b[35m", "\x1b[32m"};
  return channel.series > 0 ? kSeries[static_cast<std::size_t>(channel.series - 1) % kSeries.size()]
                            : color_of(channel.channel);
}

std::string painted(std::string_view text, std::string_view escape, const TerminalStyle& style) {
  return style.color ? fmt::format("{}{}\x1b[0m", escape, text) : std::string(text);
}

std::string faint(std::string_view text, const TerminalStyle& style) { return painted(text, "\x1b[2m", style); }

/// Maps bins to characters: several bins per column, or several characters per bin.
struct Grid {
  std::size_t bins_per_column = 1;
  std::size_t repeat = 1;
  std::size_t width = 0;
};

Grid grid_of(const HistogramReport& report, const TerminalStyle& style) {
  const auto room = static_cast<std::size_t>(std::clamp(style.columns - kGutter, kEighths, kMostChartColumns));
  Grid grid;
  grid.bins_per_column = bins_per_column(report.axis.bins, room);
  const std::size_t columns = (report.axis.bins + grid.bins_per_column - 1) / grid.bins_per_column;
  grid.repeat = room / columns;
  grid.width = columns * grid.repeat;
  return grid;
}

std::string peak_text(const HistogramReport& report, std::uint64_t peak) {
  const auto value = static_cast<double>(peak);
  return compact(report.options.normalize && report.counted > 0 ? value / static_cast<double>(report.counted) : value);
}

/// The columns of one channel and their scale.
struct Bars {
  std::vector<std::uint64_t> columns;
  std::uint64_t ceiling = 0;

  [[nodiscard]] std::uint64_t peak() const { return *std::max_element(columns.begin(), columns.end()); }
  [[nodiscard]] bool is_cut() const { return peak() > ceiling; }

  /// The height of a column in eighths of a row.
  [[nodiscard]] int height(std::uint64_t count, int rows, bool log) const {
    if (count == 0) {
      return 0;
    }
    const auto value = static_cast<double>(std::min(count, ceiling));
    const auto top = static_cast<double>(ceiling);
    const double share = log ? std::log1p(value) / std::log1p(top) : value / top;
    return std::max(1, static_cast<int>(std::lround(share * rows * kEighths)));
  }
};

Bars bars_of(const HistogramReport& report, const ChannelReport& channel, const Grid& grid,
             const TerminalStyle& style) {
  Bars bars{columns_of(channel, grid.bins_per_column, report.options.cumulative)};
  bars.ceiling = style.log || report.options.cumulative ? bars.peak() : count_ceiling(bars.columns);
  return bars;
}

void add_chart(std::string& out, const HistogramReport& report, const ChannelReport& channel, const Grid& grid,
               int rows, const TerminalStyle& style) {
  const Glyphs& glyphs = glyphs_of(style);
  const Bars bars = bars_of(report, channel, grid, style);
  for (int row = rows - 1; row >= 0; --row) {
    const std::string label = row == rows - 1 ? peak_text(report, bars.ceiling) : row == 0 ? channel.label : "";
    out += faint(fmt::format("{:>6} {}", label, glyphs.rule), style);
    std::string line;
    for (const std::uint64_t count : bars.columns) {
      const int height = bars.height(count, rows, style.log);
      const auto block = static_cast<std::size_t>(std::clamp(height - row * kEighths, 0, kEighths));
      const bool is_cut = count > bars.ceiling && row == rows - 1;
      for (std::size_t i = 0; i < grid.repeat; ++i) {
        line += is_cut ? glyphs.cut : glyphs.blocks[block];
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += painted(line, color_of(channel), style) + "\n";
  }
}

/// "peak 812k at 255 is cut"; empty if no column is cut.
std::vector<std::string> cut_facts(const HistogramReport& report, const ChannelReport& channel, const Grid& grid,
                                   const TerminalStyle& style) {
  const Bars bars = bars_of(report, channel, grid, style);
  if (!bars.is_cut()) {
    return {};
  }
  return {cut_text(report, bars.columns, grid.bins_per_column, peak_text(report, bars.peak()))};
}

/// Labels the axis at the position of each value; the last label ends with the axis.
void add_axis(std::string& out, const HistogramReport& report, const Grid& grid, const TerminalStyle& style) {
  const Glyphs& glyphs = glyphs_of(style);
  // The last label ends with the axis, so the quarter before it holds two labels and the spaces around them.
  const std::size_t label_room = 2 * rounded(report.axis.tick(1, 1)).size() + 2;
  const int parts = grid.width >= 4 * label_room ? 4 : 1;
  std::string line;
  std::size_t at = 0;  // in characters; line.size() counts bytes
  for (int i = 0; i <= parts; ++i) {
    const std::string value = rounded(report.axis.tick(i, parts));
    const std::string label = fmt::format("{}{}{}", i == 0 ? "" : " ", value, i == parts ? "" : " ");
    const std::size_t start = grid.width * static_cast<std::size_t>(i) / static_cast<std::size_t>(parts);
    const std::size_t place =
        i == parts ? start - std::min(start, label.size()) : start - std::min<std::size_t>(start, 1);
    for (; at < place; ++at) {
      line += glyphs.axis;
    }
    line += label;
    at += label.size();
  }
  out += faint(fmt::format("{:>6} {}{}", "", glyphs.corner, line), style) + "\n";
}

/// Writes one fact from column `at` on, wrapped between words if it is too wide. Returns the next column.
std::size_t add_words(std::string& out, std::string_view fact, std::size_t at, std::size_t room) {
  constexpr std::string_view kIndent = "     ";
  while (at + fact.size() > room) {
    const std::size_t space = fact.rfind(' ', room - std::min(room, at));
    if (space == std::string_view::npos) {
      break;
    }
    out += fact.substr(0, space);
    out += '\n';
    out += kIndent;
    at = kIndent.size();
    fact.remove_prefix(space + 1);
  }
  out += fact;
  return at + fact.size();
}

/// Joins facts with the separator and wraps the lines.
void add_facts(std::string& out, const std::vector<std::string>& facts, const TerminalStyle& style) {
  constexpr std::string_view kIndent = "   ";
  const std::string_view separator = glyphs_of(style).separator;
  const std::size_t separator_columns = style.unicode ? 3 : separator.size();
  const auto room = static_cast<std::size_t>(std::max(style.columns, 1));
  out += ' ';
  std::size_t at = add_words(out, facts.front(), 1, room);
  for (auto fact = facts.begin() + 1; fact != facts.end(); ++fact) {
    if (at + separator_columns + fact->size() <= room) {
      out += separator;
      out += *fact;
      at += separator_columns + fact->size();
      continue;
    }
    out += '\n';
    out += kIndent;
    at = add_words(out, *fact, kIndent.size(), room);
  }
  out += '\n';
}

/// Facts about the counted pixels. An overlay of several images has no counts, because its heights are shares.
std::vector<std::string> pixel_facts(const HistogramReport& report, const TerminalStyle& style) {
  std::vector<std::string> facts = {"heights are shares of the pixels counted"};
  if (report.channels.front().series == 0) {
    facts = {fmt::format("{} pixels counted", grouped(report.counted)),
             fmt::format("{} skipped", grouped(report.skipped))};
  }
  if (style.log) {
    facts.emplace_back("heights are logarithmic (--log)");
  }
  return facts;
}

/// Names on ASCII terminals are not shortened, because that needs an ellipsis.
std::string shown_name(const std::string& name, const TerminalStyle& style) {
  return style.unicode ? shortened(printable_name(name), kLongestName) : printable_name(name);
}

/// Name, size, depth and kind of the image.
void add_heading(std::string& out, const HistogramReport& report, const TerminalStyle& style) {
  const Glyphs& glyphs = glyphs_of(style);
  const ImageFacts& image = report.image;
  std::vector<std::string> facts = {shown_name(image.name, style)};
  if (!image.is_sum) {
    facts.push_back(fmt::format("{}{}{}", image.width, style.columns < 40 ? "x" : glyphs.times, image.height));
    facts.push_back(fmt::format("{} bit", image.bits));
    facts.emplace_back(color_kind(image.channels));
  }
  add_facts(out, facts, style);
}

void add_statistics(std::string& out, const HistogramReport& report, const Grid& grid, const TerminalStyle& style) {
  const ChannelReport& channel = report.channels.front();
  std::vector<std::string> pixels = pixel_facts(report, style);
  if (!channel.statistics) {
    add_facts(out, pixels, style);
    return;
  }
  std::vector<std::string> center = center_facts(channel, report.axis);
  for (std::vector<std::string> more : {shape_facts(channel, report.axis), cut_facts(report, channel, grid, style)}) {
    center.insert(center.end(), more.begin(), more.end());
  }
  add_facts(out, center, style);
  if (!report.axis.is_circular()) {
    add_facts(out, order_facts(channel, report.axis), style);
  }
  const std::vector<std::string> ends = end_facts(channel, report.axis);
  pixels.insert(pixels.end(), ends.begin(), ends.end());
  add_facts(out, pixels, style);
}

void add_brief_statistics(std::string& out, const HistogramReport& report, const Grid& grid,
                          const TerminalStyle& style) {
  for (const ChannelReport& channel : report.channels) {
    if (!channel.statistics) {
      continue;
    }
    std::vector<std::string> facts = center_facts(channel, report.axis);
    const bool is_image = channel.series > 0;
    facts.front().insert(
        0, is_image ? fmt::format("{} {}: ", channel.label, shown_name(channel.caption, style)) : channel.label + ": ");
    const std::vector<std::string> ends = end_facts(channel, report.axis);
    facts.insert(facts.end(), ends.begin(), ends.end());
    const std::vector<std::string> cut = cut_facts(report, channel, grid, style);
    facts.insert(facts.end(), cut.begin(), cut.end());
    add_facts(out, facts, style);
  }
  add_facts(out, pixel_facts(report, style), style);
}

int lines_in(const std::string& text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

/// The rows of each channel: the rows of the terminal without the text, an axis and a prompt, divided by the channels.
int rows_for(const HistogramReport& report, const std::string& text, const TerminalStyle& style) {
  const auto channels = static_cast<int>(report.channels.size());
  const int room = style.rows - lines_in(text) - 2;
  return std::clamp(room / channels, channels == 1 ? 6 : 2, kMostRows);
}

}  // namespace

std::string to_terminal(const HistogramReport& report, const TerminalStyle& style) {
  const Grid grid = grid_of(report, style);
  std::string out;
  add_heading(out, report, style);
  std::string statistics;
  if (report.channels.size() == 1) {
    add_statistics(statistics, report, grid, style);
  } else {
    add_brief_statistics(statistics, report, grid, style);
  }
  const int rows = rows_for(report, out + statistics, style);
  for (const ChannelReport& channel : report.channels) {
    add_chart(out, report, channel, grid, rows, style);
  }
  add_axis(out, report, grid, style);
  return out + statistics;
}

}  // namespace gpuimg
