// Groups histogram bins into chart columns.
#include "report/columns.hpp"

#include <algorithm>

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

}  // namespace gpuimg
