// Reads the bits of a deflate stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "io/random_access.hpp"

namespace gpuimg::codecs {

/// The next bits, least significant first. Small enough to stay in registers in the inner loop.
struct InflateBits {
  const std::uint8_t* next = nullptr;  ///< the first byte that is not counted
  std::uint64_t bits = 0;
  std::uint32_t counter = 0;  ///< its lowest six bits are the number of bits available

  [[nodiscard]] std::uint32_t count() const { return counter & 63U; }
  /// Makes at least 56 bits available.
  void refill() {
    std::uint64_t word = 0;
    std::memcpy(&word, next, sizeof word);
    bits |= word << count();
    next += 7 - (counter >> 3 & 7U);
    counter |= 56U;
  }
  [[nodiscard]] std::size_t peek(std::uint32_t width) const { return bits & ((std::uint64_t{1} << width) - 1); }
  /// Only the lowest six bits of `width` count, as for the processor's shifts: a table's entry can be given whole.
  void consume(std::uint32_t width) {
    bits >>= width & 63U;
    counter -= width;
  }
  /// Like peek() and consume(), requires that refill() has made the bits available.
  std::uint32_t take(std::uint32_t width) {
    const auto value = static_cast<std::uint32_t>(bits & ((std::uint64_t{1} << width) - 1));
    consume(width);
    return value;
  }
  /// The first byte of which no bit has been consumed.
  [[nodiscard]] const std::uint8_t* byte() const { return next - (count() >> 3); }
};

/// Copies the stream, a portion at a time, into a buffer in which reads may run past the end of the input: zeros follow
/// it, and is_overrun() tells afterwards.
class InflateInput {
 public:
  explicit InflateInput(RandomAccess stream) : stream_(std::move(stream)), size_(stream_.size) { move_to(0); }
  InflateInput(const InflateInput&) = delete;
  InflateInput& operator=(const InflateInput&) = delete;

  /// Larger than any block header, and than what is decoded between two checks against limit().
  static constexpr std::size_t kReserve = 1024;

  InflateBits bits;

  /// How many bits of the stream have been consumed.
  [[nodiscard]] std::uint64_t position() const {
    return 8 * (gathered_ - static_cast<std::uint64_t>(end_ - bits.next)) - bits.count();
  }
  /// Continues at bit `position`, which must not lie past the end of the stream.
  void move_to(std::uint64_t position);

  /// Once bits.next is past this, call gather() before reading more.
  [[nodiscard]] const std::uint8_t* limit() const { return limit_; }
  void gather();

  /// Drops the bits up to the next byte boundary, and returns bits read ahead to the input.
  void align();
  /// Copies up to `count` bytes, at least one unless the input has ended, and returns how many. Requires align().
  std::size_t copy(std::uint8_t* to, std::size_t count);

  /// More bits have been consumed than there are.
  [[nodiscard]] bool is_overrun() const { return bits.byte() > end_; }
  /// All bytes have been consumed.
  [[nodiscard]] bool is_at_end() const { return gathered_ == size_ && bits.byte() == end_; }

 private:
  void gather_from(std::uint64_t byte);

  static constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

  RandomAccess stream_;
  std::uint64_t size_;          // of the stream; less if the rest cannot be read
  std::uint64_t gathered_ = 0;  // bytes of the stream that lie before end_
  std::array<std::uint8_t, kBufferBytes + 2 * kReserve> buffer_;
  const std::uint8_t* end_ = buffer_.data();
  const std::uint8_t* limit_ = buffer_.data();
};

}  // namespace gpuimg::codecs
