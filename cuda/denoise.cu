// Non-local means on the device. A patch distance is a sum of columns: each lane of a warp slides one column down the
// rows, and the warp adds adjacent columns. Specified in docs/operations.md, "Denoising".
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "ops/denoise.hpp"
#include "ops/window.hpp"
#include "window_tables.cuh"

namespace gpuimg::cuda {
namespace {

constexpr std::uint32_t kSharedEntries = 8192;  ///< a larger table of weights stays in global memory

template <class T>
struct FillPlanes {
  const T* pixels;
  int width;
  int height;
  int channels;
  int colors;
  DenoisePlanes<T> planes;

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

/// A kernel's arguments in addition to the planes. Pointers are to device memory.
template <class T>
struct DenoiseJob {
  const T* pixels = nullptr;  ///< for alpha
  T* out = nullptr;
  int width = 0;
  int height = 0;
  int first_row = 0;  ///< first row of this launch
  int channels = 0;
  int patch_radius = 0;
  int search_radius = 0;
  const std::uint32_t* weights = nullptr;
  std::uint32_t last = 0;  ///< index of the last weight, which is 0
  std::uint32_t shift = 0;
};

template <class T>
using WeightedSum = std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint64_t>;

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

/// Warp → 32 − (kPatch − 1) columns of kRows rows. Lane → one column of differences, and the results of its pixels; the
/// outermost kPatch / 2 lanes on each side write no results. For each offset of the search window, a lane slides a sum
/// of kPatch differences down its column, and the warp adds these sums over kPatch lanes. Block: kDenoiseWarps warps
/// side by side. Shared memory: the weights, if kIsShared. Barrier: the weights are complete before they are read.
template <class T, int kColors, int kPatch, int kRows, bool kIsShared>
__global__ void __launch_bounds__(32 * kDenoiseWarps) denoise_patches(DenoisePlanes<T> planes, DenoiseJob<T> job) {
  constexpr int kRadius = kPatch / 2;
  constexpr int kColumns = denoise_columns(kPatch);
  constexpr unsigned kAll = 0xFFFFFFFFU;
  extern __shared__ std::uint32_t shared_weights[];
  if constexpr (kIsShared) {
    for (std::uint32_t i = threadIdx.x; i <= job.last; i += 32 * kDenoiseWarps) {
      shared_weights[i] = __ldg(job.weights + i);
    }
    __syncthreads();
  }
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(blockIdx.x) * kDenoiseWarps + static_cast<int>(threadIdx.x / 32);
  const int x = warp * kColumns - kRadius + lane;
  const int top = job.first_row + static_cast<int>(blockIdx.y) * kRows;
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
          differences[j] += denoise_difference<T>(here[j][c], there[j][c]);
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

/// Patches of any size: computes every difference of every pair of patches. Used for sizes that have no specialized
/// kernel.
template <class T, int kColors>
struct DenoisePixel {
  DenoisePlanes<T> planes;
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
          sum += static_cast<std::uint32_t>(denoise_difference<T>(__ldg(here + at), __ldg(there + at)));
        }
      }
    }
    return sum;
  }

