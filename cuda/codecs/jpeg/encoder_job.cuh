// The data of one picture in the JPEG encoder's kernels: transform_pixels.cu, then write_scan.cu. The kernels produce
// the scan. The arithmetic is in core/jpeg; tests/support/jpeg_encoder_twin.cpp runs it on the host in the same order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device.hpp"
#include "jpeg/encode.hpp"
#include "jpeg/layout.hpp"

namespace gpuimg::cuda {

/// Results that the host or later kernels need.
struct EncoderFindings {
  std::uint64_t bits;   ///< length of all codes
  std::uint64_t marks;  ///< number of bytes 0xFF; stuffing puts a zero after each
};

/// The tables of one picture, which the host uploads in one copy.
struct EncoderTables {
  alignas(16) jpeg::Quantizers quantizers[jpeg::kMaxComponents];
  alignas(16) jpeg::CodeTables codes;
};

constexpr std::uint32_t kCodeThreads = 256;  ///< also the number of coefficient blocks in a tile
constexpr std::uint32_t kPieceThreads = 256;
constexpr std::uint32_t kPieceBytes = 4096;  ///< bytes stuffed together; 16 per thread

/// Arrays in device memory. A block has 8×8 coefficients; blocks are in coded order.
struct EncoderJob {
  const std::uint8_t* pixels = nullptr;  ///< rows without padding
  const EncoderTables* tables = nullptr;
  std::int16_t* coefficients = nullptr;   ///< 64 per block in zigzag order; AC is stored only if in `nonzero`
  std::uint64_t* nonzero = nullptr;       ///< per block: bit i is set if AC coefficient i is not zero
  std::int16_t* dc = nullptr;             ///< per block
  std::uint16_t* ac_bits = nullptr;       ///< per block: length of its AC codes
  std::uint32_t* tile_bits = nullptr;     ///< per tile: length of its codes
  std::uint64_t* tile_begins = nullptr;   ///< per tile: its first bit; then the end of the last tile
  std::uint32_t* words = nullptr;         ///< packed bits; bytes in memory are in scan order
  std::uint64_t word_capacity = 0;        ///< a multiple of kPieceBytes / 4
  std::uint32_t* piece_marks = nullptr;   ///< per piece: number of bytes 0xFF
  std::uint64_t* piece_begins = nullptr;  ///< per piece: number of bytes 0xFF in the pieces before it
  std::uint8_t* scan = nullptr;           ///< twice the bytes of `words`; may share memory with the coefficients
  EncoderFindings* findings = nullptr;
  jpeg::Layout layout;

  [[nodiscard]] GPUIMG_HD std::uint32_t tile_count() const {
    return (layout.block_count() + kCodeThreads - 1) / kCodeThreads;
  }
  /// True if all bits fit. If false, nothing is written.
  [[nodiscard]] GPUIMG_HD bool has_room(std::uint64_t bits) const { return bits <= word_capacity * 32; }
};

// Each function queues one step. measure_codes() and the later steps may run again with more memory.
void transform_pixels(const Workspace& workspace, const EncoderJob& job);
void measure_codes(const Workspace& workspace, const EncoderJob& job);
void write_codes(const Workspace& workspace, const EncoderJob& job);
void stuff_bytes(const Workspace& workspace, const EncoderJob& job);

}  // namespace gpuimg::cuda
