// Windows and thresholds on the device, from summed-area tables; see kernels/window.cl. Specified in
// docs/operations.md, "Windows" and "Thresholds".
#include "ops/window.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "count_levels.hpp"
#include "operations.hpp"
#include "ops/threshold.hpp"

namespace gpuimg::opencl {
namespace {

/// Which pixels count, and how much.
struct Weights {
  Selection selection;
  Rect region;
  bool by_alpha = false;
  /// The weights can differ: there is a mask, the region is not the whole picture, or the alpha of some pixel is below
  /// the maximum.
  bool are_unequal = false;
};

/// The values of WHAT in kernels/window.cl.
int what_of(WindowStatistic statistic) { return static_cast<int>(statistic); }
int what_of(ThresholdMethod method) { return 4 + static_cast<int>(method); }
static_assert(static_cast<int>(WindowStatistic::variance) == 1 && static_cast<int>(WindowStatistic::flat) == 3 &&
              static_cast<int>(ThresholdMethod::mean) == 1 && static_cast<int>(ThresholdMethod::bradley) == 2 &&
              static_cast<int>(ThresholdMethod::niblack) == 3 && static_cast<int>(ThresholdMethod::sauvola) == 4 &&
              static_cast<int>(ThresholdMethod::wolf) == 5 && static_cast<int>(ThresholdMethod::nick) == 6);
static_assert(static_cast<int>(Border::reflect101) == 0 && static_cast<int>(Border::replicate) == 1 &&
              static_cast<int>(Border::cut) == 2);

/// What one kernel of kernels/window.cl does.
struct Task {
  Border border = Border::cut;
  int what = 0;
  bool inverts = false;
};

int group_of(const Device& device, PixelFormat format) { return device.group_pixels(format.bytes_per_pixel()); }

/// The macros of a program that reads pictures of this format.
std::string macros_of(const Device& device, PixelFormat format, bool is_narrow) {
  return pixel_macros(format, group_of(device, format)) + float64_macro(device) +
         (is_narrow ? " -D IS_NARROW=1" : " -D IS_NARROW=0");
}

PixelFormat plane_format(const Picture& picture) { return {picture.format().sample, 1}; }

/// A program that reads planes of levels.
ProgramRequest program_of(const Device& device, const Picture& picture, const Weights& weights, const Task& task,
                          bool is_narrow) {
  const bool weighs = weights.are_unequal;
  return {"window",
          macros_of(device, plane_format(picture), is_narrow),
          {{"LEVEL", 0},
           {"BORDER", static_cast<int>(task.border), false},
           {"WHAT", task.what},
           {"IS_WEIGHTED", weighs ? 1 : 0},
           {"BY_ALPHA", weighs && weights.by_alpha ? 1 : 0, false},
           {"HAS_MASK", weighs && weights.selection.mask != nullptr ? 1 : 0, false},
           {"INVERTS", task.inverts ? 1 : 0, false}}};
}

/// For a kernel whose work-items take a group of pixels each.
Grid group_grid(const Device& device, std::size_t groups) {
  const std::size_t items = device.group_items();
  return {{(groups + items - 1) / items * items, 1}, {items, 1}};
}

/// The levels of a picture: the picture itself if it has only one channel.
class LevelPlane {
 public:
  LevelPlane(const DevicePointer& device, const Picture& picture, Channel channel, Luma luma) : picture_(&picture) {
    if (picture.format().channels == 1) {
      return;
    }
    own_ = new_picture(device, picture.width(), picture.height(), plane_format(picture));
    const auto group = static_cast<std::size_t>(group_of(*device, picture.format()));
    const std::size_t groups = (picture.pixel_count() + group - 1) / group;
    const ProgramRequest program{
        "window", macros_of(*device, picture.format(), false), {choice_of(level_of(channel, luma, picture.format()))}};
    device->run(program, "write_levels", group_grid(*device, groups), "extracting levels", memory_of(picture),
                cl_ulong{groups}, memory_of(*own_));
  }

  [[nodiscard]] const Picture& levels() const { return own_ ? *own_ : *picture_; }

