// The CUDA backend: checks arguments, moves pixels to and from the device, and runs each operation on its stream.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "codecs/device_codecs.hpp"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "device/device.hpp"
#include "gpuimg/cuda.hpp"
#include "operations.hpp"
#include "pixel_memory.hpp"

namespace gpuimg {
namespace cuda {
namespace {

std::string device_name(int device) {
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, device), "reading the device's properties");
  return properties.name;
}

/// Bytes read plus bytes written per second; the median of several copies on the device.
double copy_rate(const std::shared_ptr<Device>& device, std::size_t bytes) {
  constexpr std::size_t kCopies = 15;
  const DeviceMemory from(device, bytes);
  const DeviceMemory to(device, bytes);
  cuda_check(cudaMemsetAsync(from.data(), 1, bytes, device->stream()), "filling memory to copy");
  const auto copy = [&] {
    cuda_check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, device->stream()),
               "copying device memory");
  };
  copy();  // the first copy includes start-up costs
  std::vector<Event> events(kCopies + 1);
  events.front().record(device->stream());
  for (std::size_t i = 1; i < events.size(); ++i) {
    copy();
    events[i].record(device->stream());
  }
  std::vector<double> ms;
  for (std::size_t i = 1; i < events.size(); ++i) {
    ms.push_back(static_cast<double>(events[i].elapsed_ms_since(events[i - 1])));
  }
  std::nth_element(ms.begin(), ms.begin() + kCopies / 2, ms.end());
  return 2.0 * static_cast<double>(bytes) / (ms[kCopies / 2] * 1e-3);
}

/// Copies `to.height` rows of a picture, starting at row `first`, to host memory without padding. Packs short padded
/// rows on the device first, because the bus would transfer them one by one.
void copy_rows(const Workspace& workspace, const Picture& picture, int first, View to) {
  constexpr std::size_t kShortRowBytes = 2048;
  const std::size_t row = row_bytes(picture);
  const auto rows = static_cast<std::size_t>(to.height);
  const std::byte* from = pixels_of(picture) + static_cast<std::size_t>(first) * pitch_bytes(picture);
  std::optional<DeviceMemory> packed;
  if (pitch_bytes(picture) != row && row < kShortRowBytes) {
    packed.emplace(workspace.device(), row * rows);
    cuda_check(cudaMemcpy2DAsync(packed->data(), row, from, pitch_bytes(picture), row, rows, cudaMemcpyDeviceToDevice,
                                 workspace.stream()),
               "packing rows");
    from = packed->data();
  }
  if (pitch_bytes(picture) == row || packed) {
    cuda_check(cudaMemcpyAsync(to.data, from, row * rows, cudaMemcpyDeviceToHost, workspace.stream()),
               "downloading pixels");
  } else {
    cuda_check(cudaMemcpy2DAsync(to.data, row, from, pitch_bytes(picture), row, rows, cudaMemcpyDeviceToHost,
                                 workspace.stream()),
               "downloading pixels");
  }
}

/// Page-locked memory, which the device accesses directly. Falls back to slower pageable memory if none is left.
///
/// The driver lets only one thread at a time lock pages. So this function first touches every page, and uses huge pages
/// where the system allows them. cudaMallocHost() would create and clear small pages while other threads wait for the
/// lock: docs/decisions/0027-page-locked-memory.md.
PixelMemory allocate_pinned_pixels(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;                                                        // the smallest page size
  const std::size_t whole = (std::max(bytes, kHugePixelBytes) + kPage - 1) / kPage * kPage;  // in whole pages
  PixelMemory memory = allocate_pixels(whole);
  for (std::size_t i = 0; i < whole; i += kPage) {
    static_cast<volatile std::byte&>(memory[i]) = std::byte{0};
  }
  const cudaError_t code = cudaHostRegister(memory.get(), whole, cudaHostRegisterPortable);
  if (code == cudaErrorMemoryAllocation || code == cudaErrorNotSupported) {
    (void)cudaGetLastError();
    return memory;
  }
  cuda_check(code, "page-locking host memory");
  return PixelMemory(memory.release(), PixelMemoryDeleter{[](std::byte* p) {
                       (void)cudaHostUnregister(p);
                       std::free(p);
                     }});
}

