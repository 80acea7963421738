// Columns, heights, ticks and texts of the plots.
#include "report/plot_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "text/number_text.hpp"

namespace gpuimg {

std::size_t bins_per_column(std::size_t bins, std::size_t limit) {
  const std::size_t smallest = std::max<std::size_t>(1, (bins + limit - 1) / limit);
  for (std::size_t group = smallest; group < 2 * smallest; ++group) {
    if (bins % group == 0) {
      return group;
    }
  }
  return smallest;
}

std::vector<std::uint64_t> columns_of(const ChannelReport& channel, std::size_t per_column, bool cumulative) {
  const std::vector<std::uint64_t>& values = channel.values;
  std::vector<std::uint64_t> columns((values.size() + per_column - 1) / per_column);
  for (std::size_t bin = 0; bin < values.size(); ++bin) {
    std::uint64_t& column = columns[bin / per_column];
    column = cumulative ? values[bin] : column + values[bin];
  }
  return columns;
}

std::uint64_t count_ceiling(const std::vector<std::uint64_t>& columns) {
  constexpr std::size_t kLeastColumns = 8;  // with fewer columns, none is an outlier
  constexpr std::uint64_t kTowers = 4;
  std::vector<std::uint64_t> sorted;
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(sorted),
               [](std::uint64_t count) { return count > 0; });
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  if (sorted.empty()) {
    return 0;
  }
  if (sorted.size() < kLeastColumns) {
    return sorted.front();
  }
  const std::uint64_t others = sorted[std::max<std::size_t>(2, sorted.size() / 50)];
  return sorted.front() / kTowers > others ? others + (others + 3) / 4 : sorted.front();
}

double nice_step(double span) {
  constexpr double kMostParts = 10.0;
  const double least = span / kMostParts;
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= least * (1.0 - 1e-9)) {
      return factor * decade;
    }
  }
  return 10.0 * decade;
}

CountScale::CountScale(std::uint64_t largest, bool log, double unit)
    : top_(static_cast<double>(std::max<std::uint64_t>(largest, 1))), unit_(unit), log_(log) {
  constexpr double kHeadroom = 1.05;
  top_ = log_ ? std::exp(std::log1p(top_) * kHeadroom) - 1.0 : top_ * kHeadroom;
}

double CountScale::position(double count) const { return log_ ? std::log1p(count) / std::log1p(top_) : count / top_; }

std::vector<Tick> CountScale::ticks() const { return log_ ? log_ticks() : linear_ticks(); }

std::vector<Tick> CountScale::linear_ticks() const {
  const double step = std::max(nice_step(top_ / unit_), unit_ == 1.0 ? 1.0 : 0.0);  // counts have no fractional ticks
  std::vector<Tick> ticks;
  for (int i = 0; i * step * unit_ <= top_; ++i) {
    ticks.push_back({position(i * step * unit_), compact(i * step)});
  }
  return ticks;
}

std::vector<Tick> CountScale::log_ticks() const {
  std::vector<Tick> ticks = {{0.0, "0"}};
  // Labels of shares start at the first power of ten that is at least one pixel.
  double label = std::pow(10.0, std::ceil(-std::log10(unit_) - 1e-9));
  for (; label * unit_ <= top_; label *= 10.0) {
    ticks.push_back({position(label * unit_), compact(label)});
  }
  return ticks;
}

std::vector<std::string> center_facts(const ChannelReport& channel, const ValueAxis& axis) {
  if (axis.is_circular()) {
    const std::optional<CircularMoments>& moments = channel.circular;
    return {"circular mean " + (moments ? rounded(moments->mean) : "none"),
            "circular stddev " + (moments ? rounded(moments->deviation) : "none")};
  }
  const HistogramStatistics& s = *channel.statistics;
  const auto value = [&](double level) { return rounded(axis.value_of_level(level)); };
  return {"mean " + value(s.mean), "stddev " + value(s.standard_deviation), "median " + value(s.median())};
}

std::vector<std::string> shape_facts(const ChannelReport& channel, const ValueAxis& axis) {
  return {"mode " + rounded(axis.value_of_level(channel.statistics->mode)),
          fmt::format("entropy {:.2f} bits", channel.statistics->entropy_bits)};
}

std::vector<std::string> order_facts(const ChannelReport& channel, const ValueAxis& axis) {
  const HistogramStatistics& s = *channel.statistics;
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

std::vector<std::string> end_facts(const ChannelReport& channel, const ValueAxis& axis) {
  const bool is_level = axis.unit == ValueUnit::level;
  const bool goes_on = is_level && axis.last() + 1 < channel.counts.size();
  const std::string_view low = !is_level ? "in bin" : axis.first > 0 ? "at or below" : "at";
  const std::string_view high = !is_level ? "in bin" : goes_on ? "at or above" : "at";
  return {fmt::format("{} {} {}", percent(channel.share_at_first), low, axis.first),
          fmt::format("{} {} {}", percent(channel.share_at_last), high, axis.last())};
}

std::string cut_text(const HistogramReport& report, const std::vector<std::uint64_t>& columns,
                     std::size_t bins_per_column, const std::string& peak) {
  const auto at = static_cast<std::size_t>(std::max_element(columns.begin(), columns.end()) - columns.begin());
  const std::size_t last = std::min<std::size_t>((at + 1) * bins_per_column, report.axis.bins) - 1;
  const auto start = [&](std::size_t bin) {
    return rounded(report.axis.start_of_bin(static_cast<std::uint32_t>(bin)));
  };
  std::string place = start(at * bins_per_column);
  if (bins_per_column > 1) {
    place += '-';
    place += start(last);
  }
  return fmt::format("peak {} at {} is cut", peak, place);
}

std::string_view color_kind(int channels) {
  switch (channels) {
    case 1: return "gray";
    case 2: return "gray + alpha";
    case 3: return "RGB";
    default: return "RGB + alpha";
  }
}

}  // namespace gpuimg