  __device__ void operator()(int x, int row) const {
    const int y = job.first_row + row;
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

/// Writes 1 for each pixel whose alpha is not 0, else 0, and extends the borders like the borders of the planes.
template <class T>
struct FillVisible {
  PixelWeights<T> alphas;
  int width;
  int height;
  DenoisePlanes<std::uint8_t> planes;

  __device__ void operator()(int x, int y) const {
    const int from_x = source_position(x - planes.border, width, Border::reflect101);
    const int from_y = source_position(y - planes.border, height, Border::reflect101);
    planes.samples[static_cast<std::size_t>(y) * planes.pitch + x] = alphas.alpha_at(from_x, from_y) != 0 ? 1 : 0;
  }
};

/// Patches of any size in images where not every pixel counts.
template <class T, int kColors>
struct DenoiseVisiblePixel {
  VisiblePatches<T> patches;
  DenoiseJob<T> job;

  __device__ void operator()(int x, int row) const {
    const int y = job.first_row + row;
    WeightedSum<T> weights = 0;
    WeightedSum<T> sums[kColors] = {};
    const auto add = [&](std::uint32_t weight, int from_x, int from_y) {
      weights += weight;
#pragma unroll
      for (int c = 0; c < kColors; ++c) {
        const T* sample = patches.planes.at(from_x, from_y) + c * patches.planes.plane_samples();
        sums[c] += static_cast<WeightedSum<T>>(weight) * static_cast<WeightedSum<T>>(__ldg(sample));
      }
    };
    for (int dy = -job.search_radius; dy <= job.search_radius; ++dy) {
      for (int dx = -job.search_radius; dx <= job.search_radius; ++dx) {
        std::uint32_t distance = 0;
        if (patches.find_distance(x, y, dx, dy, distance)) {
          add(__ldg(job.weights + min(distance >> job.shift, job.last)), x + dx, y + dy);
        }
      }
    }
    if (weights == 0) {  // neither this pixel nor any neighbor counts
      add(1, x, y);
    }
    write_pixel<T, kColors>(job, x, y, sums, weights);
  }
};

/// Launches the kernel for `rows` rows of the image, starting at job.first_row.
template <class T, int kColors, int kPatch>
void launch_patches(Workspace& workspace, const DenoisePlanes<T>& planes, const DenoiseJob<T>& job, int rows) {
  constexpr int kRows = kDenoiseRows<T, kColors>;
  constexpr int kBlockColumns = kDenoiseWarps * denoise_columns(kPatch);
  const dim3 blocks(static_cast<unsigned>(whole_units(job.width, kBlockColumns) / kBlockColumns),
                    static_cast<unsigned>(whole_units(rows, kRows) / kRows));
  if (job.last < kSharedEntries) {
    denoise_patches<T, kColors, kPatch, kRows, true>
        <<<blocks, 32 * kDenoiseWarps, (job.last + 1) * sizeof(std::uint32_t), workspace.stream()>>>(planes, job);
  } else {
    denoise_patches<T, kColors, kPatch, kRows, false>
        <<<blocks, 32 * kDenoiseWarps, 0, workspace.stream()>>>(planes, job);
  }
  check_launch("denoising");
}

/// `visible` has no samples if every pixel counts.
template <class T, int kColors>
void launch_denoise(Workspace& workspace, const DenoisePlanes<T>& planes, const DenoisePlanes<std::uint8_t>& visible,
                    const DenoiseJob<T>& job, int rows) {
  if (visible.samples != nullptr) {
    const VisiblePatches<T> patches{planes, visible, kColors, job.patch_radius};
    return launch_for_each_pixel(workspace, job.width, rows, DenoiseVisiblePixel<T, kColors>{patches, job},
                                 "denoising");
  }
  switch (2 * job.patch_radius + 1) {
    case 3: return launch_patches<T, kColors, 3>(workspace, planes, job, rows);
    case 5: return launch_patches<T, kColors, 5>(workspace, planes, job, rows);
    case 7: return launch_patches<T, kColors, 7>(workspace, planes, job, rows);
    default: break;
  }
  launch_for_each_pixel(workspace, job.width, rows, DenoisePixel<T, kColors>{planes, job}, "denoising");
}

/// Rows per launch. A grid has at most 65535 blocks in y. If progress is reported, a launch has only as many rows as
/// keep all multiprocessors busy.
int rows_at_once(const Workspace& workspace, int width, bool is_watched) {
  constexpr int kMostBlocks = 65535;
  constexpr int kBlocksPerSm = 32;
  const int across = whole_units(width, kDenoiseLanes * kDenoiseWarps) / (kDenoiseLanes * kDenoiseWarps);
  const int busy = std::max(1, workspace.device()->multiprocessors() * kBlocksPerSm / across);
  return kMostDenoiseRows * (is_watched ? std::min(busy, kMostBlocks / 2) : kMostBlocks / 2);
}

template <class T>
void launch_all(Workspace& workspace, const DenoisePlanes<T>& planes, const DenoisePlanes<std::uint8_t>& visible,
                DenoiseJob<T> job, int colors, const DenoiseOptions& options) {
  const int step = rows_at_once(workspace, job.width, options.on_progress != nullptr);
  for (; job.first_row < job.height; job.first_row += std::min(step, job.height - job.first_row)) {
    const int rows = std::min(step, job.height - job.first_row);
    if (colors == 3) {
      launch_denoise<T, 3>(workspace, planes, visible, job, rows);
    } else {
      launch_denoise<T, 1>(workspace, planes, visible, job, rows);
    }
    if (options.on_progress) {
      workspace.device()->wait();
      options.on_progress(static_cast<double>(job.first_row + rows) / job.height);
    }
  }
}

template <class T>
void denoise(Workspace& workspace, const Picture& picture, const DenoiseOptions& options, const Picture& result) {
  const PixelFormat format = picture.format();
  const DenoiseTable table = denoise_table(format, options);
  const DeviceMemory weights(workspace.device(), table.weights.size() * sizeof(std::uint32_t));
  cuda_check(cudaMemcpyAsync(weights.data(), table.weights.data(), table.weights.size() * sizeof(std::uint32_t),
                             cudaMemcpyHostToDevice, workspace.stream()),
             "uploading the weights");
  auto planes = DenoisePlanes<T>::layout(picture.width(), picture.height(), options);
  const DeviceMemory samples(workspace.device(),
                             planes.plane_samples() * static_cast<std::size_t>(format.color_channels()) * sizeof(T));
  planes.samples = samples.as<T>();
  const T* pixels = reinterpret_cast<const T*>(pixels_of(picture));
  launch_for_each_pixel(
      workspace, planes.pitch, planes.rows,
      FillPlanes<T>{pixels, picture.width(), picture.height(), format.channels, format.color_channels(), planes},
      "continuing the image");
  auto visible = DenoisePlanes<std::uint8_t>::layout(picture.width(), picture.height(), options);
  std::optional<DeviceMemory> visible_samples;
  if (format.has_alpha() && !options.count_transparent && has_alpha_below<T>(workspace, picture, 1)) {
    visible_samples.emplace(workspace.device(), visible.plane_samples());
    visible.samples = visible_samples->as<std::uint8_t>();
    launch_for_each_pixel(workspace, visible.pitch, visible.rows,
                          FillVisible<T>{weights_of<T>(picture, {}), picture.width(), picture.height(), visible},
                          "continuing the image");
  }
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
  launch_all(workspace, planes, visible, job, format.color_channels(), options);
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
