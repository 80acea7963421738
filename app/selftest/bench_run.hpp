// `gpuimg bench`: verifies every timed operation between the backends, then times it on each.
#pragma once

#include <string>
#include <vector>

#include "gpuimg/backend.hpp"

namespace gpuimg {

struct BackendTiming {
  std::string backend;
  double upload_ms = 0.0;
  double kernel_ms = 0.0;             ///< median time of the operation alone, on pixels already uploaded
  double download_ms = 0.0;           ///< of the uploaded picture itself, as a measure of the download
  double gigabytes_per_second = 0.0;  ///< minimum bytes the operation must move, divided by kernel_ms
  double share_of_copy = 0.0;         ///< gigabytes_per_second relative to a plain copy on this backend
};

struct BenchRow {
  std::string image;
  std::string operation;
  bool compared = false;   ///< false if there was only one backend
  std::string difference;  ///< empty if the backends agree
  std::vector<BackendTiming> timings;
};

struct BenchImage {
  std::string name;
  Image pixels;
};

/// One row per operation, for one image. `copy_rates` are in bytes per second, one per backend.
std::vector<BenchRow> bench_image(const BenchImage& image, const std::vector<Backend*>& backends,
                                  const std::vector<double>& copy_rates);

}  // namespace gpuimg
