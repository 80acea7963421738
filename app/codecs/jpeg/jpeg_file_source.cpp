// The callbacks of the source. They are called by C and must not throw.
#include "codecs/jpeg/jpeg_file_source.hpp"

#include <jerror.h>

namespace gpuimg::codecs {

JpegFileSource::JpegFileSource(const RandomAccess& file) : jpeg_source_mgr{}, file_(file) {
  const auto nothing = [](j_decompress_ptr) {};
  init_source = nothing;
  term_source = nothing;
  fill_input_buffer = fill;
  skip_input_data = skip;
  resync_to_restart = jpeg_resync_to_restart;
}

boolean JpegFileSource::fill(j_decompress_ptr info) {
  auto& source = *static_cast<JpegFileSource*>(info->src);
  const std::size_t count = source.file_.read(source.next_, source.buffer_);
  if (count == 0) {
    info->err->msg_code = JERR_INPUT_EOF;
    info->err->error_exit(reinterpret_cast<j_common_ptr>(info));
  }
  source.next_ += count;
  source.next_input_byte = reinterpret_cast<const JOCTET*>(source.buffer_.data());
  source.bytes_in_buffer = count;
  return TRUE;
}

void JpegFileSource::skip(j_decompress_ptr info, long bytes) {
  auto& source = *static_cast<JpegFileSource*>(info->src);
  if (bytes <= 0) {
    return;
  }
  const auto count = static_cast<std::size_t>(bytes);
  if (count > source.bytes_in_buffer) {
    source.next_ += count - source.bytes_in_buffer;
    source.bytes_in_buffer = 0;
  } else {
    source.next_input_byte += count;
    source.bytes_in_buffer -= count;
  }
}

}  // namespace gpuimg::codecs
