// The equalize operation on the device: uploads or builds the tables, and chooses the kernels that map the pixels.
// Specified in docs/operations.md, "Equalization".
#include <algorithm>

#include "count/count_levels.cuh"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "map/equalize_map.cuh"
#include "ops/equalize.hpp"
#include "ops/luma.hpp"

namespace gpuimg::cuda {
namespace {

/// Look-up tables in device memory.
struct DeviceTables {
  int tables = 1;
  std::size_t levels = 256;
  DeviceMemory maps;
  DeviceMemory changes;

  DeviceTables(const Workspace& workspace, int how_many, std::size_t how_many_levels)
      : tables(how_many),
        levels(how_many_levels),
        maps(workspace.device(), static_cast<std::size_t>(how_many) * how_many_levels * sizeof(std::uint16_t)),
        changes(workspace.device(), sizeof(std::uint32_t)) {}

  [[nodiscard]] std::uint16_t* map(int table) const {
    return maps.as<std::uint16_t>() + static_cast<std::size_t>(table) * levels;
  }
};

void upload(Workspace& workspace, const LevelTables& from, const DeviceTables& to) {
  const bool changed = !std::all_of(from.maps.begin(), from.maps.end(), is_identity);
  const std::size_t table_bytes = to.levels * sizeof(std::uint16_t);
  for (int t = 0; t < to.tables; ++t) {
    cuda_check(cudaMemcpyAsync(to.map(t), from.maps[static_cast<std::size_t>(t)].data(), table_bytes,
                               cudaMemcpyHostToDevice, workspace.stream()),
               "uploading a look-up table");
  }
  cuda_check(cudaMemsetAsync(to.changes.data(), changed ? 1 : 0, sizeof(std::uint32_t), workspace.stream()),
             "uploading a look-up table");
}

/// Counts the picture's levels for each table, writes `tables` × `levels` counts, and builds table t as target(t)
/// specifies.
template <class Target>
void count(Workspace& workspace, const Picture& picture, const EqualizeOptions& options, int tables, std::size_t levels,
           std::uint64_t* counts, const Target& target) {
  const CountedPixels counted = counted_pixels(picture, options.selection);
  if (tables == 1) {
    const LevelSource source = picture.format().color_channels() == 1
                                   ? source_of(Channel::luma, options.luma, picture.format(), 0)
                                   : source_of(options.color, options.luma, picture.format());
    count_levels(workspace, counted, source, counts, target(0));
  } else if (can_count_rgb8(workspace, counted)) {
    count_rgb8(workspace, counted, counts, target(0));
  } else {
    constexpr Channel kColors[] = {Channel::red, Channel::green, Channel::blue};
    for (int t = 0; t < 3; ++t) {
      count_levels(workspace, counted, source_of(kColors[t], options.luma, picture.format(), 0),
                   counts + static_cast<std::size_t>(t) * levels, target(t));
    }
  }
}

int table_count(const Picture& picture, const EqualizeOptions& options) {
  return options.color == EqualizeColor::rgb && picture.format().color_channels() == 3 ? 3 : 1;
}

/// Builds the tables from the picture's own histograms.
void build(Workspace& workspace, const Picture& picture, const EqualizeOptions& options, const DeviceTables& to) {
  const DeviceMemory counts(workspace.device(),
                            static_cast<std::size_t>(to.tables) * to.levels * sizeof(std::uint64_t));
  count(workspace, picture, options, to.tables, to.levels, counts.as<std::uint64_t>(), [&](int table) {
    return TableTarget{options.formula, to.map(table), to.changes.as<std::uint32_t>()};
  });
}

LevelTables downloaded(const Workspace& workspace, const DeviceTables& tables) {
  LevelTables result;
  for (int t = 0; t < tables.tables; ++t) {
    auto& map = result.maps.emplace_back(tables.levels);
    cuda_check(cudaMemcpyAsync(map.data(), tables.map(t), tables.levels * sizeof(std::uint16_t), cudaMemcpyDeviceToHost,
                               workspace.stream()),
               "downloading a look-up table");
  }
  workspace.device()->wait();
  return result;
}

/// True if one fused launch supports these options and is faster for an image of this size.
bool can_fuse(const Workspace& workspace, const Picture& picture, const EqualizeOptions& options) {
  constexpr std::size_t kMaxFusedPixels = std::size_t{1} << 23;
  const bool is_gray = picture.format() == PixelFormat{Sample::u8, 1};
  const bool is_color = picture.format() == PixelFormat{Sample::u8, 3} && options.color == EqualizeColor::luma &&
                        can_fuse_color(workspace);
  return (is_gray || is_color) && picture.pixel_count() <= kMaxFusedPixels && options.tables == nullptr &&
         options.match == nullptr && options.strength == 1.0 && options.selection.mask == nullptr &&
         !options.selection.region;
}

MapRequest request_of(const Picture& picture, const EqualizeOptions& options, const DeviceTables& tables) {
  const bool by_channel = picture.format().color_channels() == 1 || options.color == EqualizeColor::rgb ||
                          options.color == EqualizeColor::joint;
  MapRequest request;
  request.color = options.color;
  request.luma = options.luma;
  request.maps = tables.map(0);
  request.tables = tables.tables;
  request.changes = by_channel ? nullptr : tables.changes.as<std::uint32_t>();
  request.strength = options.strength;
  if (options.selection.mask != nullptr) {
    request.mask = reinterpret_cast<const std::uint8_t*>(pixels_of(*options.selection.mask));
  }
  return request;
}

/// True if the device has enough shared memory for map_pixels<Operation>(), which uses no static shared memory.
template <class Operation>
bool fits(const Workspace& workspace) {
  return kMapSharedBytes<Operation> <= workspace.device()->shared_bytes_per_block();
}

/// Maps the pixels with the fastest operation that supports the request.
void launch_map_8(Workspace& workspace, const Picture& from, const Picture& to, const MapRequest& request) {
  const auto launch = [&](const auto& operation) {
    launch_map(workspace, pixels_of(from), pixels_of(to), from.pixel_count(), operation, "mapping levels");
  };
  with_channels(from.format().channels, [&]<int kChannels>() {
    const bool by_channel =
        kChannels < 3 || request.color == EqualizeColor::rgb || request.color == EqualizeColor::joint;
    const bool is_plain = request.strength == 1.0 && request.mask == nullptr;
    if (is_plain && by_channel && fits<MapEach8<kChannels>>(workspace)) {
      launch(MapEach8<kChannels>(request));
      return;
    }
    if constexpr (kChannels >= 3) {
      if (is_plain && request.color == EqualizeColor::luma && fits<MapLuma8<kChannels, kDefaultLuma>>(workspace)) {
        with_luma_kind(request.luma, [&]<Luma kind>() { launch(MapLuma8<kChannels, kind>(request)); });
        return;
      }
    }
    launch(MapAny<std::uint8_t, kChannels>(request));
  });
}

void launch_map_16(Workspace& workspace, const Picture& from, const Picture& to, const MapRequest& request) {
  constexpr std::size_t kMinPixelsForSharedTable = std::size_t{1} << 22;
  with_channels(from.format().channels, [&]<int kChannels>() {
    const bool one_table_by_channel = kChannels < 3 || request.color == EqualizeColor::joint;
    const bool is_plain = request.strength == 1.0 && request.mask == nullptr;
    if (is_plain && one_table_by_channel && fits<MapEach16<kChannels>>(workspace) &&
        from.pixel_count() >= kMinPixelsForSharedTable) {
      launch_map(workspace, pixels_of(from), pixels_of(to), from.pixel_count(), MapEach16<kChannels>(request),
                 "mapping 16-bit levels");
    } else {
      launch_map(workspace, pixels_of(from), pixels_of(to), from.pixel_count(),
                 MapAny<std::uint16_t, kChannels>(request), "mapping 16-bit levels");
    }
  });
}

}  // namespace

LevelCounts table_counts(Workspace& workspace, const Picture& picture, const EqualizeOptions& options) {
  const int tables = table_count(picture, options);
  const std::size_t levels = picture.format().max_value() + std::size_t{1};
  const std::size_t bytes = static_cast<std::size_t>(tables) * levels * sizeof(std::uint64_t);
  const DeviceMemory counts(workspace.device(), bytes);
  count(workspace, picture, options, tables, levels, counts.as<std::uint64_t>(), [](int) { return TableTarget{}; });
  const auto* on_host = workspace.results(bytes).as<std::uint64_t>();
  cuda_check(cudaMemcpyAsync(workspace.results(bytes).as<void>(), counts.data(), bytes, cudaMemcpyDeviceToHost,
                             workspace.stream()),
             "downloading counts");
  workspace.device()->wait();
  LevelCounts result;
  for (int t = 0; t < tables; ++t, on_host += levels) {
    result.emplace_back(on_host, on_host + levels);
  }
  return result;
}

Picture equalize(Workspace& workspace, const Picture& picture, const EqualizeOptions& options, LevelTables* used) {
  const PixelFormat format = picture.format();
  LevelTables matched;
  if (options.match != nullptr) {  // the host builds this table, because it needs 128-bit products
    matched = level_tables(options, table_counts(workspace, picture, options));
  }
  const LevelTables* given = options.match != nullptr ? &matched : options.tables;
  const DeviceTables tables(workspace, table_count(picture, options), format.max_value() + std::size_t{1});
  Picture result = new_picture(workspace.device(), picture.width(), picture.height(), format);
  if (can_fuse(workspace, picture, options)) {
    if (format.channels == 1) {
      fused_equalize_gray(workspace, picture, result, options.formula, tables.map(0));
    } else {
      fused_equalize_color(workspace, picture, result, options.formula, options.luma, tables.map(0));
    }
  } else {
    if (given != nullptr) {
      upload(workspace, *given, tables);
    } else {
      build(workspace, picture, options, tables);
    }
    if (format.sample == Sample::u8) {
      launch_map_8(workspace, picture, result, request_of(picture, options, tables));
    } else {
      launch_map_16(workspace, picture, result, request_of(picture, options, tables));
    }
  }
  if (used != nullptr) {
    *used = given != nullptr ? *given : downloaded(workspace, tables);
  }
  return result;
}

}  // namespace gpuimg::cuda
