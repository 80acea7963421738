// The basics of the CUDA backend: errors become Errors of the right kind, and RAII types own their resources.
#include <gtest/gtest.h>

#include <type_traits>

#include "backends.hpp"
#include "device/cuda_check.hpp"
#include "device/device.hpp"

namespace gpuimg::test {
namespace {

__global__ void do_nothing() {}

ErrorKind kind_of(cudaError_t code) {
  try {
    cuda::cuda_check(code, "testing");
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("while testing"), std::string::npos) << error.what();
    return error.kind();
  }
  return ErrorKind::usage;
}

TEST(CudaCheck, KindsOfErrors) {
  EXPECT_NO_THROW(cuda::cuda_check(cudaSuccess, "testing"));
  EXPECT_EQ(kind_of(cudaErrorMemoryAllocation), ErrorKind::out_of_memory);
  for (const cudaError_t code : {cudaErrorNoDevice, cudaErrorInsufficientDriver, cudaErrorNoKernelImageForDevice,
                                 cudaErrorInvalidDevice, cudaErrorDevicesUnavailable}) {
    EXPECT_EQ(kind_of(code), ErrorKind::backend_unavailable) << cudaGetErrorName(code);
  }
  for (const cudaError_t code : {cudaErrorIllegalAddress, cudaErrorLaunchFailure, cudaErrorLaunchTimeout,
                                 cudaErrorECCUncorrectable, cudaErrorAssert, cudaErrorHardwareStackError,
                                 cudaErrorMisalignedAddress, cudaErrorIllegalInstruction, cudaErrorUnknown}) {
    EXPECT_EQ(kind_of(code), ErrorKind::device_fault) << cudaGetErrorName(code);
  }
}

TEST(CudaCheck, OwnersMoveAndDoNotCopy) {
  static_assert(!std::is_copy_constructible_v<cuda::Device> && !std::is_move_constructible_v<cuda::Device>);
  cuda::DeviceMemory nothing;
  const cuda::DeviceMemory moved = std::move(nothing);
  EXPECT_EQ(moved.data(), nullptr);
}

class CudaDeviceTest : public CudaTest {};

TEST_F(CudaDeviceTest, ImpossibleLaunchThrowsOnce) {
  do_nothing<<<1, 4096>>>();
  EXPECT_THROW(cuda::check_launch("testing"), Error);
  EXPECT_NO_THROW(cuda::check_launch("testing"));
}

TEST_F(CudaDeviceTest, MemoryIsAlignedAndMoves) {
  const auto device = std::make_shared<cuda::Device>(0, cuda::DeviceTestOptions{.poison = true});
  cuda::DeviceMemory a(device, 1000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 256, 0U);
  std::byte* data = a.data();
  cuda::DeviceMemory b = std::move(a);
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(b.size_bytes(), 1000U);
  std::vector<unsigned char> bytes(1000);
  cuda::cuda_check(cudaMemcpyAsync(bytes.data(), b.data(), 1000, cudaMemcpyDeviceToHost, device->stream()), "testing");
  device->wait();
  EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == 0xCD; }));
  EXPECT_THROW(cuda::DeviceMemory(device, std::size_t{1} << 50), Error);
  EXPECT_NO_THROW(cuda::DeviceMemory(device, 1 << 20));
}

TEST_F(CudaDeviceTest, EventsMeasureTime) {
  const cuda::Device device(0);
  cuda::Event start;
  cuda::Event end;
  start.record(device.stream());
  do_nothing<<<1, 1, 0, device.stream()>>>();
  cuda::check_launch("testing");
  end.record(device.stream());
  EXPECT_GE(end.elapsed_ms_since(start), 0.0F);
}

}  // namespace
}  // namespace gpuimg::test
