// Lets libjpeg set its tables and write its header, but no pixels.
#include "codecs/jpeg/jpeg_scan_format.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "codecs/jpeg/jpeg_encoder.hpp"

namespace gpuimg::codecs {
namespace {

/// Returns false if libjpeg failed. Holds no object with a destructor: longjmp would skip it.
bool set_tables(JpegEncoder& encoder, int width, int height, int channels, const JpegContent& content) {
  set_up_errors(encoder);
  if (setjmp(encoder.escape) != 0) {
    return false;
  }
  prepare(encoder, width, height, channels, content);
  return true;
}

/// The same. Without pixels, jpeg_write_scanlines writes the headers of frame and scan and nothing else.
bool write_header(JpegEncoder& encoder, int width, int height, int channels, const JpegContent& content) {
  set_up_errors(encoder);
  if (setjmp(encoder.escape) != 0) {
    return false;
  }
  prepare(encoder, width, height, channels, content);
  begin_file(encoder, content);
  jpeg_write_scanlines(&encoder.info, nullptr, 0);
  flush(encoder);
  return true;
}

bool is_usual(const jpeg_compress_struct& info) {
  const bool is_sequential = info.scan_info == nullptr && info.arith_code == FALSE && info.optimize_coding == FALSE;
  const bool is_plain = info.restart_interval == 0 && info.restart_in_rows == 0 && info.smoothing_factor == 0 &&
                        info.data_precision == 8 && info.dct_method == JDCT_ISLOW;
  const jpeg_component_info* const parts = info.comp_info;
  const bool has_usual_sampling =
      info.num_components == 1 ||
      (info.num_components == 3 && parts[0].h_samp_factor <= 2 && parts[0].v_samp_factor <= 2 &&
       std::all_of(parts + 1, parts + 3,
                   [](const auto& chroma) { return chroma.h_samp_factor == 1 && chroma.v_samp_factor == 1; }));
  return is_sequential && is_plain && has_usual_sampling;
}

JpegHuffmanTable table_of(const JHUFF_TBL& from) {
  JpegHuffmanTable table;
  std::copy_n(from.bits + 1, table.codes_of_length.size(), table.codes_of_length.begin());
  std::copy_n(from.huffval, table.symbols.size(), table.symbols.begin());
  return table;
}

/// nullopt if a table is missing or not baseline's.
std::optional<JpegScanFormat> format_of(const jpeg_compress_struct& info) {
  JpegScanFormat format;
  format.component_count = info.num_components;
  if (info.num_components > 1) {  // a single component's blocks are in rows, whatever its sampling
    format.horizontal_sampling = info.comp_info[0].h_samp_factor;
    format.vertical_sampling = info.comp_info[0].v_samp_factor;
  }
  for (std::size_t i = 0; i < format.dc_tables.size(); ++i) {
    if (info.dc_huff_tbl_ptrs[i] == nullptr || info.ac_huff_tbl_ptrs[i] == nullptr) {
      return std::nullopt;
    }
    format.dc_tables[i] = table_of(*info.dc_huff_tbl_ptrs[i]);
    format.ac_tables[i] = table_of(*info.ac_huff_tbl_ptrs[i]);
  }
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& from = info.comp_info[i];
    const JQUANT_TBL* const steps = info.quant_tbl_ptrs[from.quant_tbl_no];
    if (steps == nullptr || from.dc_tbl_no > 1 || from.ac_tbl_no > 1) {
      return std::nullopt;
    }
    EncodedJpegComponent& component = format.components.at(static_cast<std::size_t>(i));
    std::copy_n(steps->quantval, component.steps.size(), component.steps.begin());
    component.dc_table = from.dc_tbl_no;
    component.ac_table = from.ac_tbl_no;
  }
  return format;
}

}  // namespace

std::optional<Encoding> jpeg_scan_format(int width, int height, PixelFormat format, const WriteOptions& options) {
  const JpegContent content = jpeg_content(format.channels, options);
  const auto encoder = std::make_unique<JpegEncoder>();
  if (!set_tables(*encoder, width, height, format.channels, content)) {
    return std::nullopt;
  }
  return is_usual(encoder->info) ? std::optional<Encoding>(format_of(encoder->info)) : std::nullopt;
}

void write_encoded_jpeg(const Encoded& scan, int width, int height, PixelFormat format, const std::string& name,
                        const WriteOptions& options, const ByteSink& sink) {
  constexpr std::array<std::byte, 2> kEndOfImage = {std::byte{0xFF}, std::byte{0xD9}};
  const JpegContent content = jpeg_content(format.channels, options);
  const auto encoder = std::make_unique<JpegEncoder>();
  encoder->sink = &sink;
  check_encoded(*encoder, write_header(*encoder, width, height, format.channels, content), name);
  sink(scan.span());
  sink(kEndOfImage);
}

}  // namespace gpuimg::codecs
