// `gpuimg bench`: verifies every timed operation between the backends, then times it on each.
#pragma once

#include <string>
#include <vector>

#include "gpuimg/backend.hpp"

namespace gpuimg {

struct BackendTiming {
  std::string backend;
  double upload_ms = 0.0;
  double kernel_ms = 0.0;  ///< the operation alone, on pixels that are already where the backend keeps them: the median
  double download_ms = 0.0;           ///< of the picture itself, as a measure of the way back
  double gigabytes_per_second = 0.0;  ///< fewest bytes the operation must move, over kernel_ms
  double share_of_copy = 0.0;         ///< of the rate of a plain copy on this backend
};

struct BenchRow {
  std::string image;
  std::string operation;
  bool compared = false;   ///< there were two backends to compare
  std::string difference;  ///< empty if the backends agree
  std::vector<BackendTiming> timings;
};

struct BenchImage {
  std::string name;
  Image pixels;
};

/// A row an operation for one image. `copy_rates` in bytes a second, one a backend.
std::vector<BenchRow> bench_image(const BenchImage& image, const std::vector<Backend*>& backends,
                                  const std::vector<double>& copy_rates);

}  // namespace gpuimg
