// Configures and runs libjpeg-turbo. Strictness: docs/operations.md, "Files".
#include "codecs/jpeg/jpeg_rows.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "codecs/cmyk.hpp"
#include "codecs/refusals.hpp"

namespace gpuimg::codecs {

namespace {

/// Progressive files keep all coefficients in memory: two bytes per sample, sides rounded up to whole blocks.
long memory_cap(const JpegHeader& header) {
  constexpr std::uint64_t kBase = std::uint64_t{64} << 20;
  constexpr std::uint64_t kRounding = 64;
  return static_cast<long>(kBase + 2 * (header.width + kRounding) * (header.height + kRounding) * header.components);
}

void read_rows(jpeg_decompress_struct& info, JDIMENSION end, const View& pixels, int first) {
  constexpr JDIMENSION kBatch = 16;
  std::array<JSAMPROW, kBatch> rows{};
  while (info.output_scanline < end) {
    const JDIMENSION count = std::min(kBatch, end - info.output_scanline);
    for (JDIMENSION i = 0; i < count; ++i) {
      rows[i] = reinterpret_cast<JSAMPROW>(pixels.row_bytes(static_cast<int>(info.output_scanline + i) - first));
    }
    jpeg_read_scanlines(&info, rows.data(), count);
  }
}

/// `row` holds one row of CMYK.
void read_cmyk_rows(jpeg_decompress_struct& info, JDIMENSION end, const View& pixels, int first, std::uint8_t* row) {
  while (info.output_scanline < end) {
    auto* const to = pixels.row<std::uint8_t>(static_cast<int>(info.output_scanline) - first);
    jpeg_read_scanlines(&info, &row, 1);
    cmyk_to_rgb<std::uint8_t>(row, to, info.output_width);
  }
}

}  // namespace

void set_jpeg_output(jpeg_decompress_struct& info, const JpegHeader& header) {
  info.mem->max_memory_to_use = memory_cap(header);
  info.out_color_space = header.components == 4 ? JCS_CMYK : header.components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  info.dct_method = JDCT_ISLOW;
}

void check_jpeg_output(const jpeg_decompress_struct& info, const JpegFile& file) {
  if (info.output_width != file.header.width || info.output_height != file.header.height ||
      info.output_components != static_cast<int>(file.header.components)) {
    refuse_damaged(file.name, "it declares its size twice, and differently");
  }
}

void read_jpeg_rows(jpeg_decompress_struct& info, int end, const View& pixels, int first, std::uint8_t* cmyk_row) {
  if (info.out_color_space == JCS_CMYK) {
    read_cmyk_rows(info, static_cast<JDIMENSION>(end), pixels, first, cmyk_row);
  } else {
    read_rows(info, static_cast<JDIMENSION>(end), pixels, first);
  }
}

JpegRows::JpegRows(const JpegFile& file, bool lenient)
    : source_(file.stored != nullptr ? std::make_unique<JpegFileSource>(*file.stored) : nullptr),
      session_(file.name, lenient) {
  jpeg_decompress_struct& info = session_.info();
  session_.guarded([&] {
    source_ != nullptr ? session_.open(*source_) : session_.open(file.bytes);
    jpeg_read_header(&info, TRUE);
    set_jpeg_output(info, file.header);
    jpeg_start_decompress(&info);
  });
  check_jpeg_output(info, file);
  if (file.is_cmyk()) {
    cmyk_row_.resize(std::size_t{file.header.width} * file.header.components);
  }
}

void JpegRows::read_to(int end, const View& pixels, int first) {
  jpeg_decompress_struct& info = session_.info();
  session_.guarded([&] { read_jpeg_rows(info, end, pixels, first, cmyk_row_.data()); });
}

void JpegRows::finish() {
  session_.guarded([&] { jpeg_finish_decompress(&session_.info()); });
}

bool JpegRows::is_sequential() {
  jpeg_decompress_struct& info = session_.info();
  return info.arith_code == FALSE && info.progressive_mode == FALSE && jpeg_has_multiple_scans(&info) == FALSE;
}

std::size_t JpegRows::coefficient_bytes() {
  const jpeg_decompress_struct& info = session_.info();
  std::size_t blocks = 0;
  for (const jpeg_component_info& of : std::span(info.comp_info, static_cast<std::size_t>(info.num_components))) {
    blocks += std::size_t{of.width_in_blocks} * static_cast<std::size_t>(of.v_samp_factor);
  }
  return blocks * sizeof(JBLOCK);
}

std::optional<JpegEncoding> jpeg_encoding_of(const jpeg_decompress_struct& info) {
  if (info.jpeg_color_space != JCS_GRAYSCALE && info.jpeg_color_space != JCS_YCbCr) {
    return std::nullopt;
  }
  JpegEncoding encoding;
  for (const jpeg_component_info& from : std::span(info.comp_info, static_cast<std::size_t>(info.num_components))) {
    if (from.quant_table == nullptr) {  // a damaged file, read leniently: the component is in no scan
      return std::nullopt;
    }
    JpegComponent& component = encoding.emplace_back();
    component.horizontal_sampling = from.h_samp_factor;
    component.vertical_sampling = from.v_samp_factor;
    std::copy_n(from.quant_table->quantval, component.steps.size(), component.steps.begin());
  }
  return is_writable_sampling(encoding) ? std::optional(std::move(encoding)) : std::nullopt;
}

}  // namespace gpuimg::codecs
