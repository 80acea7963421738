// The two backends that the OpenCL tests compare. Without a device the tests are skipped, or fail with
// GPUIMG_REQUIRE_OPENCL=1. GPUIMG_TEST_OPENCL_DEVICE chooses another device than 0, and
// GPUIMG_TEST_OPENCL_AS_GPU has a CPU run in all tests what GPUs run, which takes minutes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "gpuimg/backend.hpp"
#include "test_backend.hpp"

namespace gpuimg::test {

/// The device to test, and a cache of programs in the build folder.
OpenclOptions tested_options();

/// A new OpenCL backend, on a device changed for a test. New memory is filled with 0xCD.
std::unique_ptr<Backend> make_tested_backend(opencl::TestOptions changes = {});

class OpenclTest : public ::testing::Test {
 protected:
  void SetUp() override;

  /// Shared by all tests, so that the same backend processes all sizes.
  static Backend& device();
  /// No table of 256 levels fits in its local memory.
  static Backend& poor_device();
  /// Runs what GPUs run, also if it is a CPU.
  static Backend& device_as_gpu();
  static Backend& cpu();
};

}  // namespace gpuimg::test