bool is_pageable(const void* memory) {
  cudaPointerAttributes attributes{};
  cuda_check(cudaPointerGetAttributes(&attributes, memory), "uploading pixels");
  return attributes.type == cudaMemoryTypeUnregistered;
}

/// Number of rows in a band. One band is copied while the host uses another.
int band_rows(const Picture& picture) {
  constexpr std::size_t kBandBytes = std::size_t{4} << 20;
  return std::clamp(static_cast<int>(kBandBytes / row_bytes(picture)), 1, picture.height());
}

/// Rounds `bytes` up to one of a few sizes, so that a pool can reuse the memory for files of any size.
std::size_t pooled_bytes(std::size_t bytes) {
  constexpr std::size_t kLeastUnit = std::size_t{1} << 20;
  const std::size_t unit = std::max(kLeastUnit, std::bit_ceil(bytes) / 8);
  return (bytes + unit - 1) / unit * unit;
}

class CudaBackend final : public Backend {
 public:
  CudaBackend(int device, int number, const DeviceTestOptions& options)
      : workspace_(std::make_shared<Device>(device, options)),
        description_(device_name(device) + " (device " + std::to_string(number) + ")") {
    check_code_for_device(device);
  }
  ~CudaBackend() override { (void)select_device(workspace_.device()->index()); }

