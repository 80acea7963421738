// Chooses and runs the kernels of kernels/count.cl: tables in local memory where they fit, else in global memory.
#include "count_levels.hpp"

#include <algorithm>
#include <cstdint>

#include "device/opencl_picture.hpp"

namespace gpuimg::opencl {
namespace {

constexpr std::size_t kCountBytes = sizeof(std::uint64_t);
constexpr std::size_t kMaxCopies = 32;  // as many as local memory has banks
constexpr std::size_t kMaxCopiesOnCpu = 1;
constexpr int kGroupOnCpu = 4;  // there a wide load saves nothing, and short loops compile faster
constexpr std::size_t kMaxTableBytes = std::size_t{32} << 10;  // several work-groups then share a compute unit

std::string luma_level(Luma luma) {
  switch (luma) {
    case Luma::bt601: return "luma_bt601";
    case Luma::bt601_trunc: return "luma_bt601_trunc";
    case Luma::opencv: return "luma_opencv";
    case Luma::bt709: return "luma_bt709";
  }
  return {};
}

std::string macros_of(const Picture& picture, const Selection& selection, const CountRequest& request, int group) {
  const bool skips = picture.format().has_alpha() && !selection.count_transparent;
  return pixel_macros(picture.format(), group) + (request.is_rgb ? " -D TABLES=3" : " -D LEVEL=" + request.level) +
         (skips ? " -D SKIPS_TRANSPARENT" : "");
}

/// Copies of the table in local memory; 0 if it does not fit.
std::size_t copies_of(const Device& device, std::size_t table_bytes) {
  if (table_bytes > device.local_bytes()) {
    return 0;
  }
  const std::size_t most_bytes = std::min(device.local_bytes(), kMaxTableBytes);
  std::size_t copies = device.found().is_cpu ? kMaxCopiesOnCpu : kMaxCopies;
  while (copies > 1 && copies * table_bytes > most_bytes) {
    copies /= 2;
  }
  return copies;
}

/// Runs `kernel` over pixels [first, end) with the arguments that follow.
template <class... Arguments>
void run_over_pixels(const DevicePointer& device, const Picture& picture, const ProgramKey& program, const char* kernel,
                     int group, const Arguments&... arguments) {
  constexpr std::size_t kMaxPixelsOfALaunch = std::size_t{1} << 31;
  for (std::size_t first = 0; first < picture.pixel_count(); first += kMaxPixelsOfALaunch) {
    const std::size_t end = std::min(picture.pixel_count(), first + kMaxPixelsOfALaunch);
    const std::size_t pixels_of_group = device->group_items() * static_cast<std::size_t>(group);
    const std::size_t groups = std::min((end - first + pixels_of_group - 1) / pixels_of_group, device->busy_groups());
    device->run(program, kernel, {{groups * device->group_items(), 1}, {device->group_items(), 1}}, "counting levels",
                memory_of(picture), cl_ulong{first}, cl_ulong{end}, arguments...);
  }
}

template <class... Arguments>
void run_over_region(const DevicePointer& device, const Picture& picture, const Selection& selection,
                     const ProgramKey& program, const char* kernel, const Arguments&... arguments) {
  const Rect region = selection.region.value_or(Rect{0, 0, picture.width(), picture.height()});
  const auto columns = static_cast<std::size_t>(region.width);
  const std::size_t across =
      std::min((columns + device->group_items() - 1) / device->group_items(), device->busy_groups());
  const std::size_t down = std::min(static_cast<std::size_t>(region.height), device->busy_groups() / across + 1);
  const cl_uint4 rectangle = {{static_cast<cl_uint>(region.x), static_cast<cl_uint>(region.y),
                               static_cast<cl_uint>(region.width), static_cast<cl_uint>(region.height)}};
  const Memory& mask = memory_of(selection.mask != nullptr ? *selection.mask : picture);
  device->run(program, kernel, {{across * device->group_items(), down}, {device->group_items(), 1}}, "counting levels",
              memory_of(picture), mask, cl_uint{selection.mask != nullptr}, static_cast<cl_ulong>(picture.width()),
              rectangle, arguments...);
}

}  // namespace

std::string level_of(Channel channel, Luma luma, PixelFormat format) {
  switch (channel) {
    case Channel::luma: return format.color_channels() == 1 ? "red" : luma_level(luma);
    case Channel::red: return "red";
    case Channel::green: return "green";
    case Channel::blue: return "blue";
    case Channel::alpha: return "alpha";
    case Channel::hue: return "hue_bin";
    case Channel::saturation: return "saturation_bin";
    case Channel::lightness: return "lightness_bin";
  }
  return {};
}

std::string level_of(EqualizeColor color, Luma luma, PixelFormat format) {
  if (format.color_channels() == 1) {
    return "red";
  }
  return color == EqualizeColor::ycbcr ? "luma_ycbcr" : color == EqualizeColor::hsl ? "hsl_level" : luma_level(luma);
}

Memory count_levels(const DevicePointer& device, const Picture& picture, const Selection& selection,
                    const CountRequest& request) {
  const std::size_t table_count = request.is_rgb ? 3 : 1;
  const std::size_t bins = table_count * request.bins;
  Memory counts(device, bins * kCountBytes);
  device->fill(counts, 0, counts.size_bytes());
  const bool has_region = selection.region || selection.mask != nullptr;
  const int group = device->found().is_cpu ? kGroupOnCpu : picture.format().sample == Sample::u8 ? 16 : 8;
  const auto bins_of_table = static_cast<cl_uint>(request.bins);
  const std::size_t table_bytes = bins * sizeof(cl_uint);
  const std::string macros = macros_of(picture, selection, request, group);
  if (const std::size_t copies = copies_of(*device, table_bytes); copies != 0) {
    const ProgramKey program{"count", macros + " -D COPIES=" + std::to_string(copies)};
    const LocalBytes counters{copies * table_bytes};
    if (has_region) {
      run_over_region(device, picture, selection, program, "count_local_selected", bins_of_table, counters, counts);
    } else {
      run_over_pixels(device, picture, program, "count_local", group, bins_of_table, counters, counts);
    }
    return counts;
  }
  const ProgramKey program{"count", macros};
  if (has_region) {
    run_over_region(device, picture, selection, program, "count_global_selected", bins_of_table, counts);
  } else {
    run_over_pixels(device, picture, program, "count_global", group, bins_of_table, counts);
  }
  return counts;
}

}  // namespace gpuimg::opencl
