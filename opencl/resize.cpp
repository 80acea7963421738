// Resize on the device: two passes of weighted sums, or one look-up of the nearest pixels. The host computes the
// weights. Specified in docs/operations.md, "Resize".
#include "ops/resize.hpp"

#include <cstdint>
#include <vector>

#include "operations.hpp"

namespace gpuimg::opencl {
namespace {

/// Copies an array of the host to the device.
template <class T>
Memory uploaded(const DevicePointer& device, const std::vector<T>& numbers) {
  Memory memory(device, numbers.size() * sizeof(T));
  device->upload(memory, numbers.data(), numbers.size() * sizeof(T));
  return memory;
}

/// Where to write: rows of pixels without padding, and the index of the first pixel to write.
struct Place {
  const Memory& memory;
  cl_ulong width;
  cl_ulong first;
};

/// Bits of `ends` in kernels/resize.cl: the pass is the first one, or the last one.
constexpr cl_uint kFirst = 1;
constexpr cl_uint kLast = 2;

class Resizer {
 public:
  Resizer(const DevicePointer& device, const Picture& picture, const ResizeWork& work)
      : device_(device), picture_(picture), work_(work), program_{"resize", pixel_macros(picture.format(), 4)} {}

  void fill(const Picture& result, const std::array<std::uint16_t, 4>& color) const {
    const cl_uint4 pixel = {{color[0], color[1], color[2], color[3]}};
    device_->run(program_, "fill", pixel_grid(*device_, result.width(), result.height()), "filling bars",
                 memory_of(result), cl_uint{static_cast<cl_uint>(result.width())}, pixel);
  }

  void pick_nearest(const Place& to) const {
    const std::vector<std::int32_t> rows = work_.nearest_rows();
    device_->run(program_, "nearest", pixel_grid(*device_, width(), static_cast<int>(rows.size())),
                 "picking nearest pixels", memory_of(picture_), in_width(), to.memory, to.width, to.first,
                 cl_uint{static_cast<cl_uint>(width())}, uploaded(device_, work_.nearest_columns()),
                 uploaded(device_, rows));
  }

  /// Skips a pass that would change nothing.
  template <class T>
  void resample(const Place& to) const {
    const auto down = work_.down<WeightOf<T>>();
    const auto first_row = static_cast<cl_ulong>(down.first.front());
    if (!work_.plan.down) {
      return pass("across", memory_of(picture_), in_width(), first_row, to, down.size(), work_.across<WeightOf<T>>(),
                  kFirst | kLast);
    }
    if (!work_.plan.across) {
      return pass("down", memory_of(picture_), in_width(), 0, to, down.size(), down, kFirst | kLast);
    }
    const int rows = down.end(down.size() - 1) - down.first.front();
    const Memory between(device_, Image::bytes_of(width(), rows, picture_.format()));
    pass("across", memory_of(picture_), in_width(), first_row, {between, static_cast<cl_ulong>(width()), 0}, rows,
         work_.across<WeightOf<T>>(), kFirst);
    pass("down", between, static_cast<cl_ulong>(width()), first_row, to, down.size(), down, kLast);
  }

 private:
  [[nodiscard]] int width() const { return work_.plan.place.width; }
  [[nodiscard]] cl_ulong in_width() const { return static_cast<cl_ulong>(picture_.width()); }

  /// `first_row`: for the kernel "down", the picture's row that is row 0 of `in`; for "across", the first row to read.
  template <class Weight>
  void pass(const char* kernel, const Memory& in, cl_ulong row_pixels, cl_ulong first_row, const Place& to, int rows,
            const AxisWeights<Weight>& axis, cl_uint ends) const {
    device_->run(program_, kernel, pixel_grid(*device_, width(), rows), "resizing", in, row_pixels, first_row,
                 to.memory, to.width, to.first, cl_uint{static_cast<cl_uint>(width())}, uploaded(device_, axis.first),
                 uploaded(device_, axis.starts), uploaded(device_, axis.weights), ends);
  }

  const DevicePointer& device_;
  const Picture& picture_;
  const ResizeWork& work_;
  ProgramRequest program_;
};

void copy_placed(const DevicePointer& device, const Picture& picture, const ResizeWork& work, const Place& to) {
  const std::size_t pixel = picture.format().bytes_per_pixel();
  const std::size_t row = row_bytes(picture);
  for (int y = work.placed.begin; y < work.placed.end; ++y) {
    const auto from = static_cast<std::size_t>(y - work.first_row) * row;
    const std::size_t at = (to.first + static_cast<std::size_t>(y - work.placed.begin) * to.width) * pixel;
    cl_check(device->api().EnqueueCopyBuffer(device->queue(), memory_of(picture).buffer(), to.memory.buffer(), from, at,
                                             row, 0, nullptr, nullptr),
             "copying rows");
  }
}

}  // namespace

Picture apply(const DevicePointer& device, const Picture& picture, const ResizeOptions& options) {
  const ResizeWork work = resize_work(picture.width(), picture.height(), options);
  Picture result = new_picture(device, work.plan.width, work.height(), picture.format());
  const Resizer resizer(device, picture, work);
  if (work.has_bars()) {
    resizer.fill(result, bar_pixel(picture.format(), options));
  }
  if (work.placed.begin == work.placed.end) {
    return result;
  }
  const auto width = static_cast<cl_ulong>(result.width());
  const Place to{memory_of(result), width,
                 static_cast<cl_ulong>(work.first_placed()) * width + static_cast<cl_ulong>(work.plan.place.x)};
  if (work.is_copy) {
    copy_placed(device, picture, work, to);
  } else if (options.filter == ResizeFilter::nearest) {
    resizer.pick_nearest(to);
  } else if (picture.format().sample == Sample::u8) {
    resizer.resample<std::uint8_t>(to);
  } else {
    resizer.resample<std::uint16_t>(to);
  }
  return result;
}

}  // namespace gpuimg::opencl
