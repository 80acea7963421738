// The bits of a deflate stream, gathered from pieces of memory. Used by inflate.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "codecs/byte_fields.hpp"

namespace gpuimg {

/// The next bits, lowest first. Small, to be held in registers where speed matters.
struct InflateBits {
  const std::uint8_t* next = nullptr;  ///< the next byte not counted in `count`
  std::uint64_t bits = 0;
  std::uint32_t count = 0;

  /// Makes 56 bits or more available.
  void refill() {
    std::uint64_t word = 0;
    std::memcpy(&word, next, sizeof word);
    bits |= word << count;
    next += (63 - count) >> 3;
    count |= 56;
  }
  [[nodiscard]] std::size_t peek(int width) const { return bits & ((std::uint64_t{1} << width) - 1); }
  void consume(std::uint32_t width) {
    bits >>= width;
    count -= width;
  }
  /// refill() must have made the bits available, here and in the two above.
  std::uint32_t take(std::uint32_t width) {
    const auto value = static_cast<std::uint32_t>(bits & ((std::uint64_t{1} << width) - 1));
    consume(width);
    return value;
  }
  /// The next byte of which no bit is taken.
  [[nodiscard]] const std::uint8_t* byte() const { return next - (count >> 3); }
};

/// Copies the pieces, in portions, into a buffer that reads may overrun: behind the last byte come zeros, and
/// is_overrun() tells afterwards.
class InflateInput {
 public:
  explicit InflateInput(std::span<const ByteSpan> pieces) : all_(pieces) { move_to(0); }
  InflateInput(const InflateInput&) = delete;
  InflateInput& operator=(const InflateInput&) = delete;

  /// Enough for any block header, and for all that is decoded between two looks at `limit()`.
  static constexpr std::size_t kReserve = 1024;

  InflateBits bits;

  /// How many bits of the pieces were taken.
  [[nodiscard]] std::uint64_t position() const {
    return 8 * (gathered_ - static_cast<std::uint64_t>(end_ - bits.next)) - bits.count;
  }
  /// Takes the bits from `position` on next. The pieces must reach that far.
  void move_to(std::uint64_t position);

  /// Behind it, gather() is needed before more is read.
  [[nodiscard]] const std::uint8_t* limit() const { return limit_; }
  void gather();

  /// Drops the bits up to the next whole byte and gives up those read ahead.
  void align();
  /// Copies up to `count` bytes, at least one unless the input has ended; returns how many. Only after align().
  std::size_t copy(std::uint8_t* to, std::size_t count);

  /// More bits were taken than there are.
  [[nodiscard]] bool is_overrun() const { return bits.byte() > end_; }
  /// Every byte was taken.
  [[nodiscard]] bool is_at_end() const { return pieces_.empty() && bits.byte() == end_; }

 private:
  void gather_from(std::uint64_t byte);

  static constexpr std::size_t kBuffer = std::size_t{64} << 10;

  std::span<const ByteSpan> all_;
  std::span<const ByteSpan> pieces_;  // what is left of them
  std::size_t piece_offset_ = 0;
  std::uint64_t gathered_ = 0;  // how many bytes of the pieces lie before end_
  std::array<std::uint8_t, kBuffer + 2 * kReserve> buffer_;
  const std::uint8_t* end_ = buffer_.data();
  const std::uint8_t* limit_ = buffer_.data();
};

}  // namespace gpuimg
