// Chooses and runs the kernels of kernels/count.cl: tables in local memory where they fit, else in global memory. Also
// the histogram operation, which downloads these counts. Specified in docs/operations.md, "Histogram" and "CLAHE".
#include "count_levels.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "operations.hpp"

namespace gpuimg::opencl {
namespace {

constexpr std::size_t kCountBytes = sizeof(std::uint64_t);
constexpr std::size_t kMaxCopies = 32;                         // number of banks of local memory
constexpr std::size_t kMaxTableBytes = std::size_t{32} << 10;  // several work-groups then share a compute unit
constexpr std::size_t kCountingGroupsPerUnit = 8;              // 256 items each: more than a unit runs at once
constexpr std::size_t kMaxPixelsOfALaunch = std::size_t{1} << 31;

Level luma_level(Luma luma) {
  switch (luma) {
    case Luma::bt601: return Level::luma_bt601;
    case Luma::bt601_trunc: return Level::luma_bt601_trunc;
    case Luma::opencv: return Level::luma_opencv;
    case Luma::bt709: return Level::luma_bt709;
  }
  return {};
}

/// Groups of pixels that a work-item loads before it counts the first: 64 or 96 bytes on GPUs.
int groups_ahead(const Device& device, PixelFormat format) {
  return device.suits_cpu() ? 1 : format.channels == 3 ? 2 : 4;
}

ProgramRequest program_of(const Device& device, const Picture& picture, const Selection& selection,
                          const CountRequest& request) {
  const PixelFormat format = picture.format();
  const bool skips = format.has_alpha() && !selection.count_transparent;
  return {"count",
          pixel_macros(format, device.group_pixels(format.bytes_per_pixel())) +
              " -D AHEAD=" + std::to_string(groups_ahead(device, format)),
          {choice_of(request.level), {"TABLES", request.is_rgb ? 3 : 1}, {"SKIPS_TRANSPARENT", skips ? 1 : 0}}};
}

/// Copies of the table in local memory; 0 if it does not fit.
std::size_t copies_of(const Device& device, std::size_t table_bytes) {
  constexpr std::size_t kOtherBytes = 64;  // variables of the kernel
  const std::size_t most_bytes = std::min(device.local_bytes() - kOtherBytes, kMaxTableBytes);
  if (table_bytes > device.local_bytes() - kOtherBytes) {
    return 0;
  }
  std::size_t copies = device.suits_cpu() ? 1 : kMaxCopies;
  while (copies > 1 && copies * table_bytes > most_bytes) {
    copies /= 2;
  }
  return copies;
}

/// Counts a whole image in local memory. `counts` has `bins` counts, followed by one word per launch.
void run_in_chunks(const DevicePointer& device, const Picture& picture, const ProgramRequest& program,
                   std::size_t bins_of_table, std::size_t bins, const LocalBytes& counters, const Memory& counts) {
  constexpr std::size_t kChunksPerGroup = 16;
  const auto group = static_cast<std::size_t>(device->group_pixels(picture.format().bytes_per_pixel()));
  const std::size_t turn = device->group_items() * static_cast<std::size_t>(groups_ahead(*device, picture.format()));
  cl_uint taken_at = static_cast<cl_uint>(bins * kCountBytes / sizeof(cl_uint));
  for (std::size_t first = 0; first < picture.pixel_count(); first += kMaxPixelsOfALaunch) {
    const std::size_t end = std::min(picture.pixel_count(), first + kMaxPixelsOfALaunch);
    const std::size_t turns = ((end - first) / group + turn - 1) / turn;
    const std::size_t groups = std::clamp<std::size_t>(turns, 1, device->units() * kCountingGroupsPerUnit);
    const std::size_t turns_of_chunk = std::max<std::size_t>(1, turns / (groups * kChunksPerGroup));
    device->run(program, "count_local", {{groups * device->group_items(), 1}, {device->group_items(), 1}},
                "counting levels", memory_of(picture), cl_ulong{first}, cl_ulong{end}, cl_ulong{turns_of_chunk * turn},
                static_cast<cl_uint>(bins_of_table), counters, counts, taken_at);
    ++taken_at;
  }
}

/// Counts a whole image in global memory.
void run_in_memory(const DevicePointer& device, const Picture& picture, const ProgramRequest& program,
                   std::size_t bins_of_table, const Memory& counts) {
  const auto group = static_cast<std::size_t>(device->group_pixels(picture.format().bytes_per_pixel()));
  for (std::size_t first = 0; first < picture.pixel_count(); first += kMaxPixelsOfALaunch) {
    const std::size_t end = std::min(picture.pixel_count(), first + kMaxPixelsOfALaunch);
    const std::size_t pixels_of_group = device->group_items() * group;
    const std::size_t groups = std::min((end - first + pixels_of_group - 1) / pixels_of_group, device->busy_groups());
    device->run(program, "count_global", {{groups * device->group_items(), 1}, {device->group_items(), 1}},
                "counting levels", memory_of(picture), cl_ulong{first}, cl_ulong{end},
                static_cast<cl_uint>(bins_of_table), counts);
  }
}

template <class... Arguments>
void run_over_region(const DevicePointer& device, const Picture& picture, const Selection& selection,
                     const ProgramRequest& program, const char* kernel, const Arguments&... arguments) {
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

Level level_of(Channel channel, Luma luma, PixelFormat format) {
  switch (channel) {
    case Channel::luma: return format.color_channels() == 1 ? Level::red : luma_level(luma);
    case Channel::red: return Level::red;
    case Channel::green: return Level::green;
    case Channel::blue: return Level::blue;
    case Channel::alpha: return Level::alpha;
    case Channel::hue: return Level::hue_bin;
    case Channel::saturation: return Level::saturation_bin;
    case Channel::lightness: return Level::lightness_bin;
  }
  return {};
}

Level level_of(EqualizeColor color, Luma luma, PixelFormat format) {
  if (format.color_channels() == 1) {
    return Level::red;
  }
  return color == EqualizeColor::ycbcr ? Level::luma_ycbcr
         : color == EqualizeColor::hsl ? Level::hsl_level
                                       : luma_level(luma);
}

Memory count_levels(const DevicePointer& device, const Picture& picture, const Selection& selection,
                    const CountRequest& request) {
  const std::size_t bins = (request.is_rgb ? 3 : 1) * request.bins;
  const std::size_t launches = picture.pixel_count() / kMaxPixelsOfALaunch + 1;
  Memory counts(device, bins * kCountBytes + launches * sizeof(cl_uint));
  device->fill(counts, 0, counts.size_bytes());
  const bool has_region = selection.region || selection.mask != nullptr;
  const auto bins_of_table = static_cast<cl_uint>(request.bins);
  const std::size_t table_bytes = bins * sizeof(cl_uint);
  ProgramRequest program = program_of(*device, picture, selection, request);
  if (const std::size_t copies = copies_of(*device, table_bytes); copies != 0) {
    program.macros += " -D COPIES=" + std::to_string(copies);
    const LocalBytes counters{copies * table_bytes};
    if (has_region) {
      run_over_region(device, picture, selection, program, "count_local_selected", bins_of_table, counters, counts);
    } else {
      run_in_chunks(device, picture, program, request.bins, bins, counters, counts);
    }
  } else if (has_region) {
    run_over_region(device, picture, selection, program, "count_global_selected", bins_of_table, counts);
  } else {
    run_in_memory(device, picture, program, request.bins, counts);
  }
  return counts;
}

Memory count_tiles(const DevicePointer& device, const Picture& picture, const Selection& selection,
                   const CountRequest& request, const TileRange& tiles) {
  const std::size_t bins = (request.is_rgb ? 3 : 1) * request.bins;
  const TileGrid& grid = tiles.grid;
  Memory counts(device, tiles.count * bins * kCountBytes);
  device->fill(counts, 0, counts.size_bytes());
  ProgramRequest program = program_of(*device, picture, selection, request);
  const std::size_t items = device->group_items();
  std::size_t across = items;
  while (across > 1 && across / 2 >= static_cast<std::size_t>(grid.tile_width)) {
    across /= 2;
  }
  const std::size_t rows_at_once = items / across;
  const std::size_t groups =
      std::clamp<std::size_t>((static_cast<std::size_t>(grid.tile_height) + rows_at_once - 1) / rows_at_once, 1,
                              device->units() * kCountingGroupsPerUnit / tiles.count + 1);
  const Rect region = selection.region.value_or(Rect{0, 0, picture.width(), picture.height()});
  cl_uint shift = 0;
  while ((picture.format().max_value() + std::size_t{1}) >> shift > request.bins) {
    ++shift;
  }
  const auto run = [&](const char* kernel, const auto&... rest) {
    device->run(program, kernel, {{groups * items, tiles.count}, {items, 1}}, "counting tiles", memory_of(picture),
                memory_of(selection.mask != nullptr ? *selection.mask : picture), cl_uint{selection.mask != nullptr},
                cl_uint4{{static_cast<cl_uint>(region.x), static_cast<cl_uint>(region.y),
                          static_cast<cl_uint>(region.width), static_cast<cl_uint>(region.height)}},
                cl_int4{{grid.width, grid.height, grid.tile_width, grid.tile_height}},
                cl_uint4{{static_cast<cl_uint>(grid.tiles_x), static_cast<cl_uint>(tiles.first),
                          static_cast<cl_uint>(across), 0}},
                shift, static_cast<cl_uint>(request.bins), rest...);
  };
  const std::size_t table_bytes = bins * sizeof(cl_uint);
  if (const std::size_t copies = copies_of(*device, table_bytes); copies != 0) {
    program.macros += " -D COPIES=" + std::to_string(copies);
    run("count_tiles_local", LocalBytes{copies * table_bytes}, counts);
  } else {
    run("count_tiles_global", counts);
  }
  return counts;
}

namespace {

/// True if red, green and blue start at channel i of the request, and their tables fit in local memory together.
bool is_rgb_at(const Device& device, const Picture& picture, const std::vector<Channel>& channels, std::size_t i) {
  return picture.format().color_channels() == 3 && i + 3 <= channels.size() && channels[i] == Channel::red &&
         channels[i + 1] == Channel::green && channels[i + 2] == Channel::blue &&
         3 * (picture.format().max_value() + std::size_t{1}) * sizeof(cl_uint) < device.local_bytes();
}

}  // namespace

Histogram histogram(const DevicePointer& device, const Picture& picture, const HistogramOptions& options) {
  struct Pending {
    Memory counts;
    std::size_t bins;
    int tables;
  };
  std::vector<Pending> pending;
  for (std::size_t i = 0; i < options.channels.size(); ++i) {
    const Channel channel = options.channels[i];
    const bool is_rgb = is_rgb_at(*device, picture, options.channels, i);
    const std::size_t bins =
        is_hsl(channel) ? static_cast<std::size_t>(options.hsl_bins) : picture.format().max_value() + std::size_t{1};
    const CountRequest request{level_of(channel, options.luma, picture.format()), bins, is_rgb};
    pending.push_back({count_levels(device, picture, options.selection, request), bins, is_rgb ? 3 : 1});
    i += is_rgb ? 2 : 0;
  }
  Histogram result;
  for (const Pending& each : pending) {
    std::vector<std::uint64_t> counts(each.bins * static_cast<std::size_t>(each.tables));
    device->download(counts.data(), each.counts, counts.size() * sizeof(std::uint64_t));
    for (auto from = counts.begin(); from != counts.end(); from += static_cast<std::ptrdiff_t>(each.bins)) {
      result.channels.push_back(
          {options.channels[result.channels.size()], {from, from + static_cast<std::ptrdiff_t>(each.bins)}});
    }
  }
  if (!result.channels.empty()) {
    const auto& counts = result.channels.front().counts;
    result.counted = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
  return result;
}

}  // namespace gpuimg::opencl
