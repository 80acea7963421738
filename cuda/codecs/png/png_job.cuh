// The data of one picture in the PNG encoder's kernels, and these kernels in the order in which they run. The kernels
// produce the IDAT chunks. The arithmetic is in core/png; tests/support/png_encoder_twin.cpp runs it on the host in the
// same order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device.hpp"
#include "png/matches.hpp"
#include "png/strips.hpp"

namespace gpuimg::cuda {

/// Results that the host or later kernels need. Zero at first.
struct PngFindings {
  unsigned long long adler_low;  ///< sums over rows, each less than the modulus
  unsigned long long adler_high;
  std::uint64_t bytes;  ///< size of all chunks
};

/// Number of times that each symbol occurs in a part.
struct PartCounts {
  std::uint32_t literals[png::kLiteralSymbols];  ///< without the end-of-block symbol
  std::uint32_t distances[png::kDistanceSymbols];
};

/// Reads that begin inside a strip end at most this far after it.
constexpr std::size_t kReadAhead = 512;

/// Arrays in device memory. Parts and blocks have the numbers that StripLayout gives them.
struct PngJob {
  const std::uint8_t* pixels = nullptr;  ///< rows without padding
  std::uint32_t pixel_bytes = 1;
  bool is_16_bit = false;
  int level = 1;
  png::StripLayout layout;
  std::uint8_t* filtered = nullptr;       ///< layout.memory_bytes() + kReadAhead bytes
  png::Match* slots = nullptr;            ///< per kSlotBytes bytes of `filtered`; zero at first
  PartCounts* counts = nullptr;           ///< per part
  std::uint32_t* part_bits = nullptr;     ///< per part: length of its codes in bits
  png::BlockCodes* blocks = nullptr;      ///< per block
  std::uint64_t* block_begins = nullptr;  ///< per block: its first bit in `bytes`
  png::ChunkPlace* chunks = nullptr;      ///< per strip
  std::uint8_t* bytes = nullptr;          ///< the chunks; zero at first
  PngFindings* findings = nullptr;

  [[nodiscard]] GPUIMG_HD const std::uint8_t* strip(std::uint32_t number) const {
    return filtered + number * layout.strip_stride();
  }
  [[nodiscard]] GPUIMG_HD png::Match* strip_slots(std::uint32_t number) const {
    return slots + number * layout.strip_stride() / png::kSlotBytes;
  }
};

// Each function queues one step.
void filter_rows(const Workspace& workspace, const PngJob& job);
void find_matches(const Workspace& workspace, const PngJob& job);
void count_symbols(const Workspace& workspace, const PngJob& job);
void choose_codes(const Workspace& workspace, const PngJob& job);
void place_chunks(const Workspace& workspace, const PngJob& job);
void pack_symbols(const Workspace& workspace, const PngJob& job);
void checksum_chunks(const Workspace& workspace, const PngJob& job);

}  // namespace gpuimg::cuda
