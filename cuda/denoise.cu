// Non-local means on the device: patch distances are sums of columns that slide down, added across a warp; pixels never
// leave the device. Specified in docs/operations.md, "Denoising".
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpuimg/ops/denoise.hpp"
#include "window_tables.cuh"

namespace gpuimg::cuda {
namespace {

constexpr int kWarps = 4;                       ///< of a block, side by side
constexpr std::uint32_t kSharedEntries = 8192;  ///< a larger table of weights stays in global memory

/// The color channels, one plane each, continued by reflection to the size that whole blocks read.
template <class T>
struct Planes {
  T* samples = nullptr;
  int pitch = 0;  ///< samples from row to row
  int rows = 0;   ///< of each plane
  int border = 0;

  [[nodiscard]] __host__ __device__ std::size_t plane_samples() const {
    return static_cast<std::size_t>(pitch) * static_cast<std::size_t>(rows);
  }
  /// The sample of plane 0 at a pixel, which may be in the border.
  [[nodiscard]] __device__ const T* at(int x, int y) const {
    return samples + static_cast<std::size_t>(y + border) * pitch + (x + border);
  }
};

template <class T>
struct FillPlanes {
  const T* pixels;
  int width;
  int height;
  int channels;
  int colors;
  Planes<T> planes;

  __device__ void operator()(int x, int y) const {
    const int from_x = source_position(x - planes.border, width, Border::reflect101);
    const int from_y = source_position(y - planes.border, height, Border::reflect101);
    const T* pixel = pixels + (static_cast<std::size_t>(from_y) * width + static_cast<std::size_t>(from_x)) * channels;
    T* to = planes.samples + static_cast<std::size_t>(y) * planes.pitch + x;
    for (int c = 0; c < colors; ++c) {
      to[c * planes.plane_samples()] = __ldg(pixel + c);
    }
  }
};

/// What a kernel needs besides the planes. Pointers are to device memory.
template <class T>
struct DenoiseJob {
  const T* pixels = nullptr;  ///< for alpha
  T* out = nullptr;
  int width = 0;
  int height = 0;
  int channels = 0;
  int patch_radius = 0;
  int search_radius = 0;
  const std::uint32_t* weights = nullptr;
  std::uint32_t last = 0;  ///< index of the last weight, 0
  std::uint32_t shift = 0;
};

template <class T>
using WeightedSum = std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint64_t>;

template <class T>
__device__ __forceinline__ std::int32_t difference(std::int32_t a, std::int32_t b) {
  const std::int32_t d = a - b;
  return sizeof(T) == 1 ? d * d : abs(d);
}

template <class T, int kColors>
__device__ __forceinline__ void write_pixel(const DenoiseJob<T>& job, int x, int y, const WeightedSum<T>* sums,
                                            WeightedSum<T> weights) {
  const std::size_t first = (static_cast<std::size_t>(y) * job.width + static_cast<std::size_t>(x)) * job.channels;
#pragma unroll
  for (int c = 0; c < kColors; ++c) {
    job.out[first + c] =
        static_cast<T>(weighted_mean(static_cast<std::uint64_t>(sums[c]), static_cast<std::uint64_t>(weights)));
  }
  if (job.channels > kColors) {
    job.out[first + kColors] = __ldg(job.pixels + first + kColors);
  }
}

/// Warp → 32 − (kPatch − 1) columns of kRows rows; lane → a column of differences, and the result of its pixels, except
/// the outermost lanes, which only add. For each offset of the search window, sums of kPatch differences slide down the
/// column, and are added over kPatch lanes. Block: kWarps warps side by side. Shared memory: the weights, if kIsShared.
/// Barrier: the weights are complete before they are read.
template <class T, int kColors, int kPatch, int kRows, bool kIsShared>
__global__ void __launch_bounds__(32 * kWarps) denoise_patches(Planes<T> planes, DenoiseJob<T> job) {
  constexpr int kRadius = kPatch / 2;
  constexpr int kColumns = 32 - 2 * kRadius;
  constexpr unsigned kAll = 0xFFFFFFFFU;
  extern __shared__ std::uint32_t shared_weights[];
  if constexpr (kIsShared) {
    for (std::uint32_t i = threadIdx.x; i <= job.last; i += 32 * kWarps) {
      shared_weights[i] = __ldg(job.weights + i);
    }
    __syncthreads();
  }
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x / 32);
  const int x = warp * kColumns - kRadius + lane;
  const int top = static_cast<int>(blockIdx.y) * kRows;
  const std::size_t plane = planes.plane_samples();
  std::int32_t here[kRows + 2 * kRadius][kColors];
  const T* from = planes.at(x, top - kRadius);
#pragma unroll
  for (int j = 0; j < kRows + 2 * kRadius; ++j) {
#pragma unroll
    for (int c = 0; c < kColors; ++c) {
      here[j][c] = __ldg(from + c * plane + static_cast<std::size_t>(j) * planes.pitch);
    }
  }
  WeightedSum<T> weight_sums[kRows] = {};
  WeightedSum<T> sums[kRows][kColors] = {};
  for (int dy = -job.search_radius; dy <= job.search_radius; ++dy) {
    for (int dx = -job.search_radius; dx <= job.search_radius; ++dx) {
      const T* there_from = planes.at(x + dx, top - kRadius + dy);
      std::int32_t there[kRows + 2 * kRadius][kColors];
      std::int32_t differences[kRows + 2 * kRadius];
      std::int32_t column = 0;
#pragma unroll
      for (int j = 0; j < kRows + 2 * kRadius; ++j) {
        differences[j] = 0;
#pragma unroll
        for (int c = 0; c < kColors; ++c) {
          there[j][c] = __ldg(there_from + c * plane + static_cast<std::size_t>(j) * planes.pitch);
          differences[j] += difference<T>(here[j][c], there[j][c]);
        }
        column += differences[j];
        if (j < 2 * kRadius) {
          continue;
        }
        std::int32_t distance = column;
#pragma unroll
        for (int k = 1; k <= kRadius; ++k) {
          distance += __shfl_up_sync(kAll, column, k) + __shfl_down_sync(kAll, column, k);
        }
        const std::uint32_t index = min(static_cast<std::uint32_t>(distance) >> job.shift, job.last);
        const std::uint32_t weight = kIsShared ? shared_weights[index] : __ldg(job.weights + index);
        const int row = j - 2 * kRadius;
        weight_sums[row] += weight;
#pragma unroll
        for (int c = 0; c < kColors; ++c) {
          sums[row][c] += static_cast<WeightedSum<T>>(weight) * static_cast<WeightedSum<T>>(there[row + kRadius][c]);
        }
        column -= differences[row];
      }
    }
  }
  if (lane < kRadius || lane >= 32 - kRadius || x >= job.width) {
    return;
  }
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    if (top + row < job.height) {
      write_pixel<T, kColors>(job, x, top + row, sums[row], weight_sums[row]);
    }
  }
}

