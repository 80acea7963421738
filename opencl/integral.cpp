// The integral operation on the device: what lies left of and above each tile, then the table; kernels/integral.cl says
// how. Specified in docs/operations.md, "Integral image".
#include <algorithm>
#include <cstdint>
#include <string>

#include "count_levels.hpp"
#include "device/opencl_picture.hpp"

namespace gpuimg::opencl {
namespace {

// As in kernels/integral.cl.
constexpr std::size_t kTileItems = 64;
constexpr std::size_t kTileColumns = 256;
constexpr std::size_t kTileRows = 32;

/// An uninitialized table. The entry of pixel 0 starts at a cache line in every row of wide tables.
SumTable new_table(const DevicePointer& device, int width, int height, Sample type, bool padded) {
  constexpr std::size_t kLineBytes = 128;
  constexpr std::size_t kWideRowBytes = 2048;
  const std::size_t entry = sample_bytes(type);
  const std::size_t tight = static_cast<std::size_t>(width) * entry;
  const std::size_t unit = tight >= kWideRowBytes ? kLineBytes : entry;
  const std::size_t before = padded ? unit : 0;
  const std::size_t pitch = before + (tight - (padded ? entry : 0) + unit - 1) / unit * unit;
  Memory memory(device, pitch * static_cast<std::size_t>(height));
  return {
      width, height, {type, 1}, std::make_unique<OpenclPixels>(std::move(memory), pitch, padded ? unit - entry : 0)};
}

std::string name_of(Sample type) {
  switch (type) {
    case Sample::u32: return "u32";
    case Sample::u64: return "u64";
    case Sample::f32: return "f32";
    default: return "f64";
  }
}

/// 32 bits suffice if no sum exceeds them, or if the table wraps there anyway.
bool sums_are_narrow(const Picture& picture, const IntegralOptions& options, Sample type) {
  return type == Sample::u32 ||
         largest_sum(picture.width(), picture.height(), picture.format().max_value(), options.square) <= UINT32_MAX;
}

}  // namespace

Picture apply(const DevicePointer& device, const Picture& picture, const IntegralOptions& options) {
  const Sample type = table_sample(picture.width(), picture.height(), picture.format(), options);
  const bool is_narrow = sums_are_narrow(picture, options, type);
  const bool is_padded = options.layout == TableLayout::padded;
  SumTable table = new_table(device, table_width(picture.width(), options.layout),
                             table_height(picture.height(), options.layout), type, is_padded);
  const cl_ulong width = static_cast<cl_ulong>(picture.width());
  const cl_ulong height = static_cast<cl_ulong>(picture.height());
  const cl_ulong tiles = (width + kTileColumns - 1) / kTileColumns;
  const cl_ulong bands = (height + kTileRows - 1) / kTileRows;
  const std::size_t sum_bytes = is_narrow ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
  const Memory left(device, height * tiles * sum_bytes);
  const Memory above(device, bands * width * sum_bytes);
  const std::string sum = is_narrow ? " -D SUM=uint" : " -D SUM=ulong";
  const std::string of_pixels = pixel_macros(picture.format(), 4) + sum +
                                " -D LEVEL=" + level_of(options.channel, options.luma, picture.format()) +
                                (options.square ? " -D SQUARE" : "");
  const ProgramKey summing{"integral", of_pixels + " -D TILE_SUMS"};
  const ProgramKey scanning{"integral", pixel_macros({Sample::u8, 1}, 4) + sum + " -D SCAN_LINES"};
  const ProgramKey filling{"integral", of_pixels + " -D FILL_TABLE -D ENTRY_" + name_of(type)};
  const Grid tile_grid{{tiles * kTileItems, bands}, {kTileItems, 1}};
  const auto scan = [&](const Memory& numbers, cl_ulong lines, cl_ulong line_step, cl_ulong length, cl_ulong step,
                        bool is_exclusive) {
    const std::size_t groups = std::min<std::size_t>(lines, 8 * device->busy_groups());
    device->run(scanning, "scan_lines", {{groups * kTileItems, 1}, {kTileItems, 1}}, "scanning sums", numbers, lines,
                line_step, length, step, cl_uint{is_exclusive});
  };
  device->run(summing, "tile_sums", tile_grid, "summing tiles", memory_of(picture), width, height, left, above);
  scan(left, height, tiles, tiles, 1, true);   // in each row, what is left of each tile
  scan(left, tiles, 1, height, tiles, false);  // and that of all rows down to this one
  scan(above, width, 1, bands, width, true);   // in each column, what is above each band
  const std::size_t entry = sample_bytes(type);
  const std::size_t pitch = storage_of(table).pitch_bytes() / entry;
  const std::size_t first = storage_of(table).first_byte() / entry + (is_padded ? pitch + 1 : 0);
  device->run(filling, "fill_table", tile_grid, "filling the table", memory_of(picture), width, height, left, above,
              memory_of(table), cl_ulong{first}, cl_ulong{pitch}, cl_uint{is_padded});
  return table;
}

}  // namespace gpuimg::opencl
