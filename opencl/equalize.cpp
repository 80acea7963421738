// Equalization on the device, of the image or by tiles (CLAHE): counts levels, builds the look-up tables and maps the
// pixels, without waiting in between. Specified in docs/operations.md, "Equalization" and "CLAHE".
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "count_levels.hpp"
#include "operations.hpp"
#include "ops/clahe.hpp"
#include "ops/equalize.hpp"

namespace gpuimg::opencl {
namespace {

int table_count(const Picture& picture, const EqualizeOptions& options) {
  return options.color == EqualizeColor::rgb && picture.format().color_channels() == 3 ? 3 : 1;
}

std::size_t level_count(const Picture& picture) { return picture.format().max_value() + std::size_t{1}; }

/// The counts that the tables are built from. If local memory holds the counters of all tables, one buffer has all
/// counts; otherwise each table has its own buffer.
std::vector<Memory> counts_of(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options) {
  const std::size_t bins = level_count(picture);
  std::vector<Memory> counts;
  if (table_count(picture, options) == 1) {
    const Level level = level_of(options.color, options.luma, picture.format());
    counts.push_back(count_levels(device, picture, options.selection, {level, bins}));
  } else if (3 * bins * sizeof(cl_uint) < device->local_bytes()) {
    counts.push_back(count_levels(device, picture, options.selection, {Level::red, bins, true}));
  } else {
    for (const Level level : {Level::red, Level::green, Level::blue}) {
      counts.push_back(count_levels(device, picture, options.selection, {level, bins}));
    }
  }
  return counts;
}

/// True for tables that need searches or 128-bit products, which the kernels do not have.
bool is_made_by_host(const EqualizeOptions& options) {
  return options.match != nullptr || options.formula.kind == EqualizeFormula::stretch;
}

/// The tables on the device: the tables of all channels, one after another, and a flag that is not 0 if any table
/// changes a level.
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

static_assert(static_cast<int>(EqualizeFormula::opencv) == 0 && static_cast<int>(EqualizeFormula::cdf) == 1 &&
              static_cast<int>(EqualizeFormula::pillow) == 2);

/// `formula` does not matter for tables of tiles.
ProgramRequest table_program(const Device& device, const Picture& picture, EqualizeFormula formula) {
  return {"table",
          pixel_macros({picture.format().sample, 1}, 4) + float64_macro(device),
          {{"FORMULA", static_cast<int>(formula)}}};
}

void build(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options,
           const DeviceTables& to) {
  const ProgramRequest program = table_program(*device, picture, options.formula.kind);
  device->fill(to.changes, 0, sizeof(std::uint32_t));
  const std::vector<Memory> counts = counts_of(device, picture, options);
  for (int t = 0; t < to.tables; ++t) {
    const auto index = static_cast<std::size_t>(t);
    const bool is_joined = counts.size() == 1;
    device->run(program, "make_table", {{device->group_items(), 1}, {device->group_items(), 1}},
                "making a look-up table", counts[is_joined ? 0 : index],
                static_cast<cl_uint>(is_joined ? index * to.levels : 0), static_cast<cl_uint>(to.levels), to.maps,
                static_cast<cl_uint>(index * to.levels), to.changes);
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

/// blended(in, to) for one difference d = to − in: in + add if `in` is below `first_of_next`, else in + add + 1. The
/// larger the sum of `in` and d · strength is, the more coarsely it is rounded. So there is at most one such step;
/// bisection finds it.
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

/// The values of MAP in kernels/equalize.cl.
enum class Map { each, luma, ycbcr, hsl };

Map map_of(const Picture& picture, EqualizeColor color) {
  if (picture.format().color_channels() == 1 || color == EqualizeColor::rgb || color == EqualizeColor::joint) {
    return Map::each;
  }
  return color == EqualizeColor::ycbcr ? Map::ycbcr : color == EqualizeColor::hsl ? Map::hsl : Map::luma;
}

/// `Options` are those of equalization or CLAHE.
template <class Options>
ProgramRequest map_program(const Device& device, const Picture& picture, const Options& options, int tables) {
  const PixelFormat format = picture.format();
  const int group = device.group_pixels(format.bytes_per_pixel());
  return {"equalize",
          pixel_macros(format, group) + staging_macro(device, format.bytes_per_pixel(), group) +
              (std::is_same_v<Options, ClaheOptions> ? " -D BY_TILES"
               : device.suits_cpu()                  ? " -D TABLE_COPIES=1"
                                                     : " -D TABLE_COPIES=8"),
          {{"MAP", static_cast<int>(map_of(picture, options.color))},
           choice_of(level_of(options.color, options.luma, format)),
           {"TABLES", tables},
           {"IS_MASKED", options.selection.mask != nullptr ? 1 : 0},
           {"IS_BLENDED", options.strength < 1.0 ? 1 : 0}}};
}

/// Number of work-groups for `pixels` pixels. On a GPU, each work-group handles up to eight units of `pixels_of_turn`
/// pixels, because it first has to copy the tables.
std::size_t map_groups(const Device& device, std::size_t pixels, std::size_t pixels_of_turn) {
  constexpr std::size_t kMaxTurns = 8;
  const std::size_t turns = (pixels + pixels_of_turn - 1) / pixels_of_turn;
  const std::size_t each = std::clamp<std::size_t>(turns / device.busy_groups(), 1, kMaxTurns);
  return device.suits_cpu() ? std::min(turns, device.busy_groups()) : (turns + each - 1) / each;
}

/// The BlendSteps of a strength, in device memory. For strength 1, which needs none, the memory holds one unused step.
Memory steps_on(const DevicePointer& device, const Picture& picture, double strength) {
  const bool is_blended = strength < 1.0;
  const std::vector<BlendStep> steps =
      is_blended ? blend_steps(strength, static_cast<std::int32_t>(picture.format().max_value()))
                 : std::vector<BlendStep>(1);
  Memory there(device, steps.size() * sizeof(BlendStep));
  if (is_blended) {
    device->upload(there, steps.data(), there.size_bytes());
  }
  return there;
}

Picture mapped(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options,
               const DeviceTables& tables) {
  Picture result = new_picture(device, picture.width(), picture.height(), picture.format());
  const auto group = static_cast<std::size_t>(device->group_pixels(picture.format().bytes_per_pixel()));
  const std::size_t groups = map_groups(*device, picture.pixel_count(), device->group_items() * group);
  device->run(map_program(*device, picture, options, tables.tables), "equalize",
              {{groups * device->group_items(), 1}, {device->group_items(), 1}}, "equalizing pixels",
              memory_of(picture), memory_of(result), cl_ulong{picture.pixel_count()}, tables.maps, tables.changes,
              memory_of(options.selection.mask != nullptr ? *options.selection.mask : picture),
              steps_on(device, picture, options.strength));
  return result;
}

// --- CLAHE ---

/// Number of tiles that are counted at a time, so that their counts take at most 64 MiB.
std::size_t tiles_at_once(std::size_t tiles, std::size_t counts_of_tile) {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  return std::clamp<std::size_t>(kMaxBytes / (counts_of_tile * sizeof(std::uint64_t)), 1, tiles);
}

/// The tables of all tiles; ordered by plane, row of tiles, tile.
Memory tile_tables(const DevicePointer& device, const Picture& picture, const ClaheOptions& options,
                   const TileGrid& grid) {
  const std::size_t planes = clahe_planes(picture.format(), options);
  const std::size_t levels = level_count(picture);
  const std::size_t bins = options.full_bins ? levels : std::min<std::size_t>(levels, kClaheBins);
  Memory maps(device, planes * grid.tiles() * levels * sizeof(std::uint16_t));
  if (options.tables != nullptr) {
    device->upload(maps, options.tables->maps.data(), maps.size_bytes());
    return maps;
  }
  const CountRequest request{planes == 3 ? Level::red : level_of(options.color, options.luma, picture.format()), bins,
                             planes == 3};
  const ProgramRequest program = table_program(*device, picture, EqualizeFormula::opencv);
  const std::size_t most = tiles_at_once(grid.tiles(), planes * bins);
  for (std::size_t first = 0; first < grid.tiles(); first += most) {
    const std::size_t count = std::min(most, grid.tiles() - first);
    const Memory counts = count_tiles(device, picture, options.selection, request, {grid, first, count});
    device->run(program, "make_tile_table", {{count * planes * device->group_items(), 1}, {device->group_items(), 1}},
                "making look-up tables", counts, static_cast<cl_uint>(bins), std::bit_cast<cl_ulong>(options.clip),
                maps, static_cast<cl_uint>(first), static_cast<cl_uint>(planes), cl_ulong{grid.tiles()});
  }
  return maps;
}

}  // namespace

LevelCounts table_counts(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options) {
  LevelCounts result;
  const std::size_t levels = level_count(picture);
  const std::vector<Memory> counts = counts_of(device, picture, options);
  const std::size_t tables = static_cast<std::size_t>(table_count(picture, options)) / counts.size();
  for (const Memory& each : counts) {
    std::vector<std::uint64_t> all(tables * levels);
    device->download(all.data(), each, all.size() * sizeof(std::uint64_t));
    for (auto from = all.begin(); from != all.end(); from += static_cast<std::ptrdiff_t>(levels)) {
      result.emplace_back(from, from + static_cast<std::ptrdiff_t>(levels));
    }
  }
  return result;
}

Picture equalize(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options,
                 LevelTables* used) {
  const DeviceTables tables(device, picture, options);
  LevelTables of_host;
  const LevelTables* given = options.tables;
  if (given == nullptr && is_made_by_host(options)) {
    of_host = level_tables(options, table_counts(device, picture, options));
    given = &of_host;
  }
  if (given != nullptr) {
    upload(*device, *given, tables);
  } else {
    build(device, picture, options, tables);
  }
  Picture result = mapped(device, picture, options, tables);
  if (used != nullptr) {
    *used = given != nullptr ? *given : downloaded(*device, tables);
  }
  return result;
}

Picture apply(const DevicePointer& device, const Picture& picture, const ClaheOptions& options) {
  const TileGrid grid = options.tables != nullptr
                            ? options.tables->grid
                            : tile_grid(picture.width(), picture.height(), options.tiles_x, options.tiles_y);
  const cl_int first_row = options.tables != nullptr ? options.tables->first_row : 0;
  const Memory maps = tile_tables(device, picture, options, grid);
  Picture result = new_picture(device, picture.width(), picture.height(), picture.format());
  const auto group = static_cast<std::size_t>(device->group_pixels(picture.format().bytes_per_pixel()));
  const std::size_t groups = map_groups(*device, picture.pixel_count(), device->group_items() * group);
  const auto planes = static_cast<int>(clahe_planes(picture.format(), options));
  device->run(map_program(*device, picture, options, planes), "equalize_by_tiles",
              {{groups * device->group_items(), 1}, {device->group_items(), 1}}, "equalizing tiles", memory_of(picture),
              memory_of(result), cl_ulong{picture.pixel_count()}, maps,
              memory_of(options.selection.mask != nullptr ? *options.selection.mask : picture),
              steps_on(device, picture, options.strength), static_cast<cl_uint>(picture.width()), first_row,
              cl_int2{{grid.tiles_x, grid.tiles_y}},
              cl_float2{{1.0F / static_cast<float>(grid.tile_width), 1.0F / static_cast<float>(grid.tile_height)}});
  return result;
}

}  // namespace gpuimg::opencl
