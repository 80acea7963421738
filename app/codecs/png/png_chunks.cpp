// Bounds and checksums of chunks.
#include "codecs/png/png_chunks.hpp"

#include <fmt/format.h>

#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/refusals.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {

bool PngChunkView::crc_is_right() const {
  const std::size_t crc_at = whole.size() - 4;
  return crc32_of(whole.subspan(4, crc_at - 4)) == u32be_at(whole, crc_at);
}

void PngChunkView::check_crc(std::string_view name) const {
  if (!crc_is_right()) {
    const std::string_view letters(reinterpret_cast<const char*>(whole.data()) + 4, 4);
    refuse_damaged(name, fmt::format("the checksum of its {} chunk is wrong", printable_name(letters)));
  }
}

std::uint32_t PngChunkWalker::next_type() const {
  constexpr std::size_t kLengthAndType = 8;
  if (bytes_.size() - offset_ < kLengthAndType) {
    refuse_truncated(name_);
  }
  return u32be_at(bytes_, offset_ + 4);
}

std::optional<PngChunkView> PngChunkWalker::next() {
  constexpr std::size_t kOverhead = 12;  // length, type and CRC
  if (ended_) {
    return std::nullopt;
  }
  const ByteSpan left = bytes_.subspan(offset_);
  if (left.size() < kOverhead || u32be_at(left, 0) > left.size() - kOverhead) {
    refuse_truncated(name_);
  }
  const PngChunkView chunk{left.first(u32be_at(left, 0) + kOverhead)};
  offset_ += chunk.whole.size();
  ended_ = chunk.type() == png_chunk_type("IEND");
  return chunk;
}

}  // namespace gpuimg::codecs
