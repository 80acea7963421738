// Packs bits into bytes, least significant bit first, as deflate does. RFC 1951, section 3.1.1.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gpuimg::codecs {

static_assert(std::endian::native == std::endian::little, "BitWriter stores whole words without swapping bytes");

/// The low `count` bits of `value`; the higher ones are 0.
struct Bits {
  std::uint64_t value = 0;
  std::uint32_t count = 0;

  /// These bits followed by `next`; at most 64 in all.
  [[nodiscard]] constexpr Bits then(Bits next) const { return {value | next.value << count, count + next.count}; }
};

/// Writes up to kSlack bytes past the end of its output.
class BitWriter {
 public:
  static constexpr std::size_t kSlack = 8;
  static constexpr std::uint32_t kMaxBits = 56;  ///< per call of write()

  explicit BitWriter(std::byte* out) : begin_(out), out_(out) {}

  void write(Bits bits) {
    const Bits all = pending_.then(bits);
    std::memcpy(out_, &all.value, sizeof all.value);
    out_ += all.count / 8;
    // Never shifts by 64: fewer than 64 bits are pending.
    pending_ = {all.value >> (all.count & ~7U), all.count & 7U};
  }

  void fill_last_byte() { write({0, (8U - pending_.count) & 7U}); }

  /// The output must end at a byte boundary.
  void write_bytes(std::span<const std::uint8_t> bytes) {
    const auto whole = std::as_bytes(bytes);
    out_ = std::copy(whole.begin(), whole.end(), out_);
  }

  [[nodiscard]] std::size_t whole_bytes() const { return static_cast<std::size_t>(out_ - begin_); }

 private:
  std::byte* begin_;
  std::byte* out_;
  Bits pending_;  ///< fewer than 8
};

}  // namespace gpuimg::codecs
