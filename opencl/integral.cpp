// The integral operation on the device: computes the sums left of and above each tile, then the table. See
// kernels/integral.cl for the method. Specified in docs/operations.md, "Integral image".
#include <cstdint>
#include <string>

#include "count_levels.hpp"
#include "operations.hpp"

namespace gpuimg::opencl {
namespace {

// As in kernels/integral.cl.
constexpr std::size_t kTileItems = 64;
constexpr std::size_t kTileColumns = 256;
constexpr std::size_t kTileRows = 64;

constexpr std::size_t kScanColumns = 32;  // as in kernels/scan.cl

/// An uninitialized table. In wide tables, the entry of pixel 0 starts at a cache line in every row.
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

/// The value of ENTRY in kernels/integral.cl.
int entry_of(Sample type) {
  switch (type) {
    case Sample::u32: return 0;
    case Sample::u64: return 1;
    case Sample::f32: return 2;
    default: return 3;
  }
}

/// True if 32-bit sums suffice: no sum exceeds 32 bits, or the table wraps at 32 bits anyway.
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
  const cl_ulong above_columns = width + tiles;  // column sums, followed by the sums of whole tiles
  const Memory left(device, tiles * height * sum_bytes);
  const Memory above(device, bands * above_columns * sum_bytes);
  const std::string sum = is_narrow ? " -D SUM=uint -D SUM4=uint4" : " -D SUM=ulong -D SUM4=ulong4";
  const ProgramRequest scan{"scan", pixel_macros({Sample::u8, 1}, 4) + sum};
  const ProgramRequest program{"integral",
                               pixel_macros(picture.format(), 4) + sum,
                               {choice_of(level_of(options.channel, options.luma, picture.format())),
                                {"IS_SQUARE", options.square ? 1 : 0},
                                {"ENTRY", entry_of(type)}}};
  const Grid tile_grid{{tiles * kTileItems, bands}, {kTileItems, 1}};
  const auto scan_columns = [&](const Memory& numbers, cl_ulong columns, cl_ulong length) {
    const std::size_t groups = (columns + kScanColumns - 1) / kScanColumns;
    const std::size_t items = device->group_items();
    device->run(scan, "scan_columns", {{groups * items, 1}, {items, 1}}, "scanning sums", numbers, columns, length);
  };
  device->run(program, "tile_sums", tile_grid, "summing tiles", memory_of(picture), width, height, left, above);
  scan_columns(left, height, tiles);
  scan_columns(above, above_columns, bands);
  const std::size_t entry = sample_bytes(type);
  const std::size_t pitch = storage_of(table).pitch_bytes() / entry;
  const std::size_t origin = storage_of(table).first_byte() / entry + (is_padded ? pitch + 1 : 0);
  device->run(program, "fill_table", tile_grid, "filling the table", memory_of(picture), width, height, left, above,
              memory_of(table), cl_ulong{origin}, cl_ulong{pitch}, cl_uint{is_padded});
  return table;
}

}  // namespace gpuimg::opencl
