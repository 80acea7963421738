// The two backends that the OpenCL tests compare.
#include "backends.hpp"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "gpuimg/opencl.hpp"

namespace gpuimg::test {

OpenclOptions tested_options() {
  const char* device = std::getenv("GPUIMG_TEST_OPENCL_DEVICE");
  return {device == nullptr ? 0 : std::atoi(device), (std::filesystem::current_path() / "opencl_programs").string()};
}

std::unique_ptr<Backend> make_tested_backend(opencl::TestOptions changes) {
  changes.poison = true;
  changes.as_gpu = changes.as_gpu || std::getenv("GPUIMG_TEST_OPENCL_AS_GPU") != nullptr;
  OpenclOptions options = tested_options();
  options.cache_folder.clear();  // to store a program in a cache, PoCL compiles all of its kernels
  return opencl::make_test_backend(options, changes);
}

void OpenclTest::SetUp() {
  static const std::string missing = [] {
    try {
      check_opencl_device(tested_options().device);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  }();
  if (missing.empty()) {
    return;
  }
  const char* required = std::getenv("GPUIMG_REQUIRE_OPENCL");
  if (required != nullptr && std::string(required) == "1") {
    FAIL() << missing;
  }
  GTEST_SKIP() << missing;
}

// Never destroyed, because drivers shut down before the static objects of this file are destroyed.
Backend& OpenclTest::device() {
  static Backend& backend = *make_tested_backend().release();
  return backend;
}

Backend& OpenclTest::poor_device() {
  static Backend& backend = *make_tested_backend({.max_local_bytes = std::size_t{512}}).release();
  return backend;
}

Backend& OpenclTest::device_as_gpu() {
  static Backend& backend = *make_tested_backend({.as_gpu = true}).release();
  return backend;
}

Backend& OpenclTest::cpu() {
  static const std::unique_ptr<Backend> backend = make_cpu_backend(0);
  return *backend;
}

}  // namespace gpuimg::test
