// The OpenCL backend: checks arguments, moves pixels to and from the device, and runs each operation on its queue.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "operations.hpp"
#include "pixel_memory.hpp"
#include "test_backend.hpp"

namespace gpuimg {
namespace opencl {
namespace {

/// Bytes read plus bytes written per second; the median of several copies on the device.
double copy_rate(const DevicePointer& device, std::size_t bytes) {
  constexpr std::size_t kCopies = 15;
  bytes = std::clamp<std::size_t>(bytes, 1, device->available_bytes() / 4);
  const Memory from(device, bytes);
  const Memory to(device, bytes);
  device->fill(from, 1, bytes / sizeof(std::uint32_t) * sizeof(std::uint32_t));
  std::vector<double> seconds;
  for (std::size_t i = 0; i <= kCopies; ++i) {
    device->wait();
    const auto began = std::chrono::steady_clock::now();
    cl_check(
        device->api().EnqueueCopyBuffer(device->queue(), from.buffer(), to.buffer(), 0, 0, bytes, 0, nullptr, nullptr),
        "copying device memory");
    device->wait();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  seconds.erase(seconds.begin());  // the first copy includes start-up costs
  std::nth_element(seconds.begin(), seconds.begin() + kCopies / 2, seconds.end());
  return 2.0 * static_cast<double>(bytes) / seconds[kCopies / 2];
}

// Pinned memory in OpenCL is a buffer that the driver allocates on the host and maps. A header before the pixels holds
// the arguments of unmapping, because an Image's deleter is a plain function.

struct PinnedHeader {
  std::shared_ptr<Device> device;
  cl_mem buffer;
};
constexpr std::size_t kPinnedHeaderBytes = 64;  // keeps the pixels aligned
static_assert(sizeof(PinnedHeader) <= kPinnedHeaderBytes);

void unmap(const Device& device, cl_mem buffer, void* mapped) {
  const Api& api = device.api();
  (void)api.EnqueueUnmapMemObject(device.queue(), buffer, mapped, 0, nullptr, nullptr);
  (void)api.Finish(device.queue());
  (void)api.ReleaseMemObject(buffer);
}

void release_pinned(std::byte* pixels) {
  auto* header = std::launder(reinterpret_cast<PinnedHeader*>(pixels - kPinnedHeaderBytes));
  const PinnedHeader last = std::move(*header);
  header->~PinnedHeader();
  unmap(*last.device, last.buffer, header);
}

/// Host memory that the driver copies from and to at full speed. Falls back to ordinary memory if the driver has none
/// left. May be freed on any thread, and after the backend is destroyed.
PixelMemory allocate_pinned_pixels(const std::shared_ptr<Device>& device, std::size_t bytes) {
  const Api& api = device->api();
  cl_int code = CL_SUCCESS;
  cl_mem buffer = api.CreateBuffer(device->context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                   bytes + kPinnedHeaderBytes, nullptr, &code);
  if (code != CL_SUCCESS) {
    return allocate_pixels(bytes);
  }
  void* mapped = api.EnqueueMapBuffer(device->queue(), buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                      bytes + kPinnedHeaderBytes, 0, nullptr, nullptr, &code);
  if (code != CL_SUCCESS || mapped == nullptr) {
    (void)api.ReleaseMemObject(buffer);
    return allocate_pixels(bytes);
  }
  new (mapped) PinnedHeader{device, buffer};
  return PixelMemory(static_cast<std::byte*>(mapped) + kPinnedHeaderBytes, PixelMemoryDeleter{release_pinned});
}

class OpenclBackend final : public Backend {
 public:
  OpenclBackend(const OpenclOptions& options, const TestOptions& test)
      : device_(std::make_shared<Device>(options, test)),
        description_(device_->found().facts.name + " (device " + std::to_string(options.device) + ", " +
                     device_->found().facts.platform + ")") {}

  [[nodiscard]] BackendKind kind() const override { return BackendKind::opencl; }
  [[nodiscard]] std::string name() const override { return "opencl"; }
  [[nodiscard]] bool memory_is_host() const override { return false; }
  [[nodiscard]] std::string description() const override { return description_; }

  Image new_image(int width, int height, PixelFormat format) override {
    returns_pinned_ = true;
    return pinned_->image(width, height, format);
  }

  Picture upload(ConstView pixels) override {
    Picture picture = new_picture(device_, pixels.width, pixels.height, pixels.format);
    if (pixels.pitch_bytes == row_bytes(picture)) {
      device_->upload(memory_of(picture), pixels.data, size_bytes(picture));
    } else {
      const std::size_t origin[3] = {0, 0, 0};
      const std::size_t size[3] = {row_bytes(picture), static_cast<std::size_t>(pixels.height), 1};
      cl_check(device_->api().EnqueueWriteBufferRect(device_->queue(), memory_of(picture).buffer(), CL_TRUE, origin,
                                                     origin, size, row_bytes(picture), 0, pixels.pitch_bytes, 0,
                                                     pixels.data, 0, nullptr, nullptr),
               "uploading pixels");
    }
    return picture;
  }

  Picture upload(Image pixels) override { return upload(std::as_const(pixels).view()); }

  Image download(const Picture& picture) override {
    Image image = returns_pinned_ ? pinned_->image(picture.width(), picture.height(), picture.format())
                                  : Image(picture.width(), picture.height(), picture.format());
    const OpenclPixels& from = storage_of(picture);
    if (from.pitch_bytes() == row_bytes(picture) && from.first_byte() == 0) {
      device_->download(image.view().data, from.memory(), size_bytes(picture));
      return image;
    }
    const std::size_t at[3] = {from.first_byte(), 0, 0};
    const std::size_t origin[3] = {0, 0, 0};
    const std::size_t size[3] = {row_bytes(picture), static_cast<std::size_t>(picture.height()), 1};
    cl_check(device_->api().EnqueueReadBufferRect(device_->queue(), from.memory().buffer(), CL_TRUE, at, origin, size,
                                                  from.pitch_bytes(), 0, row_bytes(picture), 0, image.view().data, 0,
                                                  nullptr, nullptr),
             "downloading pixels");
    return image;
  }

  Image download(Picture&& picture) override { return download(std::as_const(picture)); }

  Histogram histogram(const Picture& picture, const HistogramOptions& options) override {
    check(picture, options);
    return opencl::histogram(device_, picture, options);
  }

  LevelCounts table_counts(const Picture& picture, const EqualizeOptions& options) override {
    check(picture, options);
    return opencl::table_counts(device_, picture, options);
  }

  using Backend::equalize;
  Picture equalize(const Picture& picture, const EqualizeOptions& options, LevelTables* used) override {
    check(picture, options);
    return opencl::equalize(device_, picture, options, used);
  }

  WolfScale wolf_scale(const Picture& picture, const ThresholdOptions& options, int first_row, int end_row) override {
    check_wolf_scale(picture, options, first_row, end_row);
    return opencl::wolf_scale(device_, picture, options, first_row, end_row);
  }

  Picture apply(const Picture& picture, const PictureOperation& operation) override {
    return std::visit([&](const auto& options) { return apply_one(picture, options); }, operation);
  }

  void wait() override { device_->wait(); }
  [[nodiscard]] std::size_t available_bytes() override { return device_->available_bytes(); }
  double measure_copy_rate(std::size_t bytes) override { return copy_rate(device_, bytes); }

 private:
  template <class Options>
  Picture apply_one(const Picture& picture, const Options& options) {
    check(picture, options);
    if constexpr (requires(const DevicePointer& device) { opencl::apply(device, picture, options); }) {
      return opencl::apply(device_, picture, options);
    } else {
      throw Error(ErrorKind::unsupported, "the OpenCL backend does not have this operation");
    }
  }

  DevicePointer device_;
  std::string description_;
  std::shared_ptr<PixelPool> pinned_ = std::make_shared<PixelPool>(
      [device = device_](std::size_t bytes) { return allocate_pinned_pixels(device, bytes); });
  std::atomic<bool> returns_pinned_ = false;  ///< for a single image, pinning costs more than it saves
};

}  // namespace

std::unique_ptr<Backend> make_test_backend(const OpenclOptions& options, const TestOptions& test) {
  return std::make_unique<OpenclBackend>(options, test);
}

}  // namespace opencl

std::unique_ptr<Backend> make_opencl_backend(const OpenclOptions& options) {
  return opencl::make_test_backend(options, {});
}

}  // namespace gpuimg
