// What `gpuimg bench` measured: as a table, as JSON, as a bar chart.
#pragma once

#include <string>
#include <vector>

#include "selftest/bench_run.hpp"

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

/// At most `width` characters wide: of narrow tables only the operation, the backend and the kernel time are left,
/// which take 35. Compares the last backend with the first, if there are two.
std::string bench_table(const BenchReport& report, int width);

/// {"schema": 1, "backends": […], "results": […]}
std::string bench_json(const BenchReport& report);

/// A bar for each operation and backend, as long as the logarithm of its kernel time.
std::string bench_svg(const BenchReport& report);

}  // namespace gpuimg
