// Results of `gpuimg bench` as a table, JSON and a bar chart.
#pragma once

#include <string>
#include <vector>

#include "selftest/bench_run.hpp"

namespace gpuimg {

struct BenchBackend {
  std::string name;         ///< "cpu", "cuda"
  std::string description;  ///< "NVIDIA H200 (device 0)"
  double copy_rate = 0.0;   ///< bytes per second
};

struct BenchReport {
  std::vector<BenchBackend> backends;
  std::vector<BenchRow> rows;
};

/// At most `width` characters wide. The narrowest table has only the operation, the backend and the kernel time, and
/// takes 35. Compares the last backend with the first, if there are two.
std::string bench_table(const BenchReport& report, int width);

/// {"schema": 1, "backends": […], "results": […]}
std::string bench_json(const BenchReport& report);

/// One bar per operation and backend. Its length is the logarithm of the kernel time.
std::string bench_svg(const BenchReport& report);

}  // namespace gpuimg
