// Replaces libjpeg's arrays of coefficients through the methods of its memory manager (jpeglib.h, jpeg_memory_mgr).
#include "codecs/jpeg/jpeg_coefficient_pixels.hpp"

#include <jerror.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "codecs/refusals.hpp"

namespace gpuimg::codecs {

namespace {

[[noreturn]] void fail(j_common_ptr info, int code) {
  info->err->msg_code = code;
  info->err->error_exit(info);
  std::abort();  // error_exit does not return
}

/// libjpeg has set those of the first scan's components only.
void set_all_steps(jpeg_decompress_struct& info) {
  for (jpeg_component_info& of : std::span(info.comp_info, static_cast<std::size_t>(info.num_components))) {
    const bool exists = of.quant_tbl_no >= 0 && of.quant_tbl_no < NUM_QUANT_TBLS;
    of.quant_table = exists ? info.quant_tbl_ptrs[of.quant_tbl_no] : nullptr;
    if (of.quant_table == nullptr) {
      fail(reinterpret_cast<j_common_ptr>(&info), JERR_NO_QUANT_TABLE);
    }
  }
}

/// Makes some MCU rows the whole image, which has its height from the header.
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

JpegCoefficientPixels::JpegCoefficientPixels(const JpegFile& file) : file_(file), session_(file.name, false) {
  start(0);
  check_jpeg_output(info(), file);
  if (session_.warning_count() > 0) {
    refuse_damaged(file.name, "libjpeg warns of its header");  // one decoder reads the file, and tells the user
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
    info.input_scan_number = 2;  // so it reads nothing before it makes the pixels of scan 1
  });
  if (file_.is_cmyk()) {
    cmyk_row_.resize(std::size_t{file_.header.width} * file_.header.components);
  }
}

void JpegCoefficientPixels::replace_arrays() {
  jpeg_decompress_struct& info = session_.info();
  info.client_data = this;
  info.mem->request_virt_barray = request;
  info.mem->access_virt_barray = access;
}

/// libjpeg requests the arrays in the order of the components. Gives numbers in place of pointers.
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
  // Upsampling needs the samples below those of the last pixel row, or the last two.
  const int above = info.max_v_samp_factor * (DCTSIZE * end - 1);
  session_.guarded([&] {
    read_jpeg_rows(info, end == mcu_rows ? file_.height() : std::min(above, file_.height()), pixels, 0,
                   cmyk_row_.data());
  });
  begin_ = end;
}

}  // namespace gpuimg::codecs
