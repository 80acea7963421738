// Removes the zero after each byte 0xFF and finds the markers.
#include "codecs/jpeg/jpeg_code_bits.hpp"

#include <algorithm>

namespace gpuimg::codecs {

namespace {

constexpr std::size_t kBytes = 1 << 13;
constexpr std::size_t kLoadedBytes = 1 << 15;
constexpr unsigned kEndOfImage = 0xD9;

/// The cursor loads 8 bytes, up to 7 of them ahead of time.
constexpr std::size_t kReserve = JpegCodeBits::kMaxBlockBytes + 2 * sizeof(std::uint64_t);

}  // namespace

JpegCodeBits::JpegCodeBits(ByteSpan coded) : coded_(coded), buffer_(kBytes + 2 * kReserve), end_(buffer_.data()) {}

JpegCodeBits::JpegCodeBits(const RandomAccess& file, std::uint64_t begin) : JpegCodeBits(ByteSpan{}) {
  file_ = &file;
  offset_ = begin;
  loaded_.resize(kLoadedBytes);
}

bool JpegCodeBits::fill(JpegBitCursor& cursor) {
  if (is_at_marker_) {
    return false;
  }
  const std::uint8_t* const from = cursor.at == nullptr ? end_ : cursor.at;
  const std::size_t left = static_cast<std::size_t>(end_ - from);
  std::memmove(buffer_.data(), from, left);
  end_ = buffer_.data() + left;
  unstuff();
  cursor.at = buffer_.data();
  std::memset(end_, 0, kReserve);
  safe_ = is_at_marker_ ? end_ + sizeof(std::uint64_t) : end_ - kReserve;
  return true;
}

/// Fills the buffer but for kReserve bytes, or up to the next marker.
void JpegCodeBits::unstuff() {
  std::uint8_t* const limit = buffer_.data() + buffer_.size() - kReserve;
  while (end_ < limit && !is_at_marker_) {
    loads_marker();
    const std::byte* const from = coded_.data() + next_;
    const std::size_t most = std::min(static_cast<std::size_t>(limit - end_), coded_.size() - next_);
    const void* const found = most == 0 ? nullptr : std::memchr(from, 0xFF, most);
    const std::size_t count =
        found == nullptr ? most : static_cast<std::size_t>(static_cast<const std::byte*>(found) - from);
    std::memcpy(end_, from, count);
    end_ += count;
    next_ += count;
    if (found != nullptr) {
      is_at_marker_ = !loads_marker() || u8_at(coded_, next_ + 1) != 0;
      *end_ = 0xFF;
      end_ += is_at_marker_ ? 0 : 1;
      next_ += is_at_marker_ ? 0 : 2;
    } else if (!loads_marker() && next_ == coded_.size()) {
      is_at_marker_ = true;
    }
  }
}

/// Makes sure that two bytes are loaded. Returns false if there are fewer.
bool JpegCodeBits::loads_marker() {
  const std::size_t left = coded_.size() - next_;
  if (left >= 2 || file_ == nullptr) {
    return left >= 2;
  }
  if (left == 1) {
    loaded_[0] = coded_[next_];
  }
  const std::size_t count = file_->read(offset_, std::span(loaded_).subspan(left));
  offset_ += count;
  coded_ = std::span(loaded_).first(left + count);
  next_ = 0;
  return coded_.size() >= 2;
}

bool JpegCodeBits::ends(JpegBitCursor& cursor) {
  if (!is_at_marker_) {
    fill(cursor);
  }
  const std::ptrdiff_t left = (end_ - cursor.at) * 8 + static_cast<std::ptrdiff_t>(cursor.count);
  return is_at_marker_ && left >= 0 && left < 8;
}

bool JpegCodeBits::ends_all(JpegBitCursor& cursor) {
  if (!ends(cursor)) {
    return false;
  }
  return file_ == nullptr ? next_ == coded_.size() : loads_marker() && u8_at(coded_, next_ + 1) == kEndOfImage;
}

bool JpegCodeBits::restart(JpegBitCursor& cursor, unsigned number) {
  constexpr unsigned kFirstRestart = 0xD0;
  if (coded_.size() - next_ < 2 || u8_at(coded_, next_ + 1) != kFirstRestart + number) {
    return false;
  }
  next_ += 2;
  is_at_marker_ = false;
  end_ = buffer_.data();
  cursor = {};
  return fill(cursor);
}

}  // namespace gpuimg::codecs
