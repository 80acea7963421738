// Chunk structure: PNG specification, third edition, section 5.
#include "files/png_stream.hpp"

#include <fmt/format.h>
#include <isa-l.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "files/printable_name.hpp"
#include "files/refusals.hpp"

namespace gpuimg {

namespace {

constexpr std::uint32_t kIdat = 0x49444154;
constexpr std::uint32_t kIend = 0x49454E44;
constexpr std::size_t kSignatureBytes = 8;
constexpr std::size_t kChunkOverhead = 12;  // length, name and checksum

void check_checksum(ByteSpan name_and_data, std::uint32_t declared, const std::string& name) {
  const auto* first = reinterpret_cast<const unsigned char*>(name_and_data.data());
  const bool is_ancillary = (*first & 0x20U) != 0;
  if (!is_ancillary && crc32_gzip_refl(0, first, name_and_data.size()) != declared) {
    const std::string_view chunk(reinterpret_cast<const char*>(first), 4);
    refuse_damaged(name, fmt::format("the checksum of its {} chunk is wrong", printable_name(chunk)));
  }
}

/// At most 256 KiB in one read, else 64 KiB or a little more, so that the last read is longer than the longest sensible
/// end of a deflate stream and than what libpng reads at a time when it skips.
std::size_t block_size_for(std::size_t total) {
  constexpr std::size_t kWhole = std::size_t{256} << 10;
  constexpr std::size_t kStart = std::size_t{64} << 10;
  constexpr std::size_t kLeastLast = 2048;
  if (total <= kWhole) {
    return std::max<std::size_t>(total, 1);
  }
  std::size_t size = kStart;
  while (total % size != 0 && total % size < kLeastLast) {
    size += kLeastLast;
  }
  return size;
}

}  // namespace

PngStream::PngStream(ByteSpan bytes, const std::string& name) { walk(bytes, name); }

void PngStream::walk(ByteSpan bytes, const std::string& name) {
  std::size_t data_begin = 0;
  std::size_t data_end = 0;
  std::size_t offset = kSignatureBytes;
  for (std::uint32_t chunk = 0; chunk != kIend;) {
    if (bytes.size() - offset < kChunkOverhead || u32be_at(bytes, offset) > bytes.size() - offset - kChunkOverhead) {
      refuse_truncated(name);
    }
    const std::size_t length = u32be_at(bytes, offset);
    chunk = u32be_at(bytes, offset + 4);
    check_checksum(bytes.subspan(offset + 4, length + 4), u32be_at(bytes, offset + 8 + length), name);
    if (chunk == kIdat) {
      if (data_begin == 0) {
        data_begin = offset;
      } else if (data_end != offset) {
        refuse_damaged(name, "its image data is in two places");
      }
      image_data_.push_back(bytes.subspan(offset + 8, length));
      data_end = offset + kChunkOverhead + length;
    }
    offset += kChunkOverhead + length;
  }
  join(bytes.first(offset), data_begin, data_end, name);
}

void PngStream::join(ByteSpan bytes, std::size_t data_begin, std::size_t data_end, const std::string& name) {
  if (data_begin == 0) {
    refuse_damaged(name, "it holds no image data");
  }
  for (const ByteSpan part : image_data_) {
    data_left_ += part.size();
  }
  constexpr std::size_t kLongestChunk = 0x7FFFFFFF;
  if (data_left_ > kLongestChunk) {
    refuse_unsupported(name, "PNG of 2 GiB or more");
  }
  for (std::size_t i = 0; i < 4; ++i) {
    joined_header_[i] = static_cast<std::byte>(data_left_ >> (24 - 8 * i));
    joined_header_[4 + i] = static_cast<std::byte>(kIdat >> (24 - 8 * i));
  }
  parts_.push_back(bytes.first(data_begin));
  parts_.emplace_back(joined_header_);
  parts_.insert(parts_.end(), image_data_.begin(), image_data_.end());
  parts_.emplace_back(joined_checksum_);
  parts_.push_back(bytes.subspan(data_end));
  before_data_ = data_begin + joined_header_.size();
  block_bytes_ = block_size_for(data_left_);
}

bool PngStream::read(std::byte* to, std::size_t size) {
  if (before_data_ > 0) {
    before_data_ -= std::min(before_data_, size);
  } else if (data_left_ > 0) {
    skipped_image_data_ = skipped_image_data_ || size != std::min(block_bytes_, data_left_);
    data_left_ -= std::min(data_left_, size);
  }
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

}  // namespace gpuimg
