// The two backends that the CUDA tests compare. Without a device a test is skipped, or fails with
// GPUIMG_REQUIRE_CUDA=1.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gpuimg/backend.hpp"

namespace gpuimg::test {

/// A CUDA backend of its own, whose device memory is filled with 0xCD whenever it is handed out; not so with
/// GPUIMG_TEST_POISON=0, which lets a checker of uninitialised memory see what nobody wrote. Its device passes for one
/// whose blocks have at most `most_shared_bytes` of shared memory.
std::unique_ptr<Backend> make_tested_backend(std::size_t most_shared_bytes = SIZE_MAX);

class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override;

  /// One for all tests, so that it is used at all sizes in turn.
  static Backend& gpu();
  static Backend& cpu();
};

}  // namespace gpuimg::test
