// Formats the statistics of a channel.
#include "report/channel_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/number_text.hpp"

namespace gpuimg {

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
