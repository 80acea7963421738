// The two backends that the OpenCL tests compare. Without a device, the tests are skipped; with
// GPUIMG_REQUIRE_OPENCL=1 they fail instead. GPUIMG_TEST_OPENCL_DEVICE selects the device (default 0). With
// GPUIMG_TEST_OPENCL_AS_GPU, all tests use the kernel variants for GPUs even on a CPU, which takes minutes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "gpuimg/backend.hpp"
#include "test_backend.hpp"

namespace gpuimg::test {

/// The device to test, and a program cache in the build folder.
OpenclOptions tested_options();

/// A new OpenCL backend, on a device changed for a test. New memory is filled with 0xCD.
std::unique_ptr<Backend> make_tested_backend(opencl::TestOptions changes = {});

class OpenclTest : public ::testing::Test {
 protected:
  void SetUp() override;

  /// Shared by all tests, so that the same backend processes all sizes.
  static Backend& device();
  /// A device whose local memory is too small for a table of 256 levels.
  static Backend& poor_device();
  /// Uses the kernel variants for GPUs, even if the device is a CPU.
  static Backend& device_as_gpu();
  static Backend& cpu();
};

}  // namespace gpuimg::test
