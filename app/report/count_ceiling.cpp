// Chooses the ceiling by the order of the columns alone.
#include "report/count_ceiling.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace gpuimg {

std::uint64_t count_ceiling(const std::vector<std::uint64_t>& columns) {
  constexpr std::size_t kLeastColumns = 8;  // fewer are all equally important
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

}  // namespace gpuimg
