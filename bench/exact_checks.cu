// Checks every pixel of a result on the device against the definitions in core/ops.
#include "bench/exact_checks.hpp"

#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "gpuimg/error.hpp"
#include "ops/equalize.hpp"
#include "ops/hsl.hpp"
#include "ops/luma.hpp"

namespace gpuimg::bench {
namespace {

struct GrayMapped {
  const std::uint8_t* in;
  const std::uint8_t* out;
  const std::uint16_t* map;
  __device__ bool operator()(std::uint64_t i) const { return out[i] == map[in[i]]; }
};

__device__ Rgb rgb_at(const std::uint8_t* pixels, std::uint64_t i) {
  return {pixels[3 * i], pixels[3 * i + 1], pixels[3 * i + 2]};
}

struct LumaMapped {
  const std::uint8_t* in;
  const std::uint8_t* out;
  const std::uint16_t* map;
  bool is_identity;
  __device__ bool operator()(std::uint64_t i) const {
    const Rgb p = rgb_at(in, i);
    const Rgb q = rgb_at(out, i);
    const std::uint32_t y = luma_of<Luma::bt601>(p.r, p.g, p.b);
    const Rgb expected = is_identity ? p : with_luma<std::uint8_t>(p, y, map[y]);
    return q.r == expected.r && q.g == expected.g && q.b == expected.b;
  }
};

struct PaddedTable {
  const std::uint8_t* in;
  const std::uint32_t* out;
  std::uint64_t width;
  std::uint64_t pitch;  ///< in entries
  __device__ bool operator()(std::uint64_t i) const {
    const std::uint64_t x = i % width;
    const std::uint64_t y = i / width;
    const std::uint32_t* above = out + y * pitch + x;
    const std::uint32_t* below = above + pitch;
    const bool borders = (x != 0 || (above[0] == 0 && below[0] == 0)) && (y != 0 || (above[0] == 0 && above[1] == 0));
    return borders && below[1] - below[0] - above[1] + above[0] == in[i];
  }
};

struct HslFloats {
  const std::uint8_t* in;
  const float* out;
  __device__ bool operator()(std::uint64_t i) const {
    const Rgb p = rgb_at(in, i);
    const Hsl expected = hsl_float<std::uint8_t>(hsl_fractions(p.r, p.g, p.b, 255));
    return out[3 * i] == expected.hue_degrees && out[3 * i + 1] == expected.saturation &&
           out[3 * i + 2] == expected.lightness;
  }
};

struct HslWords {
  const std::uint8_t* in;
  const std::uint16_t* out;
  __device__ bool operator()(std::uint64_t i) const {
    const Rgb p = rgb_at(in, i);
    const HslU16 expected = hsl_u16<std::uint8_t>(hsl_fractions(p.r, p.g, p.b, 255));
    return out[3 * i] == expected.hue && out[3 * i + 1] == expected.saturation && out[3 * i + 2] == expected.lightness;
  }
};

/// Thread t of the grid → pixels t, t + grid size, …. Each thread adds its number of wrong pixels once. No shared
/// memory, no barriers.
template <class Check>
__global__ void count_wrong(Check is_right, std::uint64_t pixels, unsigned long long* wrong) {
  unsigned mine = 0;
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < pixels; i += stride) {
    mine += is_right(i) ? 0U : 1U;
  }
  if (mine != 0) {
    atomicAdd(wrong, static_cast<unsigned long long>(mine));
  }
}

template <class Check>
std::uint64_t count(const std::shared_ptr<cuda::Device>& device, const Check& check, std::uint64_t pixels) {
  constexpr int kThreads = 256;
  constexpr int kBlocksPerSm = 8;
  const cuda::DeviceMemory wrong(device, sizeof(unsigned long long));
  cuda::cuda_check(cudaMemsetAsync(wrong.data(), 0, wrong.size_bytes(), device->stream()), "clearing a count");
  const auto blocks = static_cast<unsigned>(device->multiprocessors() * kBlocksPerSm);
  count_wrong<<<blocks, kThreads, 0, device->stream()>>>(check, pixels, wrong.as<unsigned long long>());
  cuda::check_launch("checking a result");
  std::uint64_t result = 0;
  cuda::cuda_check(cudaMemcpyAsync(&result, wrong.data(), sizeof(result), cudaMemcpyDeviceToHost, device->stream()),
                   "downloading a count");
  device->wait();
  return result;
}

template <class T>
const T* samples_of(const Picture& picture) {
  return reinterpret_cast<const T*>(cuda::pixels_of(picture));
}

}  // namespace

std::uint64_t wrong_pixels(const std::shared_ptr<cuda::Device>& device, Operation operation, const Picture& in,
                           const Picture& out, const std::vector<std::uint16_t>& map) {
  const auto* pixels = samples_of<std::uint8_t>(in);
  const std::uint64_t n = in.pixel_count();
  const cuda::DeviceMemory table(device, 256 * sizeof(std::uint16_t));
  if (!map.empty()) {
    cuda::cuda_check(cudaMemcpyAsync(table.data(), map.data(), map.size() * sizeof(std::uint16_t),
                                     cudaMemcpyHostToDevice, device->stream()),
                     "copying a look-up table");
  }
  switch (operation) {
    case Operation::equalize_gray8:
      return count(device, GrayMapped{pixels, samples_of<std::uint8_t>(out), table.as<const std::uint16_t>()}, n);
    case Operation::equalize_rgb8:
      return count(device,
                   LumaMapped{pixels, samples_of<std::uint8_t>(out), table.as<const std::uint16_t>(), is_identity(map)},
                   n);
    case Operation::integral_u32:
      return count(device,
                   PaddedTable{pixels, samples_of<std::uint32_t>(out), static_cast<std::uint64_t>(in.width()),
                               cuda::pitch_bytes(out) / sizeof(std::uint32_t)},
                   n);
    case Operation::hsl_f32: return count(device, HslFloats{pixels, samples_of<float>(out)}, n);
    case Operation::hsl_u16: return count(device, HslWords{pixels, samples_of<std::uint16_t>(out)}, n);
    default: throw Error(ErrorKind::usage, "bench: histograms are checked on the host");
  }
}

}  // namespace gpuimg::bench