 private:
  const Picture* picture_;
  std::optional<Picture> own_;
};

cl_uint channels_of(const Picture& picture) { return static_cast<cl_uint>(picture.format().channels); }

/// Waits for the device.
bool has_translucent(const DevicePointer& device, const Picture& picture) {
  const Memory found(device, sizeof(cl_uint));
  device->fill(found, 0, sizeof(cl_uint));
  const std::size_t items = device->group_items();
  const std::size_t groups = std::min((picture.pixel_count() + items - 1) / items, device->busy_groups());
  device->run(program_of(*device, picture, {}, {}, false), "find_translucent", {{groups * items, 1}, {items, 1}},
              "looking for transparency", memory_of(picture), cl_ulong{picture.pixel_count()}, channels_of(picture),
              found);
  cl_uint is_found = 0;
  device->download(&is_found, found, sizeof is_found);
  return is_found != 0;
}

/// `weighs` as returned by weighs_pixels().
Weights weights_of(const DevicePointer& device, const Picture& picture, const Selection& selection, bool weighs) {
  const Rect whole{0, 0, picture.width(), picture.height()};
  Weights weights{selection, selection.region.value_or(whole)};
  weights.by_alpha = picture.format().has_alpha() && !selection.count_transparent;
  weights.are_unequal =
      weighs && (selection.mask != nullptr || weights.region.width != whole.width ||
                 weights.region.height != whole.height || (weights.by_alpha && has_translucent(device, picture)));
  return weights;
}

/// The mask. Without a mask, returns the picture: kernels need an argument, but do not read it.
const Memory& mask_of(const Picture& picture, const Weights& weights) {
  return memory_of(weights.selection.mask != nullptr ? *weights.selection.mask : picture);
}

cl_uint4 numbers_of(const Rect& region) {
  return {{static_cast<cl_uint>(region.x), static_cast<cl_uint>(region.y), static_cast<cl_uint>(region.width),
           static_cast<cl_uint>(region.height)}};
}

/// The levels of a picture's windows: tables of their sums, and the kernels that read them.
class Windows {
 public:
  Windows(const DevicePointer& device, const Picture& picture, const Weights& weights, const WindowShape& shape,
          Luma luma)
      : device_(device), picture_(picture), weights_(weights), shape_(shape), luma_(luma) {}

  /// Makes the tables of another channel. The table of the weights is built once and used for all channels.
  void sum(Channel channel, bool has_squares) {
    plane_.emplace(device_, picture_, channel, luma_);
    levels_.clear();
    squares_.clear();
    is_narrow_ = !weights_.are_unequal && !has_squares && fits_32_bits();
    if (!weights_.are_unequal) {
      levels_.push_back(table_of(plane(), false));
      if (has_squares) {
        squares_.push_back(table_of(plane(), true));
      }
      return;
    }
    if (!weight_table_) {
      weight_table_ = table_of_part(0, 0);
    }
    const bool is_16_bit = picture_.format().sample == Sample::u16;
    add_parts(1, is_16_bit ? 2 : 1, levels_);
    add_parts(2, !has_squares ? 0 : is_16_bit ? 3 : 2, squares_);
  }

  /// Runs a kernel whose arguments after `arguments` are the tables.
  template <class... Arguments>
  void run(const char* kernel, int what, bool inverts, const Grid& grid, const char* doing,
           const Arguments&... arguments) const {
    const SumTable& any = levels_.front();
    const std::size_t entry = is_narrow_ ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
    const auto part = [&](const std::vector<SumTable>& tables, std::size_t i) -> const Memory& {
      return memory_of(i < tables.size() ? tables[i] : any);
    };
    device_->run(program_of(*device_, picture_, weights_, {shape_.border, what, inverts}, is_narrow_), kernel, grid,
                 doing, arguments..., cl_ulong{storage_of(any).first_byte() / entry},
                 cl_ulong{storage_of(any).pitch_bytes() / entry}, memory_of(weight_table_ ? *weight_table_ : any),
                 part(levels_, 0), part(levels_, 1), part(squares_, 0), part(squares_, 1), part(squares_, 2));
  }

  [[nodiscard]] const Picture& plane() const { return plane_->levels(); }

  /// For a kernel with one work-item per pixel.
  [[nodiscard]] Grid grid() const { return pixel_grid(*device_, picture_.width(), picture_.height()); }