/// Any patch: every difference of every pair of patches. For patches that have no kernel of their own.
template <class T, int kColors>
struct DenoisePixel {
  Planes<T> planes;
  DenoiseJob<T> job;

  __device__ std::uint32_t distance(int x, int y, int dx, int dy) const {
    std::uint32_t sum = 0;
    for (int j = -job.patch_radius; j <= job.patch_radius; ++j) {
      const T* here = planes.at(x, y + j);
      const T* there = planes.at(x + dx, y + j + dy);
      for (int i = -job.patch_radius; i <= job.patch_radius; ++i) {
#pragma unroll
        for (int c = 0; c < kColors; ++c) {
          const auto at = static_cast<std::ptrdiff_t>(c * planes.plane_samples()) + i;
          sum += static_cast<std::uint32_t>(difference<T>(__ldg(here + at), __ldg(there + at)));
        }
      }
    }
    return sum;
  }

  __device__ void operator()(int x, int y) const {
    WeightedSum<T> weights = 0;
    WeightedSum<T> sums[kColors] = {};
    for (int dy = -job.search_radius; dy <= job.search_radius; ++dy) {
      for (int dx = -job.search_radius; dx <= job.search_radius; ++dx) {
        const std::uint32_t weight = __ldg(job.weights + min(distance(x, y, dx, dy) >> job.shift, job.last));
        weights += weight;
#pragma unroll
        for (int c = 0; c < kColors; ++c) {
          sums[c] += static_cast<WeightedSum<T>>(weight) *
                     static_cast<WeightedSum<T>>(__ldg(planes.at(x + dx, y + dy) + c * planes.plane_samples()));
        }
      }
    }
    write_pixel<T, kColors>(job, x, y, sums, weights);
  }
};

template <class T, int kColors>
inline constexpr int kRowsOf = sizeof(T) == 1 && kColors == 1 ? 16 : 8;

constexpr int whole(int size, int unit) { return (size + unit - 1) / unit * unit; }

