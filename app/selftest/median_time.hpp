// Times a piece of work for `gpuimg bench`.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace gpuimg {

/// Milliseconds: the median of repeated runs after one warm-up, at least 7, and up to 101 while they take less than
/// 400 ms.
template <class Work>
double median_ms(const Work& work) {
  constexpr std::size_t kMinRuns = 7;
  constexpr std::size_t kMaxRuns = 101;
  constexpr double kBudgetMs = 400.0;
  work();
  std::vector<double> times;
  double spent = 0.0;
  while (times.size() < kMinRuns || (spent < kBudgetMs && times.size() < kMaxRuns)) {
    const auto began = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
    spent += times.back();
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace gpuimg
