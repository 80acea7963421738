// The callbacks of the source. They are called by C and must not throw.
#include "codecs/jpeg/jpeg_pieces.hpp"

#include <jerror.h>

#include <utility>

namespace gpuimg::codecs {

JpegPieces::JpegPieces(std::vector<ByteSpan> pieces) : jpeg_source_mgr{}, pieces_(std::move(pieces)) {
  const auto nothing = [](j_decompress_ptr) {};
  init_source = nothing;
  term_source = nothing;
  fill_input_buffer = next_piece;
  skip_input_data = skip;
  resync_to_restart = jpeg_resync_to_restart;
}

void JpegPieces::go_to(const std::byte* at) {
  next_input_byte = reinterpret_cast<const JOCTET*>(at);
  bytes_in_buffer = static_cast<std::size_t>(pieces_.back().data() + pieces_.back().size() - at);
}

boolean JpegPieces::next_piece(j_decompress_ptr info) {
  auto& source = *static_cast<JpegPieces*>(info->src);
  if (source.next_ == source.pieces_.size()) {
    info->err->msg_code = JERR_INPUT_EOF;
    info->err->error_exit(reinterpret_cast<j_common_ptr>(info));
  }
  const ByteSpan piece = source.pieces_[source.next_++];
  source.next_input_byte = reinterpret_cast<const JOCTET*>(piece.data());
  source.bytes_in_buffer = piece.size();
  return TRUE;
}

void JpegPieces::skip(j_decompress_ptr info, long bytes) {
  jpeg_source_mgr& source = *info->src;
  for (auto left = static_cast<std::size_t>(bytes < 0 ? 0 : bytes); left > 0;) {
    if (source.bytes_in_buffer == 0) {
      next_piece(info);
    }
    const std::size_t count = left < source.bytes_in_buffer ? left : source.bytes_in_buffer;
    source.next_input_byte += count;
    source.bytes_in_buffer -= count;
    left -= count;
  }
}

}  // namespace gpuimg::codecs
