// Deflate and checksums through ISA-L, for data compressed in strips that know nothing of each other and are joined
// into one zlib stream. RFC 1950 and 1951.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace gpuimg {

/// The two bytes that open a zlib stream with a window of 32 KiB.
inline constexpr unsigned char kZlibHeader[2] = {0x78, 0x01};

inline constexpr std::size_t kMaxStripBytes = std::size_t{1} << 30;  ///< ISA-L counts in 32 bits

/// Room that the deflated form of `size` bytes, at most kMaxStripBytes, needs at most.
constexpr std::size_t deflate_bound(std::size_t size) {
  constexpr std::size_t kStoredBlock = 65535;
  constexpr std::size_t kBlockHeader = 5;
  return size + (size / kStoredBlock + 2) * kBlockHeader + 16;
}

/// Deflates strips one after the other. Keeps about 400 KB of tables between them; not thread-safe.
///
/// The bytes depend on the input and the level alone. ISA-L chooses its code by the processor: levels 0, 1 and 2 were
/// found to give the same bytes on every x86-64 processor from SSE4.2 (2008) on, level 3 different ones with AVX-512,
/// AVX2 and neither. So level 3 is not offered; it is not smaller either.
class StripDeflater {
 public:
  explicit StripDeflater(int isal_level);  ///< 0, 1 or 2
  ~StripDeflater();
  StripDeflater(StripDeflater&&) noexcept;
  StripDeflater(const StripDeflater&) = delete;

  /// Writes the deflated strip to `out`, which holds deflate_bound(strip.size()) bytes or more, and returns its size.
  /// It ends on a whole byte, and with the mark that ends the stream where `is_last`.
  std::size_t deflate(std::span<const std::byte> strip, std::span<std::byte> out, bool is_last);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `so_far` continues an earlier run, as in crc32_of.
std::uint32_t adler32_of(std::span<const std::byte> bytes, std::uint32_t so_far = 1);

/// Adler-32 of two runs of bytes, from that of each and the length of the second.
std::uint32_t joined_adler32(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

/// CRC-32 as PNG and gzip use it; `so_far` continues an earlier run.
std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t so_far = 0);

}  // namespace gpuimg
