// Equalization on the device: counts levels, makes the look-up tables and maps the pixels, without waiting in between.
// Specified in docs/operations.md, "Equalization".
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "count_levels.hpp"
#include "device/opencl_picture.hpp"

namespace gpuimg::opencl {
namespace {

int table_count(const Picture& picture, const EqualizeOptions& options) {
  return options.color == EqualizeColor::rgb && picture.format().color_channels() == 3 ? 3 : 1;
}

std::size_t level_count(const Picture& picture) { return picture.format().max_value() + std::size_t{1}; }

/// Counts of table t, or of all tables if local memory holds them.
std::vector<Memory> counts_of(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options) {
  constexpr std::array kColors = {Channel::red, Channel::green, Channel::blue};
  const std::size_t bins = level_count(picture);
  std::vector<Memory> counts;
  if (table_count(picture, options) == 1) {
    const std::string level = level_of(options.color, options.luma, picture.format());
    counts.push_back(count_levels(device, picture, options.selection, {level, bins}));
    return counts;
  }
  for (const Channel color : kColors) {
    const std::string level = level_of(color, options.luma, picture.format());
    counts.push_back(count_levels(device, picture, options.selection, {level, bins}));
  }
  return counts;
}

/// The tables on the device: those of all channels, one after another, and whether any changes a level.
struct DeviceTables {
  DeviceTables(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options)
      : levels(level_count(picture)),
        tables(table_count(picture, options)),
        maps(device, static_cast<std::size_t>(tables) * levels * sizeof(std::uint16_t)),
        changes(device, sizeof(std::uint32_t)) {}
  std::size_t levels;
  int tables;
  Memory maps;
  Memory changes;
};

void upload(const Device& device, const LevelTables& from, const DeviceTables& to) {
  const bool changes = !std::all_of(from.maps.begin(), from.maps.end(), is_identity);
  const std::size_t bytes = to.levels * sizeof(std::uint16_t);
  for (std::size_t t = 0; t < from.maps.size(); ++t) {
    device.upload(to.maps, from.maps[t].data(), bytes, t * bytes);
  }
  device.fill(to.changes, changes ? 1 : 0, sizeof(std::uint32_t));
}

const char* name_of(EqualizeFormula formula) {
  switch (formula) {
    case EqualizeFormula::opencv: return "opencv";
    case EqualizeFormula::cdf: return "cdf";
    case EqualizeFormula::pillow: return "pillow";
  }
  return "";
}

void build(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options,
           const DeviceTables& to) {
  const std::string bits = std::to_string(8 * sample_bytes(picture.format().sample));
  const ProgramKey program{
      "table", "-D SAMPLE_BITS=" + bits + " -D CHANNELS=1 -D GROUP=4 -D FORMULA=" + name_of(options.formula)};
  device->fill(to.changes, 0, sizeof(std::uint32_t));
  const std::vector<Memory> counts = counts_of(device, picture, options);
  for (std::size_t t = 0; t < counts.size(); ++t) {
    device->run(program, "make_table", {{device->group_items(), 1}, {device->group_items(), 1}},
                "making a look-up table", counts[t], static_cast<cl_uint>(to.levels), to.maps,
                static_cast<cl_uint>(t * to.levels), to.changes);
  }
}

LevelTables downloaded(const Device& device, const DeviceTables& tables) {
  std::vector<std::uint16_t> all(static_cast<std::size_t>(tables.tables) * tables.levels);
  device.download(all.data(), tables.maps, tables.maps.size_bytes());
  LevelTables result;
  for (auto from = all.begin(); from != all.end(); from += static_cast<std::ptrdiff_t>(tables.levels)) {
    result.maps.emplace_back(from, from + static_cast<std::ptrdiff_t>(tables.levels));
  }
  return result;
}

/// blended(in, to) by the difference d = to − in: `add`, and the first `in` from which add + 1 is added. Adding d ·
/// strength to `in` rounds more coarsely the larger the sum is, so there is at most one such step; bisection finds it.
struct BlendStep {
  std::int32_t add;
  std::int32_t first_of_next;
};

std::vector<BlendStep> blend_steps(double strength, std::int32_t v_max) {
  std::vector<BlendStep> steps;
  steps.reserve(2 * static_cast<std::size_t>(v_max) + 1);
  for (std::int32_t d = -v_max; d <= v_max; ++d) {
    const auto added = [&](std::int32_t in) {
      return static_cast<std::int32_t>(
                 blended(static_cast<std::uint32_t>(in), static_cast<std::uint32_t>(in + d), strength)) -
             in;
    };
    std::int32_t low = std::max(0, -d);
    std::int32_t high = std::min(v_max, v_max - d);
    const std::int32_t add = added(low);
    if (added(high) == add) {
      high = v_max + 1;
    } else {
      while (high - low > 1) {
        const std::int32_t middle = low + (high - low) / 2;
        (added(middle) == add ? low : high) = middle;
      }
    }
    steps.push_back({add, high});
  }
  return steps;
}

std::string map_macros(const Picture& picture, const EqualizeOptions& options, int tables) {
  const bool is_gray = picture.format().color_channels() == 1;
  if (is_gray || options.color == EqualizeColor::rgb || options.color == EqualizeColor::joint) {
    return tables == 3 ? " -D MAP=map_each -D TABLES=3" : " -D MAP=map_each";
  }
  const char* map = options.color == EqualizeColor::ycbcr ? "map_ycbcr"
                    : options.color == EqualizeColor::hsl ? "map_hsl"
                                                          : "map_luma";
  return std::string(" -D MAP=") + map + " -D LEVEL=" + level_of(options.color, options.luma, picture.format());
}

Picture mapped(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options,
               const DeviceTables& tables) {
  constexpr int kGroup = 4;
  Picture result = new_picture(device, picture.width(), picture.height(), picture.format());
  const bool is_blended = options.strength < 1.0;
  std::string macros = pixel_macros(picture.format(), kGroup) + map_macros(picture, options, tables.tables);
  macros += options.selection.mask != nullptr ? " -D MASKED" : "";
  macros += is_blended ? " -D BLENDED" : "";
  const std::vector<BlendStep> steps =
      is_blended ? blend_steps(options.strength, static_cast<std::int32_t>(picture.format().max_value()))
                 : std::vector<BlendStep>(1);
  const Memory steps_there(device, steps.size() * sizeof(BlendStep));
  if (is_blended) {
    device->upload(steps_there, steps.data(), steps_there.size_bytes());
  }
  const std::size_t of_group = device->group_items() * static_cast<std::size_t>(kGroup);
  const std::size_t groups = std::min((picture.pixel_count() + of_group - 1) / of_group, device->busy_groups());
  device->run({"equalize", macros}, "equalize", {{groups * device->group_items(), 1}, {device->group_items(), 1}},
              "equalizing pixels", memory_of(picture), memory_of(result), cl_ulong{picture.pixel_count()}, tables.maps,
              tables.changes, memory_of(options.selection.mask != nullptr ? *options.selection.mask : picture),
              steps_there);
  return result;
}

}  // namespace

LevelCounts table_counts(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options) {
  LevelCounts result;
  for (const Memory& counts : counts_of(device, picture, options)) {
    device->download(result.emplace_back(level_count(picture)).data(), counts, counts.size_bytes());
  }
  return result;
}

Picture equalize(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options,
                 LevelTables* used) {
  const DeviceTables tables(device, picture, options);
  if (options.tables != nullptr) {
    upload(*device, *options.tables, tables);
  } else {
    build(device, picture, options, tables);
  }
  Picture result = mapped(device, picture, options, tables);
  if (used != nullptr) {
    *used = options.tables != nullptr ? *options.tables : downloaded(*device, tables);
  }
  return result;
}

}  // namespace gpuimg::opencl
