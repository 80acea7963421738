// Times work on an OpenCL queue, and runs the benchmark's own kernels. The queue must be timed
// (opencl::TestOptions::is_timed).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "device/device.hpp"

namespace gpuimg::bench {

/// Medians of several runs.
struct OpenclTimes {
  double event_ms = 0.0;  ///< device clock: from the end of all previously queued work
  double wall_ms = 0.0;   ///< host clock: time of many queued runs, divided by their number
};

/// `work` must queue commands without waiting for them.
OpenclTimes timed(opencl::Device& device, int repeats, const std::function<void()>& work);

/// A kernel of the benchmark, which can be queued with its arguments.
class BenchKernel {
 public:
  BenchKernel(const opencl::Device& device, const char* source, const std::string& options, const char* name);
  ~BenchKernel();
  BenchKernel(const BenchKernel&) = delete;
  BenchKernel& operator=(const BenchKernel&) = delete;

  /// Arguments are numbers and opencl::Memory objects.
  template <class... Arguments>
  void run(std::size_t groups, const Arguments&... arguments) {
    cl_uint index = 0;
    (set(index++, arguments), ...);
    enqueue(groups);
  }
  static constexpr std::size_t kGroupItems = 256;

 private:
  template <class T>
  void set(cl_uint index, const T& value) {
    if constexpr (std::is_same_v<T, opencl::Memory>) {
      const cl_mem buffer = value.buffer();
      set_bytes(index, sizeof buffer, &buffer);
    } else {
      set_bytes(index, sizeof value, &value);
    }
  }
  void set_bytes(cl_uint index, std::size_t bytes, const void* value);
  void enqueue(std::size_t groups);

  const opencl::Device& device_;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
};

}  // namespace gpuimg::bench