  [[nodiscard]] cl_int4 shape() const {
    return {{picture_.width(), picture_.height(), shape_.radius_x, shape_.radius_y}};
  }

  /// The scale of all pixels that count in rows [first_row, end_row). Waits for the device.
  [[nodiscard]] WolfScale scale(int first_row, int end_row) const {
    constexpr std::size_t kRowsOfGroup = 8;
    const std::size_t items = device_->group_items();
    const std::size_t across = (static_cast<std::size_t>(picture_.width()) + items - 1) / items;
    const std::size_t down = (static_cast<std::size_t>(end_row - first_row) + kRowsOfGroup - 1) / kRowsOfGroup;
    if (down == 0) {
      return {};
    }
    const Memory variances(device_, across * down * sizeof(cl_ulong));
    const Memory darkest(device_, across * down * sizeof(cl_uint));
    run("look_at_windows", what_of(ThresholdMethod::wolf), false, {{across * items, down}, {items, 1}},
        "looking at windows", memory_of(plane()), memory_of(picture_), mask_of(picture_, weights_),
        channels_of(picture_), numbers_of(weights_.region),
        cl_uint4{{static_cast<cl_uint>(first_row), static_cast<cl_uint>(end_row), kRowsOfGroup, 0}}, variances, darkest,
        shape());
    std::vector<std::uint64_t> found(across * down);
    std::vector<std::uint32_t> levels(across * down);
    device_->download(found.data(), variances, variances.size_bytes());
    device_->download(levels.data(), darkest, darkest.size_bytes());
    return {*std::ranges::min_element(levels), std::bit_cast<double>(*std::ranges::max_element(found))};
  }

 private:
  /// True if the sum of any window, plus half the number of its pixels, fits in 32 bits. The table may then wrap.
  [[nodiscard]] bool fits_32_bits() const {
    const std::uint64_t n = static_cast<std::uint64_t>(shape_.width()) * static_cast<std::uint64_t>(shape_.height());
    return n <= UINT32_MAX / (std::uint64_t{picture_.format().max_value()} + 1);
  }

  [[nodiscard]] SumTable table_of(const Picture& plane, bool square) const {
    IntegralOptions options;
    options.type = is_narrow_ ? Sample::u32 : Sample::u64;
    options.square = square;
    options.allow_wrap = true;
    return apply(device_, plane, options);
  }

  [[nodiscard]] SumTable table_of_part(int power, int part) const {
    const Picture products = new_picture(device_, picture_.width(), picture_.height(), {Sample::u16, 1});
    device_->run(program_of(*device_, picture_, weights_, {shape_.border}, false), "weigh", grid(), "weighting levels",
                 memory_of(plane()), memory_of(picture_), mask_of(picture_, weights_), channels_of(picture_),
                 static_cast<cl_uint>(picture_.width()), numbers_of(weights_.region), static_cast<cl_uint>(power),
                 static_cast<cl_uint>(part), memory_of(products));
    return table_of(products, false);
  }

  void add_parts(int power, int parts, std::vector<SumTable>& tables) const {
    for (int part = 0; part < parts; ++part) {
      tables.push_back(table_of_part(power, part));
    }
  }

