// Bits to bytes, the first bit lowest, as deflate packs them. RFC 1951, section 3.1.1.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gpuimg {

static_assert(std::endian::native == std::endian::little, "whole words are stored as they are");

/// Bits, lowest first.
struct Bits {
  std::uint64_t value = 0;
  std::uint32_t count = 0;

  /// These, then those: 64 together at most.
  [[nodiscard]] constexpr Bits then(Bits next) const { return {value | next.value << count, count + next.count}; }
};

/// Writes up to kSlack bytes past the last one that counts.
class BitWriter {
 public:
  static constexpr std::size_t kSlack = 8;
  static constexpr std::uint32_t kMostBits = 56;  ///< that one call takes

  explicit BitWriter(std::byte* out) : begin_(out), out_(out) {}

  void write(Bits bits) {
    const Bits all = waiting_.then(bits);
    std::memcpy(out_, &all.value, sizeof all.value);
    out_ += all.count / 8;
    // Never a shift by all 64 bits: less than a whole word is ever waiting.
    waiting_ = {all.value >> (all.count & ~7U), all.count & 7U};
  }

  void fill_last_byte() { write({0, (8U - waiting_.count) & 7U}); }

  /// Only at a whole byte.
  void write_bytes(std::span<const std::uint8_t> bytes) {
    const auto whole = std::as_bytes(bytes);
    out_ = std::copy(whole.begin(), whole.end(), out_);
  }

  [[nodiscard]] std::size_t whole_bytes() const { return static_cast<std::size_t>(out_ - begin_); }

 private:
  std::byte* begin_;
  std::byte* out_;
  Bits waiting_;  ///< less than a byte
};

}  // namespace gpuimg