template <class T, int kColors, int kPatch>
void launch_patches(Workspace& workspace, const Planes<T>& planes, const DenoiseJob<T>& job) {
  constexpr int kRows = kRowsOf<T, kColors>;
  constexpr int kBlockColumns = kWarps * (32 - 2 * (kPatch / 2));
  const dim3 blocks(static_cast<unsigned>(whole(job.width, kBlockColumns) / kBlockColumns),
                    static_cast<unsigned>(whole(job.height, kRows) / kRows));
  if (job.last < kSharedEntries) {
    denoise_patches<T, kColors, kPatch, kRows, true>
        <<<blocks, 32 * kWarps, (job.last + 1) * sizeof(std::uint32_t), workspace.stream()>>>(planes, job);
  } else {
    denoise_patches<T, kColors, kPatch, kRows, false><<<blocks, 32 * kWarps, 0, workspace.stream()>>>(planes, job);
  }
  check_launch("denoising");
}

/// The grid of denoise_patches has a block for every kRows rows: no more than this many.
constexpr int kMaxBlockRows = 65535;

template <class T, int kColors>
void launch_denoise(Workspace& workspace, const Planes<T>& planes, const DenoiseJob<T>& job) {
  const bool fits_grid = job.height / kRowsOf<T, kColors> < kMaxBlockRows;
  switch (fits_grid ? 2 * job.patch_radius + 1 : 0) {
    case 3: return launch_patches<T, kColors, 3>(workspace, planes, job);
    case 5: return launch_patches<T, kColors, 5>(workspace, planes, job);
    case 7: return launch_patches<T, kColors, 7>(workspace, planes, job);
    default: break;
  }
  launch_for_each_pixel(workspace, job.width, job.height, DenoisePixel<T, kColors>{planes, job}, "denoising");
}

/// Room for the blocks of every patch, and the border of both windows.
template <class T>
Planes<T> planes_for(const Picture& picture, const DenoiseOptions& options) {
  constexpr int kMostColumns = 32 * kWarps;
  constexpr int kMostRows = 16;
  const int border = halo_rows(options);
  Planes<T> planes;
  planes.border = border;
  planes.pitch = picture.width() + kMostColumns + 2 * border;
  planes.rows = picture.height() + kMostRows + 2 * border;
  return planes;
}

template <class T>
void denoise(Workspace& workspace, const Picture& picture, const DenoiseOptions& options, const Picture& result) {
  const PixelFormat format = picture.format();
  const DenoiseTable table = denoise_table(format, options);
  const DeviceMemory weights(workspace.device(), table.weights.size() * sizeof(std::uint32_t));
  cuda_check(cudaMemcpyAsync(weights.data(), table.weights.data(), table.weights.size() * sizeof(std::uint32_t),
                             cudaMemcpyHostToDevice, workspace.stream()),
             "uploading the weights");
  Planes<T> planes = planes_for<T>(picture, options);
  const DeviceMemory samples(workspace.device(),
                             planes.plane_samples() * static_cast<std::size_t>(format.color_channels()) * sizeof(T));
  planes.samples = samples.as<T>();
  const T* pixels = reinterpret_cast<const T*>(pixels_of(picture));
  launch_for_each_pixel(
      workspace, planes.pitch, planes.rows,
      FillPlanes<T>{pixels, picture.width(), picture.height(), format.channels, format.color_channels(), planes},
      "continuing the image");
  DenoiseJob<T> job;
  job.pixels = pixels;
  job.out = reinterpret_cast<T*>(pixels_of(result));
  job.width = picture.width();
  job.height = picture.height();
  job.channels = format.channels;
  job.patch_radius = options.patch / 2;
  job.search_radius = options.search / 2;
  job.weights = weights.as<std::uint32_t>();
  job.last = static_cast<std::uint32_t>(table.weights.size() - 1);
  job.shift = table.shift;
  if (format.color_channels() == 3) {
    launch_denoise<T, 3>(workspace, planes, job);
  } else {
    launch_denoise<T, 1>(workspace, planes, job);
  }
}

}  // namespace

Picture apply(Workspace& workspace, const Picture& picture, const DenoiseOptions& options) {
  Picture result = new_picture(workspace.device(), picture.width(), picture.height(), picture.format());
  if (filter_strength(picture.format(), options) == 0.0F) {
    cuda_check(cudaMemcpyAsync(pixels_of(result), pixels_of(picture), size_bytes(picture), cudaMemcpyDeviceToDevice,
                               workspace.stream()),
               "copying a picture");
  } else if (picture.format().sample == Sample::u8) {
    denoise<std::uint8_t>(workspace, picture, options, result);
  } else {
    denoise<std::uint16_t>(workspace, picture, options, result);
  }
  return result;
}

}  // namespace gpuimg::cuda
