// An OpenCL backend with settings that only tests and benchmarks use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gpuimg/opencl.hpp"

namespace gpuimg::opencl {

struct TestOptions {
  std::string library{};                   ///< the loader to open; empty = libOpenCL.so.1
  bool poison = false;                     ///< fill new memory with 0xCD to expose reads of unwritten memory
  std::size_t max_local_bytes = SIZE_MAX;  ///< emulate a device with this much local memory per work-group
  std::size_t max_allocation = SIZE_MAX;   ///< emulate a device whose buffers are at most this large
  bool as_gpu = false;                     ///< use the GPU variants of the kernels on a CPU too
  bool lacks_float64 = false;              ///< compute in float64 with integers, as on a device without it
  bool is_timed = false;                   ///< events of the queue record when commands ran
};

/// Like make_opencl_backend, with settings that only tests and benchmarks use.
std::unique_ptr<Backend> make_test_backend(const OpenclOptions& options, const TestOptions& test);

}  // namespace gpuimg::opencl
