// The codes of a GIF frame, followed: LZW of up to 12 bits, GIF89a specification, appendix F.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace gpuimg {

class GifCodes {
 public:
  static constexpr int kMostRootBits = 11;

  /// `root_bits` is 1 to kMostRootBits: codes below 2^root_bits stand for one color each. Above 8 bits some stand for
  /// none.
  explicit GifCodes(int root_bits);

  /// Bits of the code that comes next.
  [[nodiscard]] int code_bits() const { return code_bits_; }
  [[nodiscard]] std::uint32_t clear_code() const { return 1U << root_bits_; }
  [[nodiscard]] std::uint32_t end_code() const { return clear_code() + 1; }

  /// Forgets all codes but those of one color, as at the beginning.
  void clear();

  /// Writes the colors of a code that is neither clear nor end to the beginning of `to`, and takes them off it; those
  /// for which there is no room are left out. Returns false for a code that cannot stand here. A table that is full
  /// stays as it is until it is cleared.
  bool follow(std::uint32_t code, std::span<std::uint8_t>& to);

 private:
  static constexpr std::uint32_t kMostCodes = 4096;
  /// The colors of the code `before`, and one more; none if the length is 0.
  struct Entry {
    std::uint16_t before = 0;
    std::uint16_t length = 0;
    std::uint8_t first = 0;
    std::uint8_t last = 0;
  };

  void add(std::uint32_t code);
  void write(std::uint32_t code, std::span<std::uint8_t>& to) const;

  std::array<Entry, kMostCodes> entries_{};
  int root_bits_;
  int code_bits_ = 0;
  std::uint32_t used_ = 0;
  std::uint32_t previous_ = 0;
  bool has_previous_ = false;
};

}  // namespace gpuimg
