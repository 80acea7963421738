// Replaces libjpeg's coefficient arrays by replacing methods of its memory manager (jpeglib.h, jpeg_memory_mgr). The
// arrays have the same sizes as libjpeg's: they include whole MCUs that extend beyond the edges of the image.
#include "codecs/jpeg/jpeg_coefficients.hpp"

#include <jerror.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

#include "codecs/rejections.hpp"

namespace gpuimg::codecs::jpeg {
namespace {

std::span<const jpeg_component_info> components_of(const jpeg_decompress_struct& info) {
  return {info.comp_info, static_cast<std::size_t>(info.num_components)};
}

std::size_t rounded_up(JDIMENSION count, int factor) {
  const auto step = static_cast<std::size_t>(factor);
  return (count + step - 1) / step * step;
}

bool is_gray(const jpeg_decompress_struct& info) { return info.num_components == 1; }

/// In an image with a single component, an MCU is one block, whatever the sampling factors.
std::size_t blocks_per_row_of(const jpeg_decompress_struct& info, const jpeg_component_info& of) {
  return is_gray(info) ? of.width_in_blocks : rounded_up(of.width_in_blocks, of.h_samp_factor);
}

std::size_t blocks_in(const jpeg_decompress_struct& info, const jpeg_component_info& of, int mcu_rows) {
  return static_cast<std::size_t>(mcu_rows) * static_cast<std::size_t>(of.v_samp_factor) * blocks_per_row_of(info, of);
}

[[noreturn]] void fail(j_common_ptr info, int code) {
  info->err->msg_code = code;
  info->err->error_exit(info);
  std::abort();  // error_exit does not return
}

/// Sets the quantization tables of all components; libjpeg has set only the tables of components in the first scan.
void set_all_steps(jpeg_decompress_struct& info) {
  for (jpeg_component_info& of : std::span(info.comp_info, static_cast<std::size_t>(info.num_components))) {
    const bool exists = of.quant_tbl_no >= 0 && of.quant_tbl_no < NUM_QUANT_TBLS;
    of.quant_table = exists ? info.quant_tbl_ptrs[of.quant_tbl_no] : nullptr;
    if (of.quant_table == nullptr) {
      fail(reinterpret_cast<j_common_ptr>(&info), JERR_NO_QUANT_TABLE);
    }
  }
}

/// Makes libjpeg treat `mcu_rows` MCU rows, starting with MCU row `top`, as the whole image. info.image_height must
/// still have its value from the header.
void keep_rows(jpeg_decompress_struct& info, JDIMENSION top, JDIMENSION mcu_rows) {
  const auto rows_per_mcu = static_cast<JDIMENSION>(DCTSIZE * info.max_v_samp_factor);
  info.image_height = std::min(info.image_height - top * rows_per_mcu, mcu_rows * rows_per_mcu);
  info.total_iMCU_rows = mcu_rows;
  for (jpeg_component_info& of : std::span(info.comp_info, static_cast<std::size_t>(info.num_components))) {
    const JDIMENSION scaled = info.image_height * static_cast<JDIMENSION>(of.v_samp_factor);
    of.height_in_blocks = (scaled + rows_per_mcu - 1) / rows_per_mcu;
  }
}

}  // namespace

JpegCoefficientRows::JpegCoefficientRows(const jpeg_decompress_struct& info, int kept) : kept_(kept) {
  for (const jpeg_component_info& of : components_of(info)) {
    auto own = std::make_unique_for_overwrite<Block[]>(blocks_in(info, of, kept));
    add_component(info, of, &own[0].coefficients);
    components_.back().own = std::move(own);
  }
}

JpegCoefficientRows::JpegCoefficientRows(const jpeg_decompress_struct& info, int kept, std::span<std::int16_t> memory)
    : kept_(kept) {
  auto* next = reinterpret_cast<JBLOCKROW>(memory.data());
  for (const jpeg_component_info& of : components_of(info)) {
    add_component(info, of, next);
    next += blocks_in(info, of, kept);
  }
}

void JpegCoefficientRows::add_component(const jpeg_decompress_struct& info, const jpeg_component_info& from,
                                        JBLOCKROW blocks) {
  Component& to = components_.emplace_back();
  to.rows_per_mcu = from.v_samp_factor;
  to.blocks_per_row = blocks_per_row_of(info, from);
  to.image_rows =
      is_gray(info) ? from.height_in_blocks : info.total_iMCU_rows * static_cast<std::size_t>(from.v_samp_factor);
  const auto rows = static_cast<std::size_t>(kept_) * static_cast<std::size_t>(from.v_samp_factor);
  to.nonzero = std::make_unique_for_overwrite<std::uint64_t[]>(rows * to.blocks_per_row);
  for (std::size_t i = 0; i < rows; ++i) {
    to.rows.push_back(blocks + i * to.blocks_per_row);
  }
}

std::size_t JpegCoefficientRows::block_count(const jpeg_decompress_struct& info, int mcu_rows) {
  std::size_t count = 0;
  for (const jpeg_component_info& of : components_of(info)) {
    count += blocks_in(info, of, mcu_rows);
  }
  return count;
}

std::vector<JpegBlocks> JpegCoefficientRows::blocks_of(int begin, int end) const {
  std::vector<JpegBlocks> blocks;
  std::size_t before = 0;  // number of blocks of the preceding components
  for (const Component& of : components_) {
    const auto rows_per_mcu = static_cast<std::size_t>(of.rows_per_mcu);
    const std::size_t first_row = static_cast<std::size_t>(begin) * rows_per_mcu;
    const std::size_t end_row = std::min(static_cast<std::size_t>(end) * rows_per_mcu, of.image_rows);
    const JBLOCK* const from = of.rows[first_row % of.rows.size()];
    blocks.push_back({static_cast<std::uint32_t>(before + first_row * of.blocks_per_row),
                      {&(*from)[0], (end_row - first_row) * of.blocks_per_row * DCTSIZE2}});
    before += of.image_rows * of.blocks_per_row;
  }
  return blocks;
}

void JpegCoefficientRows::copy(const JpegCoefficientRows& from, int mcu_row) {
  for (std::size_t i = 0; i < components_.size() && &from != this; ++i) {
    const Component& to = components_[i];
    const auto first_row = [&](const JpegCoefficientRows& rows) {
      return rows.components_[i].rows[static_cast<std::size_t>(mcu_row % rows.kept_ * to.rows_per_mcu)];
    };
    std::memcpy(first_row(*this), first_row(from),
                static_cast<std::size_t>(to.rows_per_mcu) * to.blocks_per_row * sizeof(JBLOCK));
  }
}

void JpegCoefficientRows::clear(int component, int mcu_row) {
  std::ranges::fill(nonzero(component, mcu_row), 0);
  const Component& of = components_[static_cast<std::size_t>(component)];
  for (const JBLOCKROW blocks : std::span(row(component, mcu_row), static_cast<std::size_t>(of.rows_per_mcu))) {
    std::memset(blocks, 0, of.blocks_per_row * sizeof(JBLOCK));
  }
}

JpegCoefficientPixels::JpegCoefficientPixels(const JpegFile& file) : file_(file), session_(file.name, false) {
  start(0);
  check_jpeg_output(info(), file);
  if (session_.warning_count() > 0) {
    reject_damaged(file.name,
                   "libjpeg warns about its header");  // the caller uses one decoder, which reports the warning
  }
}

JpegCoefficientPixels::JpegCoefficientPixels(const JpegFile& file, JpegCoefficientRows& rows, int begin, int end)
    : file_(file), session_(file.name, false), rows_(&rows), top_(begin), end_(end - begin) {
  start(end - begin);
}

void JpegCoefficientPixels::start(int mcu_rows) {
  jpeg_decompress_struct& info = session_.info();
  session_.guarded([&] {
    session_.open(file_.bytes);
    replace_arrays();
    jpeg_read_header(&info, TRUE);
    if (mcu_rows > 0) {
      keep_rows(info, static_cast<JDIMENSION>(top_), static_cast<JDIMENSION>(mcu_rows));
    }
    set_jpeg_output(info, file_.header);
    info.do_block_smoothing = FALSE;
    info.buffered_image = TRUE;
    jpeg_start_decompress(&info);
    set_all_steps(info);
    jpeg_start_output(&info, 1);
    // As if scan 2 had begun: libjpeg then makes the pixels of scan 1 without reading more.
    info.input_scan_number = 2;
  });
  if (file_.is_cmyk()) {
    cmyk_row_.resize(std::size_t{file_.header.frame.width} * file_.header.frame.component_count);
  }
}

void JpegCoefficientPixels::replace_arrays() {
  jpeg_decompress_struct& info = session_.info();
  info.client_data = this;
  info.mem->request_virt_barray = request;
  info.mem->access_virt_barray = access;
}

/// libjpeg requests the arrays in the order of the components. The returned "pointer" is the number of the component.
jvirt_barray_ptr JpegCoefficientPixels::request(j_common_ptr info, int /*pool*/, boolean /*zeroed*/,
                                                JDIMENSION /*width*/, JDIMENSION /*height*/, JDIMENSION /*max_rows*/) {
  auto& own = *static_cast<JpegCoefficientPixels*>(info->client_data);
  return reinterpret_cast<jvirt_barray_ptr>(static_cast<std::uintptr_t>(++own.requested_));
}

JBLOCKARRAY JpegCoefficientPixels::access(j_common_ptr common, jvirt_barray_ptr array, JDIMENSION first,
                                          JDIMENSION count, boolean writable) {
  auto& own = *static_cast<JpegCoefficientPixels*>(common->client_data);
  const jpeg_decompress_struct& info = own.info();
  const int component = static_cast<int>(reinterpret_cast<std::uintptr_t>(array)) - 1;
  if (component < 0 || component >= info.num_components || writable != FALSE) {
    fail(common, JERR_BAD_VIRTUAL_ACCESS);
  }
  const auto rows = static_cast<JDIMENSION>(info.comp_info[component].v_samp_factor);
  const int mcu_row = static_cast<int>(first / rows);
  if (first % rows != 0 || count > rows || mcu_row < own.begin_ || mcu_row >= own.end_) {
    fail(common, JERR_BAD_VIRTUAL_ACCESS);
  }
  return own.rows_->row(component, own.top_ + mcu_row);
}

void JpegCoefficientPixels::read_rows_to(int end, const View& pixels, int first) {
  jpeg_decompress_struct& info = session_.info();
  const int top = top_ * DCTSIZE * info.max_v_samp_factor;
  dropped_row_.resize(top + static_cast<int>(info.output_scanline) < first
                          ? std::size_t{info.output_width} * static_cast<std::size_t>(info.output_components)
                          : 0);
  session_.guarded([&] {
    JSAMPROW row = dropped_row_.data();
    while (top + static_cast<int>(info.output_scanline) < first) {
      jpeg_read_scanlines(&info, &row, 1);
    }
    read_jpeg_rows(info, end - top, pixels, first - top, cmyk_row_.data());
  });
}

void JpegCoefficientPixels::read_to(int end, JpegCoefficientRows& rows, const View& pixels) {
  jpeg_decompress_struct& info = session_.info();
  const int mcu_rows = static_cast<int>(info.total_iMCU_rows);
  rows_ = &rows;
  end_ = std::min(end + 1, mcu_rows);
  // Upsampling needs the samples below the last pixel row, or below the last two.
  const int above = info.max_v_samp_factor * (DCTSIZE * end - 1);
  session_.guarded([&] {
    read_jpeg_rows(info, end == mcu_rows ? file_.height() : std::min(above, file_.height()), pixels, 0,
                   cmyk_row_.data());
  });
  begin_ = end;
}

}  // namespace gpuimg::codecs::jpeg
