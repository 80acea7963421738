// Replaces libjpeg's arrays of coefficients through the methods of its memory manager (jpeglib.h, jpeg_memory_mgr).
#include "codecs/jpeg/jpeg_scan_pixels.hpp"

#include <jerror.h>

#include <algorithm>
#include <cstdlib>
#include <span>

namespace gpuimg::codecs {

namespace {

/// The scan's piece goes on to the end of the file: near the end of its buffer libjpeg-turbo reads codes in another
/// way, which notices other defects.
std::vector<ByteSpan> pieces_of(const JpegFile& file, const JpegScript& script, std::size_t scan) {
  std::vector<ByteSpan> pieces = {script.header};
  for (std::size_t i = 0; i <= scan; ++i) {
    if (!script.scans[i].tables.empty()) {
      pieces.push_back(script.scans[i].tables);
    }
  }
  const std::byte* const begin = script.scans[scan].coded.data();
  pieces.emplace_back(begin, file.bytes.data() + file.bytes.size());
  return pieces;
}

[[noreturn]] void fail(j_common_ptr info, int code) {
  info->err->msg_code = code;
  info->err->error_exit(info);
  std::abort();  // error_exit does not return
}

/// libjpeg has set those of the scan's components only.
void set_all_steps(jpeg_decompress_struct& info) {
  for (jpeg_component_info& of : std::span(info.comp_info, static_cast<std::size_t>(info.num_components))) {
    const bool exists = of.quant_tbl_no >= 0 && of.quant_tbl_no < NUM_QUANT_TBLS;
    of.quant_table = exists ? info.quant_tbl_ptrs[of.quant_tbl_no] : nullptr;
    if (of.quant_table == nullptr) {
      fail(reinterpret_cast<j_common_ptr>(&info), JERR_NO_QUANT_TABLE);
    }
  }
}

}  // namespace

JpegScanPixels::JpegScanPixels(const JpegFile& file, const JpegScript& script, std::size_t scan)
    : file_(file),
      session_(file.name, false),
      source_(pieces_of(file, script, scan)),
      end_of_scan_(script.scans[scan].coded.data() + script.scans[scan].coded.size()) {
  jpeg_decompress_struct& info = session_.info();
  session_.ignore_warning(JWRN_BOGUS_PROGRESSION);  // the other scans are missing here; read_jpeg_script has checked
  session_.guarded([&] {
    session_.open(source_);
    replace_arrays();
    jpeg_read_header(&info, TRUE);
    set_jpeg_output(info, file.header);
    info.do_block_smoothing = FALSE;
    info.buffered_image = TRUE;
    jpeg_start_decompress(&info);
    set_all_steps(info);
    jpeg_start_output(&info, 1);
  });
  check_jpeg_output(info, file);
  if (file.is_cmyk()) {
    cmyk_row_.resize(std::size_t{file.header.width} * file.header.components);
  }
}

void JpegScanPixels::replace_arrays() {
  jpeg_decompress_struct& info = session_.info();
  info.client_data = this;
  info.mem->request_virt_barray = request;
  info.mem->access_virt_barray = access;
}

void JpegScanPixels::use(JpegCoefficientRows& rows, std::uint32_t cleared) {
  rows_ = &rows;
  cleared_ = cleared;
}

/// libjpeg requests the arrays in the order of the components. Gives numbers in place of pointers.
jvirt_barray_ptr JpegScanPixels::request(j_common_ptr info, int /*pool*/, boolean /*zeroed*/, JDIMENSION /*width*/,
                                         JDIMENSION /*height*/, JDIMENSION /*max_rows*/) {
  auto& decoder = *static_cast<JpegScanPixels*>(info->client_data);
  return reinterpret_cast<jvirt_barray_ptr>(static_cast<std::uintptr_t>(++decoder.requested_));
}

JBLOCKARRAY JpegScanPixels::access(j_common_ptr common, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count,
                                   boolean writable) {
  auto& decoder = *static_cast<JpegScanPixels*>(common->client_data);
  const jpeg_decompress_struct& info = decoder.info();
  const int component = static_cast<int>(reinterpret_cast<std::uintptr_t>(array)) - 1;
  if (component < 0 || component >= info.num_components) {
    fail(common, JERR_BAD_VIRTUAL_ACCESS);
  }
  const auto rows = static_cast<JDIMENSION>(info.comp_info[component].v_samp_factor);
  const int mcu_row = static_cast<int>(first / rows);
  if (first % rows != 0 || count > rows || mcu_row < decoder.begin_ || mcu_row >= decoder.end_) {
    fail(common, JERR_BAD_VIRTUAL_ACCESS);
  }
  if (writable != FALSE && (decoder.cleared_ >> static_cast<unsigned>(component) & 1U) != 0) {
    decoder.rows_->clear(component, mcu_row);
  }
  return decoder.rows_->row(component, mcu_row);
}

void JpegScanPixels::read_to(int end, const View& pixels) {
  jpeg_decompress_struct& info = session_.info();
  const int mcu_rows = static_cast<int>(info.total_iMCU_rows);
  end_ = std::min(end + 1, mcu_rows);
  // Upsampling needs the samples below those of the last pixel row, or the last two.
  const int above = info.max_v_samp_factor * (DCTSIZE * end - 1);
  session_.guarded([&] {
    read_jpeg_rows(info, end == mcu_rows ? file_.height() : std::min(above, file_.height()), pixels, cmyk_row_.data());
  });
  begin_ = end;
}

void JpegScanPixels::finish() {
  constexpr int kFirstRestart = 0xD0;
  constexpr int kLastRestart = 0xD7;
  jpeg_decompress_struct& info = session_.info();
  const int marker = info.unread_marker;
  if (marker != 0 && (marker < kFirstRestart || marker > kLastRestart)) {
    // libjpeg has read the marker with the codes. It warns of bytes that it has dropped when it next reads a marker,
    // which may be after a later scan: let it read this one again.
    info.unread_marker = 0;
    source_.go_to(end_of_scan_);
  }
  session_.guarded([&] { jpeg_finish_output(&info); });
}

}  // namespace gpuimg::codecs
