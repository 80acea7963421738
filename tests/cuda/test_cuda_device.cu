// The basics of the CUDA backend: CUDA error codes become Errors of the right kind, and RAII types own their resources.
#include <gtest/gtest.h>

#include <type_traits>

#include "backends.hpp"
#include "device/cuda_check.hpp"
#include "device/device.hpp"
#include "gpuimg/cuda.hpp"
#include "support/test_images.hpp"

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

TEST(CudaCheck, MapsErrorCodesToKinds) {
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

TEST(CudaCheck, OwnersAreMoveOnly) {
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

/// The image assembled from the bands, and the number of bands.
std::pair<Image, int> downloaded_in_bands(Backend& backend, const Image& image) {
  Image whole(image.width(), image.height(), image.format());
  int next = 0;
  int bands = 0;
  backend.download_rows(backend.upload(image.view()), [&](ConstView rows) {
    EXPECT_EQ(rows.width, image.width());
    ASSERT_LE(next + rows.height, image.height());
    View to = whole.view();
    to.data = to.row_bytes(next);
    to.height = rows.height;
    copy_pixels(rows, to);
    next += rows.height;
    ++bands;
  });
  EXPECT_EQ(next, image.height());
  return {std::move(whole), bands};
}

TEST_F(CudaDeviceTest, RowsDownloadInBands) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cuda_backend(0);
  for (const bool is_pinned : {false, true}) {
    if (is_pinned) {
      backend->expect_many_images();
    }
    // A row of 4500 pixels has 36,000 bytes, so 116 rows fit in 4 MiB. A single row of the last size exceeds 4 MiB.
    const std::pair<int, int> sizes[] = {{1, 1},      {7, 3},      {4500, 115}, {4500, 116},
                                         {4500, 117}, {4500, 232}, {4500, 233}, {600000, 3}};
    for (const auto& [width, height] : sizes) {
      const Image image = any_image(random, width, height, {Sample::u16, 4});
      const auto [whole, bands] = downloaded_in_bands(*backend, image);
      EXPECT_TRUE(same_pixels(whole.view(), image.view())) << width << "x" << height;
      EXPECT_EQ(bands, width == 600000 ? 3 : (height + 115) / 116) << width << "x" << height;
    }
  }
}

TEST_F(CudaDeviceTest, ManyImagesUploadInBands) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cuda_backend(0);
  backend->expect_many_images();
  const std::pair<int, int> sizes[] = {{1, 1},       {7, 3},      {4500, 116}, {4500, 233},
                                       {4500, 1000}, {600000, 3}, {4500, 117}};
  for (const auto& [width, height] : sizes) {
    const Image around = any_image(random, width + 5, height, {Sample::u16, 4});
    ConstView padded = around.view();
    padded.data += 3 * sizeof(std::uint16_t) * 4;
    padded.width = width;
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(same_pixels(backend->download(backend->upload(padded)).view(), padded)) << width << "x" << height;
      EXPECT_TRUE(same_pixels(backend->download(backend->upload(around.view())).view(), around.view()))
          << width << "x" << height;
    }
    Image pinned = backend->new_image(width, height, around.format());
    copy_pixels(padded, pinned.view());
    EXPECT_TRUE(same_pixels(backend->download(backend->upload(pinned.view())).view(), padded))
        << width << "x" << height;
  }
}

TEST_F(CudaDeviceTest, BackendStaysUsableIfRowsAreNotTaken) {
  Random random;
  const auto backend = make_cuda_backend(0);
  const Image image = any_image(random, 3000, 1000, {Sample::u16, 3});
  for (const int last : {0, 1, 3}) {
    int bands = 0;
    EXPECT_THROW(backend->download_rows(backend->upload(image.view()),
                                        [&](ConstView) {
                                          if (bands++ == last) {
                                            throw Error(ErrorKind::write, "testing");
                                          }
                                        }),
                 Error);
    EXPECT_TRUE(same_pixels(downloaded_in_bands(*backend, image).first.view(), image.view()));
  }
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
