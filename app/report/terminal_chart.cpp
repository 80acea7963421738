// Draws a histogram as a terminal chart.
#include "report/terminal_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "report/center_facts.hpp"
#include "report/columns.hpp"
#include "text/channel_names.hpp"
#include "text/number_text.hpp"

namespace gpuimg {
namespace {

constexpr int kGutter = 8;  // label, space, rule
constexpr int kMostColumns = 128;
constexpr int kEighths = 8;

struct Glyphs {
  std::array<std::string_view, kEighths + 1> blocks;
  std::string_view rule;
  std::string_view axis;
  std::string_view corner;
  std::string_view separator;
};

const Glyphs& glyphs_of(const TerminalStyle& style) {
  static constexpr Glyphs kUnicode = {{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "│", "─", "└", " · "};
  static constexpr Glyphs kAscii = {{" ", ".", ".", ".", ":", ":", "|", "|", "#"}, "|", "-", "+", ", "};
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
  const auto room = static_cast<std::size_t>(std::clamp(style.columns - kGutter, kEighths, kMostColumns));
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

void add_chart(std::string& out, const HistogramReport& report, const ChannelReport& channel, const Grid& grid,
               int rows, const TerminalStyle& style) {
  const Glyphs& glyphs = glyphs_of(style);
  const auto columns = columns_of(channel, grid.bins_per_column, report.options.cumulative);
  const std::uint64_t peak = *std::max_element(columns.begin(), columns.end());
  const double scale = peak == 0 ? 0.0 : static_cast<double>(rows * kEighths) / static_cast<double>(peak);
  for (int row = rows - 1; row >= 0; --row) {
    const std::string label = row == rows - 1 ? peak_text(report, peak)
                              : row == 0      ? std::string(channel_name(channel.channel))
                                              : "";
    out += faint(fmt::format("{:>6} {}", label, glyphs.rule), style);
    std::string line;
    for (const std::uint64_t count : columns) {
      const int height =
          count == 0 ? 0 : std::max(1, static_cast<int>(std::lround(static_cast<double>(count) * scale)));
      const auto block = static_cast<std::size_t>(std::clamp(height - row * kEighths, 0, kEighths));
      for (std::size_t i = 0; i < grid.repeat; ++i) {
        line += glyphs.blocks[block];
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += painted(line, color_of(channel.channel), style) + "\n";
  }
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

std::string pixels_text(const HistogramReport& report) {
  return fmt::format("{} pixels counted", grouped(report.counted));
}

/// From the smallest value to the largest.
std::vector<std::string> order_facts(const HistogramStatistics& s, const ValueAxis& axis) {
  const auto value = [&](double level) { return rounded(axis.value_of_level(level)); };
  std::vector<std::string> facts = {"min " + value(s.min)};
  for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
    if (kPercentiles[i] != 50) {
      facts.push_back(fmt::format("{}% {}", kPercentiles[i], value(s.percentiles[i])));
    }
  }
  facts.push_back("max " + value(s.max));
  return facts;
}

void add_statistics(std::string& out, const HistogramReport& report, const TerminalStyle& style) {
  const ChannelReport& channel = report.channels.front();
  const std::string skipped = fmt::format("{} skipped", grouped(report.skipped));
  if (!channel.statistics) {
    add_facts(out, {pixels_text(report), skipped}, style);
    return;
  }
  const HistogramStatistics& s = *channel.statistics;
  const auto value = [&](double level) { return rounded(report.axis.value_of_level(level)); };
  std::vector<std::string> center = center_facts(channel, report.axis);
  center.push_back("mode " + value(s.mode));
  center.push_back(fmt::format("entropy {:.2f} bits", s.entropy_bits));
  add_facts(out, center, style);
  if (!report.axis.is_circular()) {
    add_facts(out, order_facts(s, report.axis), style);
  }
  const std::string ends = report.axis.unit == ValueUnit::level ? "at" : "in bin";
  add_facts(out,
            {pixels_text(report), skipped, fmt::format("{} {} 0", percent(s.share_at_zero), ends),
             fmt::format("{} {} {}", percent(s.share_at_max), ends, report.axis.levels - 1)},
            style);
}

void add_brief_statistics(std::string& out, const HistogramReport& report, const TerminalStyle& style) {
  for (const ChannelReport& channel : report.channels) {
    if (!channel.statistics) {
      continue;
    }
    const HistogramStatistics& s = *channel.statistics;
    const auto value = [&](double level) { return rounded(report.axis.value_of_level(level)); };
    std::vector<std::string> facts = center_facts(channel, report.axis);
    facts.front().insert(0, fmt::format("{}: ", channel_name(channel.channel)));
    if (!report.axis.is_circular()) {
      facts.push_back("1% " + value(s.percentiles.front()));
      facts.push_back("99% " + value(s.percentiles.back()));
    }
    facts.push_back(fmt::format("{:.2f} bits", s.entropy_bits));
    add_facts(out, facts, style);
  }
  add_facts(out, {pixels_text(report), fmt::format("{} skipped", grouped(report.skipped))}, style);
}

}  // namespace

std::string to_terminal(const HistogramReport& report, const TerminalStyle& style) {
  const bool single = report.channels.size() == 1;
  const Grid grid = grid_of(report, style);
  std::string out;
  for (const ChannelReport& channel : report.channels) {
    add_chart(out, report, channel, grid, single ? 6 : 2, style);
  }
  add_axis(out, report, grid, style);
  if (single) {
    add_statistics(out, report, style);
  } else {
    add_brief_statistics(out, report, style);
  }
  return out;
}

}  // namespace gpuimg
