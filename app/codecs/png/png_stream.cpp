// Checks the chunk structure and joins the image data. PNG specification, third edition, section 5.
#include "codecs/png/png_stream.hpp"

#include <algorithm>
#include <cstring>

#include "codecs/png/png_chunks.hpp"
#include "codecs/refusals.hpp"

namespace gpuimg::codecs {

namespace {

constexpr std::uint32_t kIdat = png_chunk_type("IDAT");
constexpr std::size_t kChunkHeaderBytes = 8;

/// Everything in one read up to 256 KiB; otherwise 64 KiB or slightly more. Then the last read is longer than any
/// reasonable end of a deflate stream, and longer than libpng's reads when it skips data.
std::size_t block_size_for(std::size_t total) {
  constexpr std::size_t kStart = std::size_t{64} << 10;
  if (total <= PngStream::kMaxSingleRead) {
    return std::max<std::size_t>(total, 1);
  }
  std::size_t size = kStart;
  while (total % size != 0 && total % size < PngStream::kMinLastRead) {
    size += PngStream::kMinLastRead;
  }
  return size;
}

}  // namespace

PngStream::PngStream(ByteSpan bytes, const std::string& name) { walk(bytes, name); }

void PngStream::walk(ByteSpan bytes, const std::string& name) {
  std::size_t data_begin = 0;
  std::size_t data_end = 0;
  PngChunkWalker walker(bytes, name);
  while (const auto chunk = walker.next()) {
    if (chunk->is_critical()) {
      chunk->check_crc(name);
    }
    if (chunk->type() == kIdat) {
      const std::size_t begin = walker.offset() - chunk->whole.size();
      if (data_begin == 0) {
        data_begin = begin;
      } else if (data_end != begin) {
        refuse_damaged(name, "its image data is not contiguous");
      }
      image_data_.push_back(chunk->payload());
      data_end = walker.offset();
    }
  }
  join(bytes.first(walker.offset()), data_begin, data_end, name);
}

void PngStream::join(ByteSpan bytes, std::size_t data_begin, std::size_t data_end, const std::string& name) {
  if (data_begin == 0) {
    refuse_damaged(name, "it has no image data");
  }
  for (const ByteSpan part : image_data_) {
    data_left_ += part.size();
  }
  block_bytes_ = block_size_for(data_left_);
  parts_.push_back(bytes.first(data_begin));
  add_joined_chunks();
  parts_.push_back(bytes.subspan(data_end));
  before_data_ = data_begin + kChunkHeaderBytes;
  chunk_left_ = std::min(data_left_, max_chunk_bytes());
}

/// As many whole blocks as one chunk can hold.
std::size_t PngStream::max_chunk_bytes() const {
  constexpr std::size_t kMaxChunkBytes = 0x7FFFFFFF;
  return kMaxChunkBytes / block_bytes_ * block_bytes_;
}

void PngStream::add_joined_chunks() {
  const std::size_t max_bytes = max_chunk_bytes();
  joined_headers_.resize(std::max<std::size_t>((data_left_ + max_bytes - 1) / max_bytes, 1));
  std::size_t total = data_left_;
  auto part = image_data_.begin();
  for (auto& header : joined_headers_) {
    const std::size_t size = std::min(total, max_bytes);
    total -= size;
    for (std::size_t i = 0; i < 4; ++i) {
      header[i] = static_cast<std::byte>(size >> (24 - 8 * i));
      header[4 + i] = static_cast<std::byte>(kIdat >> (24 - 8 * i));
    }
    parts_.emplace_back(header);
    for (std::size_t left = size; left > 0;) {
      const std::size_t count = std::min(left, part->size());
      parts_.push_back(part->first(count));
      *part = part->subspan(count);
      part += part->empty() ? 1 : 0;
      left -= count;
    }
    parts_.emplace_back(joined_checksum_);
  }
}

void PngStream::count_read(std::size_t size) {
  if (before_data_ > 0) {
    before_data_ -= std::min(before_data_, size);
    return;
  }
  if (data_left_ == 0) {
    return;
  }
  skipped_image_data_ = skipped_image_data_ || size != std::min(block_bytes_, data_left_);
  const std::size_t count = std::min(chunk_left_, size);
  data_left_ -= count;
  chunk_left_ -= count;
  if (chunk_left_ == 0 && data_left_ > 0) {
    before_data_ = joined_checksum_.size() + kChunkHeaderBytes;
    chunk_left_ = std::min(data_left_, max_chunk_bytes());
  }
}

bool PngStream::read(std::byte* to, std::size_t size) {
  count_read(size);
  while (size > 0 && next_part_ < parts_.size()) {
    ByteSpan& part = parts_[next_part_];
    const std::size_t count = std::min(size, part.size());
    if (count > 0) {
      std::memcpy(to, part.data(), count);
    }
    to += count;
    size -= count;
    part = part.subspan(count);
    next_part_ += part.empty() ? 1 : 0;
  }
  return size == 0;
}

}  // namespace gpuimg::codecs
