// The two backends that the CUDA tests compare. Without a device, the tests are skipped; with GPUIMG_REQUIRE_CUDA=1
// they fail instead.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gpuimg/backend.hpp"

namespace gpuimg::test {

/// True if tests fill device memory with 0xCD on allocation. GPUIMG_TEST_POISON=0 turns this off, so that initcheck can
/// find reads of uninitialized memory.
bool poisons_memory();

/// A new CUDA backend. The device is limited to `max_shared_bytes` of shared memory per block.
std::unique_ptr<Backend> make_tested_backend(std::size_t max_shared_bytes = SIZE_MAX);

class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override;

  /// Shared by all tests, so that one backend processes images of all sizes.
  static Backend& gpu();
  static Backend& cpu();
};

}  // namespace gpuimg::test