  const DevicePointer& device_;
  const Picture& picture_;
  const Weights& weights_;
  WindowShape shape_;
  Luma luma_;
  std::optional<LevelPlane> plane_;
  bool is_narrow_ = false;
  std::optional<SumTable> weight_table_;
  std::vector<SumTable> levels_;   ///< one table, or the parts of weighted levels, lowest first
  std::vector<SumTable> squares_;  ///< likewise; empty if no kernel needs them
};

/// The color of each level by Otsu's thresholds, in device memory.
Memory otsu_colors(const DevicePointer& device, const Picture& picture, const ThresholdOptions& options) {
  const ClassLevels levels =
      options.levels
          ? *options.levels
          : otsu_levels(histogram(device, picture, counted_for_otsu(options)).channels.front().counts, options.classes);
  if (options.used_levels != nullptr) {
    *options.used_levels = levels;
  }
  const ClassColors color_of(levels, options.classes);
  std::vector<std::uint8_t> colors(picture.format().max_value() + std::size_t{1});
  for (std::uint32_t level = 0; level < colors.size(); ++level) {
    colors[level] = static_cast<std::uint8_t>(color_of(level));
  }
  Memory there(device, colors.size());
  device->upload(there, colors.data(), colors.size());
  return there;
}

void write_classes(const DevicePointer& device, const Picture& picture, const Weights& weights,
                   const ThresholdOptions& options, const Picture& result) {
  const Memory colors = otsu_colors(device, picture, options);
  const LevelPlane plane(device, picture, options.channel, options.luma);
  const auto group = static_cast<std::size_t>(group_of(*device, plane_format(picture)));
  device->run(program_of(*device, picture, weights, {Border::cut, what_of(options.method), options.invert}, false),
              "look_up_colors", group_grid(*device, (picture.pixel_count() + group - 1) / group),
              "comparing with thresholds", memory_of(plane.levels()), memory_of(picture), mask_of(picture, weights),
              channels_of(picture), memory_of(result), cl_ulong{picture.pixel_count()}, colors);
}

Windows windows_of(const DevicePointer& device, const Picture& picture, const Weights& weights,
                   const ThresholdOptions& options) {
  const WindowShape shape(window_of(picture.width(), picture.height(), options), border_of(options.method));
  Windows windows(device, picture, weights, shape, options.luma);
  windows.sum(options.channel, needs_squares(options.method));
  return windows;
}

Weights weights_of(const DevicePointer& device, const Picture& picture, const ThresholdOptions& options) {
  return weights_of(device, picture, options.selection, weighs_pixels(picture.format(), options));
}

void write_by_windows(const DevicePointer& device, const Picture& picture, const Weights& weights,
                      ThresholdOptions options, const Picture& result) {
  const Windows windows = windows_of(device, picture, weights, options);
  if (looks_first(options)) {
    options.scale = windows.scale(0, picture.height());
  }
  const ThresholdRule rule = threshold_rule(picture.format(), options);
  windows.run("compare_with_windows", what_of(options.method), options.invert, windows.grid(), "comparing with windows",
              memory_of(windows.plane()), memory_of(picture), mask_of(picture, weights), channels_of(picture),
              memory_of(result), windows.shape(), cl_int{rule.offset}, cl_uint{rule.percent},
              std::bit_cast<cl_ulong>(rule.k), std::bit_cast<cl_ulong>(rule.range),
              std::bit_cast<cl_ulong>(rule.darkest));
}

}  // namespace

Picture apply(const DevicePointer& device, const Picture& picture, const WindowOptions& options) {
  constexpr Channel kColors[] = {Channel::red, Channel::green, Channel::blue};
  Picture result = new_picture(device, picture.width(), picture.height(), result_format(picture.format(), options));
  Selection selection;
  selection.count_transparent = options.count_transparent;
  const Weights weights = weights_of(device, picture, selection, weighs_pixels(picture.format(), options));
  Windows windows(device, picture, weights, WindowShape(options.size, options.border), options.luma);
  const int what = what_of(options.statistic);
  if (!keeps_format(options.statistic)) {
    windows.sum(options.channel, true);
    windows.run("window_moments", what, false, windows.grid(), "computing the moments of windows", memory_of(result),
                windows.shape());
    return result;
  }
  for (int c = 0; c < picture.format().color_channels(); ++c) {
    windows.sum(kColors[c], false);
    windows.run("window_means", what, false, windows.grid(), "averaging windows", memory_of(picture), memory_of(result),
                windows.shape(), static_cast<cl_uint>(c), static_cast<cl_uint>(picture.format().channels));
  }
  return result;
}

Picture apply(const DevicePointer& device, const Picture& picture, const ThresholdOptions& options) {
  Picture result = new_picture(device, picture.width(), picture.height(), result_format(picture.format(), options));
  const Weights weights = weights_of(device, picture, options);
  if (options.method == ThresholdMethod::otsu) {
    write_classes(device, picture, weights, options, result);
  } else {
    write_by_windows(device, picture, weights, options, result);
  }
  return result;
}

WolfScale wolf_scale(const DevicePointer& device, const Picture& picture, const ThresholdOptions& options,
                     int first_row, int end_row) {
  const Weights weights = weights_of(device, picture, options);
  return windows_of(device, picture, weights, options).scale(first_row, end_row);
}

}  // namespace gpuimg::opencl
