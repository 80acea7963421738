// Resize on the device: two passes of weighted sums, or one look-up of the nearest pixels. The weights are the host's.
// Specified in docs/operations.md, "Resize".
#include "ops/resize.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "window_tables.cuh"

namespace gpuimg::cuda {
namespace {

/// A copy of an array on the host. The runtime stages pageable memory before it returns.
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

/// Rows of pixels without padding, and the pixel that is the first of them.
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

/// Thread → pixels of a column of the result: launch_for_each_pixel. A pass that would change nothing is left out.
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
