// The two backends that the OpenCL tests compare. Without a device the tests are skipped, or fail with
// GPUIMG_REQUIRE_OPENCL=1. GPUIMG_TEST_OPENCL_DEVICE chooses another device than 0.
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
  /// Tables of more than 8 KiB do not fit in its local memory, and division is not exact.
  static Backend& poor_device();
  static Backend& cpu();
};

}  // namespace gpuimg::test