  [[nodiscard]] BackendKind kind() const override { return BackendKind::cuda; }
  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] bool memory_is_host() const override { return false; }
  [[nodiscard]] std::string description() const override { return description_; }

  void expect_many_images() override {
    locks_pages_ = true;
    workspace_.device()->sleep_in_waits();  // other workers can then decode and encode images
  }

  Image new_image(int width, int height, PixelFormat format) override {
    enter();
    expect_many_images();
    return pinned_->image(width, height, format);
  }

  Picture upload(ConstView pixels) override {
    enter();
    Picture picture = new_picture(workspace_.device(), pixels.width, pixels.height, pixels.format);
    const std::size_t row_bytes = pixels.tight_pitch_bytes();
    if (locks_pages_ && is_pageable(pixels.data)) {
      upload_in_bands(pixels, picture);
    } else if (pixels.pitch_bytes == row_bytes) {
      cuda_check(cudaMemcpyAsync(pixels_of(picture), pixels.data, size_bytes(picture), cudaMemcpyHostToDevice,
                                 workspace_.stream()),
                 "uploading pixels");
    } else {
      cuda_check(
          cudaMemcpy2DAsync(pixels_of(picture), row_bytes, pixels.data, pixels.pitch_bytes, row_bytes,
                            static_cast<std::size_t>(pixels.height), cudaMemcpyHostToDevice, workspace_.stream()),
          "uploading pixels");
    }
    clear_tail(picture, workspace_.stream());
    workspace_.device()->wait();  // callers may free or change pinned pixels once this returns
    return picture;
  }

  Picture upload(Image pixels) override { return upload(std::as_const(pixels).view()); }

  /// The pixels may be on any device; the driver finds the device from the address.
  Picture upload_from_device(ConstView pixels) {
    enter();
    Picture picture = new_picture(workspace_.device(), pixels.width, pixels.height, pixels.format);
    const std::size_t row = row_bytes(picture);
    cuda_check(cudaMemcpy2DAsync(pixels_of(picture), row, pixels.data, pixels.pitch_bytes, row,
                                 static_cast<std::size_t>(pixels.height), cudaMemcpyDefault, workspace_.stream()),
               "copying an array of the device");
    clear_tail(picture, workspace_.stream());
    workspace_.device()->wait();
    return picture;
  }

  Image download(const Picture& picture) override {
    enter();
    Image image = host_image(picture.width(), picture.height(), picture.format());
    copy_rows(workspace_, picture, 0, image.view());
    workspace_.device()->wait();
    return image;
  }

  Image download(Picture&& picture) override { return download(std::as_const(picture)); }

  void download_rows(Picture&& picture, const TakeRows& take) override {
    constexpr int kBands = Workspace::kBands;
    enter();
    const std::size_t row = row_bytes(picture);
    const int each = band_rows(picture);
    std::shared_ptr<std::byte> bands[kBands];
    const IdleAtEnd idle{*workspace_.device()};  // waits before the bands return to their pool
    const auto rows_from = [&](int first) {
      const int height = std::min(each, picture.height() - first);
      return View{bands[first / each % kBands].get(), picture.width(), height, row, picture.format()};
    };
    int started = 0;
    for (int first = 0; first < picture.height(); first += each) {
      for (; started < picture.height() && started - first < kBands * each; started += each) {
        const int band = started / each % kBands;
        if (bands[band] == nullptr) {
          bands[band] = block_memory(row * static_cast<std::size_t>(each));
        }
        copy_rows(workspace_, picture, started, rows_from(started));
        workspace_.band_ends[band].record(workspace_.stream());
      }
      workspace_.band_ends[first / each % kBands].wait();
      take(rows_from(first));
    }
  }

  std::optional<Picture> decode(const EncodedImage& encoded) override {
    enter();
    if (const auto* sequential = std::get_if<EncodedJpeg>(&encoded)) {
      return decode_jpeg(workspace_, *sequential);
    }
    if (const auto* png = std::get_if<EncodedPng>(&encoded)) {
      return decode_png(workspace_, *png);
    }
    return decode_jpeg(workspace_, std::get<JpegCoefficients>(encoded), new_memory());
  }

  std::optional<Encoded> encode(const Picture& picture, const Encoding& as) override {
    enter();
    if (const auto* png = std::get_if<PngDataFormat>(&as)) {
      return encode_png(workspace_, picture, *png, new_memory());
    }
    return encode_jpeg(workspace_, picture, std::get<JpegScanFormat>(as), new_memory());
  }

  Histogram histogram(const Picture& picture, const HistogramOptions& options) override {
    check(picture, options);
    enter();
    return cuda::histogram(workspace_, picture, options);
  }

  LevelCounts table_counts(const Picture& picture, const EqualizeOptions& options) override {
    check(picture, options);
    enter();
    return cuda::table_counts(workspace_, picture, options);
  }

  using Backend::equalize;
  Picture equalize(const Picture& picture, const EqualizeOptions& options, LevelTables* used) override {
    check(picture, options);
    enter();
    return cuda::equalize(workspace_, picture, options, used);
  }

  WolfScale wolf_scale(const Picture& picture, const ThresholdOptions& options, int first_row, int end_row) override {
    check_wolf_scale(picture, options, first_row, end_row);
    enter();
    return cuda::wolf_scale(workspace_, picture, options, first_row, end_row);
  }

  Picture apply(const Picture& picture, const PictureOperation& operation) override {
    return std::visit([&](const auto& options) { return apply_one(picture, options); }, operation);
  }

  void wait() override {
    enter();
    workspace_.device()->wait();
  }

  [[nodiscard]] std::size_t available_bytes() override {
    enter();
    return workspace_.device()->available_bytes();
  }

  double measure_copy_rate(std::size_t bytes) override {
    enter();
    return copy_rate(workspace_.device(), bytes);
  }

 private:
  Image host_image(int width, int height, PixelFormat format) {
    return locks_pages_ ? pinned_->image(width, height, format) : Image(width, height, format);
  }

  /// Copies through page-locked bands, because the driver lets only one thread at a time copy from pageable memory.
  void upload_in_bands(ConstView pixels, const Picture& picture) {
    const std::size_t row = row_bytes(picture);
    const int each = band_rows(picture);
    std::shared_ptr<std::byte> bands[Workspace::kBands];
    const IdleAtEnd idle{*workspace_.device()};  // waits before the bands return to their pool
    for (int first = 0, turn = 0; first < picture.height(); first += each, turn = (turn + 1) % Workspace::kBands) {
      const int height = std::min(each, picture.height() - first);
      if (bands[turn] == nullptr) {
        bands[turn] = block_memory(row * static_cast<std::size_t>(each));
      } else {
        workspace_.band_ends[turn].wait();
      }
      ConstView rows = pixels;
      rows.data = pixels.row_bytes(first);
      rows.height = height;
      copy_pixels(rows, {bands[turn].get(), picture.width(), height, row, picture.format()});
      cuda_check(cudaMemcpyAsync(pixels_of(picture) + static_cast<std::size_t>(first) * row, bands[turn].get(),
                                 row * static_cast<std::size_t>(height), cudaMemcpyHostToDevice, workspace_.stream()),
                 "uploading pixels");
      workspace_.band_ends[turn].record(workspace_.stream());
    }
  }

  template <class Options>
  Picture apply_one(const Picture& picture, const Options& options) {
    check(picture, options);
    if constexpr (cuda::kHasOperation<Options>) {
      enter();
      return cuda::apply(workspace_, picture, options);
    } else {
      throw Error(ErrorKind::unsupported, "the CUDA backend does not have this operation");
    }
  }

  std::shared_ptr<std::byte> block_memory(std::size_t bytes) {
    constexpr int kRow = 1 << 20;
    const auto rows = static_cast<int>(pooled_bytes(bytes) / kRow);
    const PixelFormat format{Sample::u8, 1};
    const auto owner =
        std::make_shared<Image>(locks_pages_ ? blocks_->image(kRow, rows, format) : Image(kRow, rows, format));
    return {owner, owner->view().data};
  }

  NewHostMemory new_memory() {
    return [this](std::size_t bytes) { return block_memory(bytes); };
  }

  /// A backend may be created on one thread and used on another, and the current device is per thread.
  void enter() const { workspace_.device()->make_current(); }

  Workspace workspace_;
  std::string description_;
  std::shared_ptr<PixelPool> pinned_ = std::make_shared<PixelPool>(allocate_pinned_pixels);
  /// For encoded files, which may wait to be written to an archive, and for bands of rows.
  std::shared_ptr<PixelPool> blocks_ = std::make_shared<PixelPool>(allocate_pinned_pixels, PixelPool::kMaxIdle);
  std::atomic<bool> locks_pages_ = false;
};

