// Results of `gpuimg bench` as a table, JSON and a bar chart.
#pragma once

#include <string>
#include <vector>

namespace gpuimg {

struct BackendTiming {
  std::string backend;
  double upload_ms = 0.0;             ///< not measured for codecs; neither is download_ms
  double kernel_ms = 0.0;             ///< median time of the operation alone, on uploaded pixels; for a codec, from
                                      ///< a file in host memory to pixels in the backend's memory, or back
  double download_ms = 0.0;           ///< of the uploaded picture; stands in for the download of a result
  double gigabytes_per_second = 0.0;  ///< minimum bytes the operation must move, divided by kernel_ms
  double share_of_copy = 0.0;         ///< gigabytes_per_second relative to a plain copy on this backend
};

struct BenchRow {
  std::string image;
  std::string operation;  ///< or the codec
  bool is_codec = false;
  bool compared = false;   ///< false if there is no other backend to compare with
  std::string difference;  ///< empty if the backends agree
  std::vector<BackendTiming> timings;
};

struct BenchBackend {
  std::string name;         ///< "cpu", "cuda"
  std::string description;  ///< "NVIDIA H200 (device 0)"
  double copy_rate = 0.0;   ///< bytes per second
};

struct BenchReport {
  std::vector<BenchBackend> backends;
  std::vector<BenchRow> rows;
};

/// At most `width` characters wide, but at least 35, for the operation, the backend and the kernel time. Compares the
/// last backend with the first if there are at least two.
std::string bench_table(const BenchReport& report, int width);

/// {"schema": 1, "backends": […], "results": […]}
std::string bench_json(const BenchReport& report);

/// One bar per operation and backend. Its length is the logarithm of the kernel time.
std::string bench_svg(const BenchReport& report);

}  // namespace gpuimg
