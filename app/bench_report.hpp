// What `gpuimg bench` measured: as a table, as JSON, as a bar chart.
#pragma once

#include <string>
#include <vector>

#include "bench_run.hpp"

namespace gpuimg {

struct BenchBackend {
  std::string name;         ///< "cpu", "cuda"
  std::string description;  ///< "NVIDIA H200 (device 0)"
  double copy_rate = 0.0;   ///< bytes a second
};

struct BenchReport {
  std::vector<BenchBackend> backends;
  std::vector<BenchRow> rows;
};

std::string bench_table(const BenchReport& report);

/// {"schema": 1, "backends": […], "results": […]}
std::string bench_json(const BenchReport& report);

/// A bar for each operation and backend, as long as the logarithm of its kernel time.
std::string bench_svg(const BenchReport& report);

}  // namespace gpuimg
