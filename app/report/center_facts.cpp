// Formats mean, deviation and median.
#include "report/center_facts.hpp"

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

}  // namespace gpuimg
