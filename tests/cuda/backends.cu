// The two backends that the CUDA tests compare.
#include "backends.hpp"

#include <cstdlib>

#include "gpuimg/cuda.hpp"
#include "operations.hpp"

namespace gpuimg::test {

bool poisons_memory() {
  const char* poison = std::getenv("GPUIMG_TEST_POISON");
  return poison == nullptr || std::string(poison) != "0";
}

std::unique_ptr<Backend> make_tested_backend(std::size_t max_shared_bytes) {
  return cuda::make_test_backend(0, {.poison = poisons_memory(), .max_shared_bytes = max_shared_bytes});
}

void CudaTest::SetUp() {
  static const std::string missing = [] {
    try {
      (void)cuda_devices();
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  }();
  if (missing.empty()) {
    return;
  }
  const char* required = std::getenv("GPUIMG_REQUIRE_CUDA");
  if (required != nullptr && std::string(required) == "1") {
    FAIL() << missing;
  }
  GTEST_SKIP() << missing;
}

Backend& CudaTest::gpu() {
  static const std::unique_ptr<Backend> backend = make_tested_backend();
  return *backend;
}

Backend& CudaTest::cpu() {
  static const std::unique_ptr<Backend> backend = make_cpu_backend(0);
  return *backend;
}

}  // namespace gpuimg::test
