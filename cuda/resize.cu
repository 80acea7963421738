// Resize on the device: two passes of weighted sums, or one look-up of the nearest pixels. The host computes the
// weights. Specified in docs/operations.md, "Resize".
#include "ops/resize_passes.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "window_tables.cuh"

namespace gpuimg::cuda {
namespace {

// --- Any depth ------------------------------------------------------------------------------------------------------

/// Copies an array of the host to the device. The runtime stages pageable memory before it returns, so the array may be
/// freed after the call.
template <class T>
DeviceMemory uploaded(const Workspace& workspace, const std::vector<T>& numbers) {
  const std::size_t bytes = numbers.size() * sizeof(T);
  DeviceMemory memory(workspace.device(), bytes);
  cuda_check(cudaMemcpyAsync(memory.data(), numbers.data(), bytes, cudaMemcpyHostToDevice, workspace.stream()),
             "uploading the weights");
  return memory;
}

template <class T>
class UploadedAxis {
 public:
  UploadedAxis(const Workspace& workspace, const AxisWeights<WeightOf<T>>& axis)
      : first_(uploaded(workspace, axis.first)),
        starts_(uploaded(workspace, axis.starts)),
        weights_(uploaded(workspace, axis.weights)) {}

  [[nodiscard]] DeviceAxis<T> axis() const {
    return {first_.template as<std::int32_t>(), starts_.template as<std::uint32_t>(),
            weights_.template as<WeightOf<T>>()};
  }

 private:
  DeviceMemory first_;
  DeviceMemory starts_;
  DeviceMemory weights_;
};

/// Where to write: rows of pixels without padding, and the index of the first pixel to write.
template <class T>
struct Place {
  T* pixels;
  std::size_t width;
  std::size_t first;
};

template <class T, int kChannels, bool kIsAcross>
ResizePass<T, kChannels, kIsAcross> pass(const T* in, int in_width, const Place<T>& to, const DeviceAxis<T>& axis,
                                         bool is_first, bool is_last) {
  ResizePass<T, kChannels, kIsAcross> result;
  result.in = in;
  result.in_width = static_cast<std::size_t>(in_width);
  result.out = to.pixels;
  result.out_width = to.width;
  result.out_first = to.first;
  result.axis = axis;
  result.premultiplies = is_first;
  result.unmultiplies = is_last;
  return result;
}

/// Thread → pixels of one column of the result, as in launch_for_each_pixel. Skips a pass that would change nothing.
template <class T, int kChannels>
void resample(Workspace& workspace, const Picture& picture, const ResizeWork& work, const Place<T>& to) {
  constexpr const char* kDoing = "resizing";
  const T* in = reinterpret_cast<const T*>(pixels_of(picture));
  const int width = work.plan.place.width;
  AxisWeights<WeightOf<T>> down = work.down<WeightOf<T>>();
  if (!work.plan.down) {
    const int rows = down.size();
    const UploadedAxis<T> across(workspace, work.across<WeightOf<T>>());
    in += static_cast<std::size_t>(down.first.front()) * picture.width() * kChannels;
    launch_for_each_pixel(workspace, width, rows,
                          pass<T, kChannels, true>(in, picture.width(), to, across.axis(), true, true), kDoing);
    return;
  }
  std::optional<DeviceMemory> between;
  int first_row = 0;
  if (work.plan.across) {
    first_row = down.first.front();
    const int rows = down.end(down.size() - 1) - first_row;
    between.emplace(workspace.device(), static_cast<std::size_t>(rows) * width * kChannels * sizeof(T));
    const UploadedAxis<T> across(workspace, work.across<WeightOf<T>>());
    const Place<T> rows_between{between->template as<T>(), static_cast<std::size_t>(width), 0};
    in += static_cast<std::size_t>(first_row) * picture.width() * kChannels;
    launch_for_each_pixel(workspace, width, rows,
                          pass<T, kChannels, true>(in, picture.width(), rows_between, across.axis(), true, false),
                          kDoing);
    in = between->template as<T>();
  }
  for (std::int32_t& first : down.first) {
    first -= first_row;
  }
  const UploadedAxis<T> columns(workspace, down);
  launch_for_each_pixel(workspace, width, down.size(),
                        pass<T, kChannels, false>(in, width, to, columns.axis(), !work.plan.across, true), kDoing);
}

// --- 8 bits ----------------------------------------------------------------------------------------------------------

constexpr int kLanes = 32;
constexpr int kMaxWarps = 8;
constexpr std::size_t kSharedBytes = 48 * 1024;

class UploadedDigits {
 public:
  UploadedDigits(const Workspace& workspace, const AxisDigits& axis)
      : first_(uploaded(workspace, axis.first)),
        digits_(uploaded(workspace, axis.digits)),
        groups_(axis.groups),
        positions_(static_cast<int>(axis.first.size())) {}

