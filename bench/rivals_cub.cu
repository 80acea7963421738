// CUB's device-wide histograms, which the benchmark compares with gpuimg's on the same pixels.
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_histogram.cuh>
#include <cub/version.cuh>
#include <cuda/std/array>

#include "bench/rivals.hpp"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "ops/luma.hpp"

namespace gpuimg::bench {
namespace {

using Count = unsigned int;

/// The counts in device memory, and CUB's scratch memory.
struct CubMemory {
  std::shared_ptr<cuda::Device> device;
  std::size_t bins;
  cuda::DeviceMemory counts;
  cuda::DeviceMemory scratch;

  CubMemory(std::shared_ptr<cuda::Device> on, std::size_t bin_count)
      : device(std::move(on)), bins(bin_count), counts(device, bin_count * sizeof(Count)) {}
};

template <class Pixel>
struct LumaOfPixel {
  __host__ __device__ std::uint8_t operator()(const Pixel& p) const {
    return static_cast<std::uint8_t>(luma_of<Luma::bt601>(p.x, p.y, p.z));
  }
};

/// Calls CUB twice: first to get the scratch size, then to do the work.
template <class Call>
void with_scratch(CubMemory& memory, const Call& call) {
  std::size_t bytes = memory.scratch.size_bytes();
  if (bytes == 0) {
    cuda::cuda_check(call(nullptr, bytes), "querying CUB's scratch size");
    memory.scratch = cuda::DeviceMemory(memory.device, bytes == 0 ? 1 : bytes);
  }
  cuda::cuda_check(call(memory.scratch.data(), bytes), "running CUB's histogram");
}

template <class Iterator>
void count_even(CubMemory& memory, Iterator samples, std::size_t pixels) {
  const auto levels = static_cast<int>(memory.bins);
  with_scratch(memory, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(scratch, bytes, samples, memory.counts.as<Count>(), levels + 1, 0,
                                               levels, static_cast<long long>(pixels), memory.device->stream());
  });
}

void count_rgb(CubMemory& memory, const std::uint8_t* samples, std::size_t pixels) {
  Count* counts = memory.counts.as<Count>();
  const ::cuda::std::array<Count*, 3> channels{counts, counts + 256, counts + 512};
  const ::cuda::std::array<int, 3> levels{257, 257, 257};
  const ::cuda::std::array<int, 3> lower{0, 0, 0};
  const ::cuda::std::array<int, 3> upper{256, 256, 256};
  with_scratch(memory, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceHistogram::MultiHistogramEven<3, 3>(scratch, bytes, samples, channels, levels, lower, upper,
                                                          static_cast<long long>(pixels), memory.device->stream());
  });
}

template <class T>
const T* samples_of(const Picture& picture) {
  return reinterpret_cast<const T*>(cuda::pixels_of(picture));
}

template <class Pixel>
void count_luma(CubMemory& memory, const Picture& picture) {
  count_even(memory, thrust::make_transform_iterator(samples_of<Pixel>(picture), LumaOfPixel<Pixel>()),
             picture.pixel_count());
}

void run_cub(CubMemory& memory, Operation operation, const Picture& picture) {
  switch (operation) {
    case Operation::hist_gray8: return count_even(memory, samples_of<std::uint8_t>(picture), picture.pixel_count());
    case Operation::hist_gray16: return count_even(memory, samples_of<std::uint16_t>(picture), picture.pixel_count());
    case Operation::luma_rgb8: return count_luma<uchar3>(memory, picture);
    case Operation::luma_rgba8: return count_luma<uchar4>(memory, picture);
    default: return count_rgb(memory, samples_of<std::uint8_t>(picture), picture.pixel_count());
  }
}

std::vector<std::uint64_t> downloaded_counts(const CubMemory& memory) {
  std::vector<Count> counts(memory.bins);
  cuda::cuda_check(cudaMemcpyAsync(counts.data(), memory.counts.data(), counts.size() * sizeof(Count),
                                   cudaMemcpyDeviceToHost, memory.device->stream()),
                   "downloading counts");
  memory.device->wait();
  return {counts.begin(), counts.end()};
}

}  // namespace

std::vector<Rival> cub_rivals(const std::shared_ptr<cuda::Device>& device, Operation operation, RivalSize) {
  std::size_t bins = 256;
  switch (operation) {
    case Operation::hist_gray8:
    case Operation::luma_rgb8:
    case Operation::luma_rgba8: break;
    case Operation::hist_gray16: bins = 65536; break;
    case Operation::hist_rgb8: bins = 3 * 256; break;
    default: return {};
  }
  auto memory = std::make_shared<CubMemory>(device, bins);
  Rival rival;
  rival.library = Library::cub;
  rival.name = operation == Operation::hist_rgb8 ? "CUB MultiHistogramEven" : "CUB HistogramEven";
  rival.run = [memory, operation](const Picture& picture) { run_cub(*memory, operation, picture); };
  rival.counts = [memory] { return downloaded_counts(*memory); };
  return {rival};
}

std::string cub_version() {
  return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
}

}  // namespace gpuimg::bench
