// JPEG to pixels, straight into the rows of the Image. How strictly: docs/operations.md, "Files".
#include "files/jpeg_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "files/cmyk.hpp"
#include "files/jpeg_header.hpp"
#include "files/jpeg_metadata.hpp"
#include "files/jpeg_session.hpp"
#include "files/refusals.hpp"

namespace gpuimg {

namespace {

constexpr std::uint32_t kInks = 4;

/// Progressive files keep all coefficients in memory: two bytes for each sample, sides rounded up to whole blocks.
long memory_cap(const JpegHeader& header) {
  constexpr std::uint64_t kBase = std::uint64_t{64} << 20;
  constexpr std::uint64_t kRounding = 64;
  return static_cast<long>(kBase + 2 * (header.width + kRounding) * (header.height + kRounding) * header.components);
}

void check_kind(const JpegHeader& header, const ReadOptions& options, const std::string& name) {
  check_size(name, header.width, header.height, options.max_pixels);
  if (header.width > JPEG_MAX_DIMENSION || header.height > JPEG_MAX_DIMENSION) {
    refuse_unsupported(name, fmt::format("JPEG of more than {} pixels a side", JPEG_MAX_DIMENSION));
  }
  if (header.components != 1 && header.components != 3 && header.components != kInks) {
    refuse_unsupported(name, fmt::format("JPEG of {} channels", header.components));
  }
}

void read_rows(jpeg_decompress_struct& info, const View& pixels) {
  constexpr JDIMENSION kBatch = 16;
  std::array<JSAMPROW, kBatch> rows{};
  while (info.output_scanline < info.output_height) {
    const JDIMENSION count = std::min(kBatch, info.output_height - info.output_scanline);
    for (JDIMENSION i = 0; i < count; ++i) {
      rows[i] = reinterpret_cast<JSAMPROW>(pixels.row_bytes(static_cast<int>(info.output_scanline + i)));
    }
    jpeg_read_scanlines(&info, rows.data(), count);
  }
}

/// `row` has room for one row of CMYK.
void read_cmyk_rows(jpeg_decompress_struct& info, const View& pixels, std::uint8_t* row) {
  while (info.output_scanline < info.output_height) {
    auto* const to = pixels.row<std::uint8_t>(static_cast<int>(info.output_scanline));
    jpeg_read_scanlines(&info, &row, 1);
    cmyk_to_rgb(row, to, info.output_width, info.saw_Adobe_marker == FALSE);
  }
}

Image read_pixels(JpegSession& session, ByteSpan bytes, const JpegHeader& header, const std::string& name,
                  const ReadOptions& options) {
  jpeg_decompress_struct& info = session.info();
  const bool is_cmyk = header.components == kInks;
  session.guarded([&] {
    session.open(bytes);
    info.mem->max_memory_to_use = memory_cap(header);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = is_cmyk ? JCS_CMYK : header.components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    info.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&info);
  });
  if (info.output_width != header.width || info.output_height != header.height ||
      info.output_components != static_cast<int>(header.components)) {
    refuse_damaged(name, "it declares its size twice, and differently");
  }
  Image image = options.image(static_cast<int>(header.width), static_cast<int>(header.height),
                              {Sample::u8, is_cmyk ? 3 : static_cast<int>(header.components)});
  const View pixels = image.view();
  std::vector<std::uint8_t> inks(is_cmyk ? std::size_t{header.width} * kInks : 0);
  session.guarded([&] {
    is_cmyk ? read_cmyk_rows(info, pixels, inks.data()) : read_rows(info, pixels);
    jpeg_finish_decompress(&info);
  });
  return image;
}

}  // namespace

DecodedImage read_jpeg(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options) {
  const JpegHeader header = read_jpeg_header(bytes, name);
  check_kind(header, options, name);
  DecodedImage decoded;
  decoded.file_type = "JPEG";
  JpegSession session(name, options.lenient);
  decoded.image = read_pixels(session, bytes, header, name, options);
  decoded.notes = session.warnings();
  if (header.components == kInks) {
    decoded.notes.emplace_back("CMYK is converted to RGB without color management");
  }
  decoded.metadata = read_jpeg_metadata(header, decoded.details);
  return decoded;
}

}  // namespace gpuimg