  [[nodiscard]] DeviceDigits axis() const {
    return {first_.as<std::int32_t>(), digits_.as<std::uint32_t>(), groups_, positions_};
  }

 private:
  DeviceMemory first_;
  DeviceMemory digits_;
  int groups_;
  int positions_;
};

/// Warp → 32 pixels of kRows rows at a time. Its lanes first write the words that these pixels need to shared memory,
/// with `stride` words per channel and row. Each warp has its own words, so the block needs no barrier.
template <int kChannels>
__global__ void __launch_bounds__(kLanes* kMaxWarps)
    resize_across(const __grid_constant__ AcrossPass<kChannels> pass, int rows, int stride) {
  extern __shared__ std::uint32_t shared[];
  constexpr int kRows = AcrossPass<kChannels>::kRows;
  std::uint32_t* words = shared + static_cast<std::size_t>(threadIdx.y) * kRows * kChannels * stride;
  const int first_x = static_cast<int>(blockIdx.x) * kLanes;
  const int x = first_x + static_cast<int>(threadIdx.x);
  const int first_group = pass.axis.first[first_x];
  const int groups = pass.axis.first[min(first_x + kLanes, pass.axis.positions) - 1] + pass.axis.groups - first_group;
  const int step = static_cast<int>(gridDim.y * blockDim.y) * kRows;
  for (int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * kRows; y < rows; y += step) {
    for (int group = static_cast<int>(threadIdx.x); group < groups; group += kLanes) {
      std::uint32_t planes[kRows][kChannels];
      pass.make_planes(y, rows, first_group + group, planes);
      for (int row = 0; row < kRows; ++row) {
        for (int c = 0; c < kChannels; ++c) {
          words[(row * kChannels + c) * stride + group] = planes[row][c];
        }
      }
    }
    __syncwarp();
    if (x < pass.axis.positions) {
      pass.write_pixels(x, y, rows, words, stride, first_group);
    }
    __syncwarp();
  }
}

/// Launch configuration of the horizontal pass. `warps` is 0 if the words of one warp do not fit in shared memory.
struct AcrossShape {
  int stride = 0;
  int warps = 0;
  std::size_t bytes = 0;
};

template <int kChannels>
AcrossShape across_shape(const AxisDigits& axis) {
  AcrossShape shape;
  shape.stride = axis.groups_of_run(kLanes);
  const std::size_t of_warp =
      static_cast<std::size_t>(shape.stride) * AcrossPass<kChannels>::kRows * kChannels * sizeof(std::uint32_t);
  shape.warps = static_cast<int>(std::min<std::size_t>(kSharedBytes / of_warp, kMaxWarps));
  shape.bytes = of_warp * static_cast<std::size_t>(shape.warps);
  return shape;
}

template <int kChannels>
void launch_across(Workspace& workspace, const AcrossPass<kChannels>& pass, int rows, const AcrossShape& shape) {
  constexpr int kMaxGridRows = 65535;
  const int rows_of_block = AcrossPass<kChannels>::kRows * shape.warps;
  const dim3 blocks(static_cast<unsigned>((pass.axis.positions + kLanes - 1) / kLanes),
                    static_cast<unsigned>(std::min((rows + rows_of_block - 1) / rows_of_block, kMaxGridRows)));
  resize_across<kChannels>
      <<<blocks, dim3(kLanes, static_cast<unsigned>(shape.warps)), shape.bytes, workspace.stream()>>>(pass, rows,
                                                                                                      shape.stride);
  check_launch("resizing");
}

/// Input of the vertical pass: rows of whole words.
struct WordRows {
  const std::byte* first;
  std::size_t words;
  int rows;
};

template <int kChannels>
void launch_down(Workspace& workspace, const WordRows& from, const AxisWeights<std::int32_t>& down, int width,
                 const Place<std::uint8_t>& to) {
  constexpr unsigned kAcross = 32;
  constexpr unsigned kDown = 8;  // neighbors share most of their rows, which are read from the cache
  const UploadedDigits axis(workspace, AxisDigits(down, 1, 1));
  DownPass<kChannels> pass;
  pass.in = reinterpret_cast<const std::uint32_t*>(from.first);
  pass.in_words = from.words;
  pass.in_rows = from.rows;
  pass.out = to.pixels;
  pass.out_width = to.width;
  pass.out_first = to.first;
  pass.row_bytes = static_cast<std::size_t>(width) * kChannels;
  pass.axis = axis.axis();
  pass.unmultiplies = true;
  launch_for_each_pixel<kAcross, kDown>(workspace, static_cast<int>((pass.row_bytes + 3) / 4), down.size(), pass,
                                        "resizing");
}

/// Launches nothing and returns false if the windows are too wide for shared memory, or if rows are not whole words.
template <int kChannels>
bool resample_bytes(Workspace& workspace, const Picture& picture, const ResizeWork& work,
                    const Place<std::uint8_t>& to) {
  const int width = work.plan.place.width;
  AxisWeights<std::int32_t> down = work.down<std::int32_t>();
  if (!work.plan.across) {
    const std::size_t row = row_bytes(picture);
    if (row % 4 != 0 || kChannels % 2 == 0) {
      return false;
    }
    launch_down<kChannels>(workspace, {pixels_of(picture), row / 4, picture.height()}, down, width, to);
    return true;
  }
  const AxisDigits across(work.across<std::int32_t>(), 4, work.plan.down ? 4 : 1);
  const AcrossShape shape = across_shape<kChannels>(across);
  if (shape.warps == 0) {
    return false;
  }
  const UploadedDigits axis(workspace, across);
  const int first_row = down.first.front();
  const int rows = down.end(down.size() - 1) - first_row;
  AcrossPass<kChannels> pass;
  pass.in = reinterpret_cast<const std::uint8_t*>(pixels_of(picture)) +
            static_cast<std::size_t>(first_row) * row_bytes(picture);
  pass.in_width = static_cast<std::size_t>(picture.width());
  pass.axis = axis.axis();
  pass.premultiplies = true;
  if (!work.plan.down) {
    pass.out = to.pixels;
    pass.out_width = to.width;
    pass.out_first = to.first;
    pass.unmultiplies = true;
    launch_across(workspace, pass, rows, shape);
    return true;
  }
  const std::size_t pixels = across.first.size();
  const DeviceMemory between(workspace.device(), static_cast<std::size_t>(rows) * pixels * kChannels);
  pass.out = between.as<std::uint8_t>();
  pass.out_width = pixels;
  launch_across(workspace, pass, rows, shape);
  for (std::int32_t& first : down.first) {
    first -= first_row;
  }
  launch_down<kChannels>(workspace, {between.data(), pixels * kChannels / 4, rows}, down, width, to);
  return true;
}

// --- The result ------------------------------------------------------------------------------------------------------

template <class T, int kChannels>
void pick_nearest(Workspace& workspace, const Picture& picture, const ResizeWork& work, const Place<T>& to) {
  const DeviceMemory columns = uploaded(workspace, work.nearest_columns());
  const std::vector<std::int32_t> row_numbers = work.nearest_rows();
  const DeviceMemory rows = uploaded(workspace, row_numbers);
  launch_for_each_pixel(workspace, work.plan.place.width, static_cast<int>(row_numbers.size()),
                        NearestPixels<T, kChannels>{reinterpret_cast<const T*>(pixels_of(picture)),
                                                    static_cast<std::size_t>(picture.width()), to.pixels, to.width,
                                                    to.first, columns.as<std::int32_t>(), rows.as<std::int32_t>()},
                        "picking nearest pixels");
}

template <class T>
void copy_placed(Workspace& workspace, const Picture& picture, const ResizeWork& work, const Place<T>& to) {
  const std::size_t pixel = picture.format().bytes_per_pixel();
  const std::size_t row = static_cast<std::size_t>(work.plan.place.width) * pixel;
  const auto first = static_cast<std::size_t>(work.placed.begin - work.first_row);
  cuda_check(cudaMemcpy2DAsync(reinterpret_cast<std::byte*>(to.pixels) + to.first * pixel, to.width * pixel,
                               pixels_of(picture) + first * row, row, row,
                               static_cast<std::size_t>(work.placed.end - work.placed.begin), cudaMemcpyDeviceToDevice,
                               workspace.stream()),
             "copying rows");
}

template <class T, int kChannels>
void resize(Workspace& workspace, const Picture& picture, const ResizeOptions& options, const ResizeWork& work,
            const Picture& result) {
  T* out = reinterpret_cast<T*>(pixels_of(result));
  const auto width = static_cast<std::size_t>(result.width());
  if (work.has_bars()) {
    FillPixels<T, kChannels> bars{out, width};
    const auto color = bar_pixel(picture.format(), options);
    std::copy(color.begin(), color.end(), bars.pixel);
    launch_for_each_pixel(workspace, result.width(), result.height(), bars, "filling bars");
  }
  if (work.placed.begin == work.placed.end) {
    return;
  }
  const Place<T> to{
      out, width, static_cast<std::size_t>(work.first_placed()) * width + static_cast<std::size_t>(work.plan.place.x)};
  if (work.is_copy) {
    copy_placed(workspace, picture, work, to);
  } else if (options.filter == ResizeFilter::nearest) {
    pick_nearest<T, kChannels>(workspace, picture, work, to);
  } else {
    if constexpr (sizeof(T) == 1) {
      if (resample_bytes<kChannels>(workspace, picture, work, to)) {
        return;
      }
    }
    resample<T, kChannels>(workspace, picture, work, to);
  }
}

template <class T>
void resize(Workspace& workspace, const Picture& picture, const ResizeOptions& options, const ResizeWork& work,
            const Picture& result) {
  switch (picture.format().channels) {
    case 1: return resize<T, 1>(workspace, picture, options, work, result);
    case 2: return resize<T, 2>(workspace, picture, options, work, result);
    case 3: return resize<T, 3>(workspace, picture, options, work, result);
    default: return resize<T, 4>(workspace, picture, options, work, result);
  }
}

}  // namespace

Picture apply(Workspace& workspace, const Picture& picture, const ResizeOptions& options) {
  const ResizeWork work = resize_work(picture.width(), picture.height(), options);
  Picture result = new_picture(workspace.device(), work.plan.width, work.height(), picture.format());
  if (picture.format().sample == Sample::u8) {
    resize<std::uint8_t>(workspace, picture, options, work, result);
  } else {
    resize<std::uint16_t>(workspace, picture, options, work, result);
  }
  return result;
}

}  // namespace gpuimg::cuda
