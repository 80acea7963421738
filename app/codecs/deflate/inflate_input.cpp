// Refilling the buffer from the stream.
#include "codecs/deflate/inflate_input.hpp"

#include <algorithm>
#include <span>

namespace gpuimg::codecs {

void InflateInput::move_to(std::uint64_t position) {
  const std::uint64_t byte = position / 8;
  const std::uint64_t buffered = gathered_ - static_cast<std::uint64_t>(end_ - buffer_.data());
  if (byte >= buffered && byte + kReserve <= gathered_) {
    bits = {buffer_.data() + (byte - buffered)};
  } else {
    gather_from(byte);
  }
  bits.refill();
  bits.consume(static_cast<std::uint32_t>(position % 8));
}

void InflateInput::gather_from(std::uint64_t byte) {
  gathered_ = byte;
  end_ = buffer_.data();
  bits = {end_};
  gather();
}

void InflateInput::gather() {
  // Keeps the bytes that are already in `bits`: align() goes back to them.
  const std::uint8_t* const begin = std::min(bits.byte(), end_);
  const auto ahead = static_cast<std::size_t>(bits.next - begin);
  const auto kept = static_cast<std::size_t>(end_ - begin);
  if (kept > 0) {
    std::memmove(buffer_.data(), begin, kept);
  }
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kBufferBytes - kept, size_ - gathered_));
  const std::size_t count =
      wanted > 0 ? stream_.read(gathered_, std::as_writable_bytes(std::span(buffer_)).subspan(kept, wanted)) : 0;
  gathered_ += count;
  size_ = count < wanted ? gathered_ : size_;
  const std::size_t size = kept + count;
  std::memset(buffer_.data() + size, 0, buffer_.size() - size);
  bits.next = buffer_.data() + ahead;
  end_ = buffer_.data() + size;
  // After the end of the stream, a damaged stream may read zeros for a while, but not past the buffer.
  limit_ = gathered_ == size_ ? end_ + kReserve : end_ - kReserve;
}

void InflateInput::align() { bits = {bits.byte()}; }

std::size_t InflateInput::copy(std::uint8_t* to, std::size_t count) {
  if (bits.next >= end_) {
    gather();
  }
  const std::size_t size = bits.next < end_ ? std::min(count, static_cast<std::size_t>(end_ - bits.next)) : 0;
  std::memcpy(to, bits.next, size);
  bits.next += size;
  return size;
}

}  // namespace gpuimg::codecs