std::unique_ptr<Backend> make_backend(int device, int number, const DeviceTestOptions& options) {
  check_cuda_device(device);
  return std::make_unique<CudaBackend>(device, number, options);
}

}  // namespace

std::unique_ptr<Backend> make_test_backend(int device, const DeviceTestOptions& options) {
  return make_backend(device, device, options);
}

}  // namespace cuda

std::unique_ptr<Backend> make_cuda_backend(int device) { return make_cuda_backend(device, device); }

std::unique_ptr<Backend> make_cuda_backend(int device, int number) { return cuda::make_backend(device, number, {}); }

const void* cuda_pixels(const Picture& picture) { return cuda::pixels_of(picture); }

int cuda_device_of(const void* pixels) {
  cudaPointerAttributes attributes{};
  cuda::cuda_check(cudaPointerGetAttributes(&attributes, pixels), "finding the device of an array");
  if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged) {
    throw Error(ErrorKind::unsupported, "the array is not in the memory of a CUDA device; copy it to the host");
  }
  return attributes.device;
}

Picture copy_cuda_pixels(Backend& backend, ConstView pixels) {
  wait_for_cuda_device(cuda_device_of(pixels.data));
  return static_cast<cuda::CudaBackend&>(backend).upload_from_device(pixels);
}

void wait_for_cuda_device(int device) noexcept {
  const KeptCudaDevice kept;
  if (cuda::select_device(device) == cudaSuccess) {
    (void)cudaDeviceSynchronize();
  }
}

}  // namespace gpuimg
