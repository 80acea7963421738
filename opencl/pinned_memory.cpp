// Pinned memory in OpenCL is a buffer that the driver allocates on the host and maps. What unmapping needs stands
// before the pixels, because an Image's deleter is a plain function.
#include "pinned_memory.hpp"

#include <new>
#include <utility>

#include "device/cl_check.hpp"

namespace gpuimg::opencl {
namespace {

struct Header {
  std::shared_ptr<Device> device;
  cl_mem buffer;
};
constexpr std::size_t kHeaderBytes = 64;  // keeps the pixels aligned
static_assert(sizeof(Header) <= kHeaderBytes);

void unmap(const Device& device, cl_mem buffer, void* mapped) {
  const Api& api = device.api();
  (void)api.EnqueueUnmapMemObject(device.queue(), buffer, mapped, 0, nullptr, nullptr);
  (void)api.Finish(device.queue());
  (void)api.ReleaseMemObject(buffer);
}

void release(std::byte* pixels) {
  auto* header = std::launder(reinterpret_cast<Header*>(pixels - kHeaderBytes));
  const Header last = std::move(*header);
  header->~Header();
  unmap(*last.device, last.buffer, header);
}

}  // namespace

PixelMemory allocate_pinned_pixels(const std::shared_ptr<Device>& device, std::size_t bytes) {
  const Api& api = device->api();
  cl_int code = CL_SUCCESS;
  cl_mem buffer = api.CreateBuffer(device->context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes + kHeaderBytes,
                                   nullptr, &code);
  if (code != CL_SUCCESS) {
    return allocate_pixels(bytes);
  }
  void* mapped = api.EnqueueMapBuffer(device->queue(), buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                      bytes + kHeaderBytes, 0, nullptr, nullptr, &code);
  if (code != CL_SUCCESS || mapped == nullptr) {
    (void)api.ReleaseMemObject(buffer);
    return allocate_pixels(bytes);
  }
  new (mapped) Header{device, buffer};
  return PixelMemory(static_cast<std::byte*>(mapped) + kHeaderBytes, PixelMemoryDeleter{release});
}

}  // namespace gpuimg::opencl
