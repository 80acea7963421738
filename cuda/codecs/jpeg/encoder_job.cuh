// One picture on its way to a JPEG's scan, through the kernels of this folder in this order: transform_pixels.cu,
// write_scan.cu. The arithmetic is that of core/jpeg; tests/support/jpeg_encoder_twin.cpp runs it on the host in the
// same order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device.hpp"
#include "jpeg/encode.hpp"
#include "jpeg/layout.hpp"

namespace gpuimg::cuda {

/// What the kernels find out.
struct EncoderFindings {
  std::uint64_t bits;   ///< of all codes
  std::uint64_t marks;  ///< bytes 0xFF, each of which gets a zero behind it
};

/// What the host gives the device for one picture, in one copy.
struct EncoderTables {
  alignas(16) jpeg::Quantizers quantizers[jpeg::kMaxComponents];
  alignas(16) jpeg::CodeTables codes;
};

constexpr std::uint32_t kCodeThreads =
    256;  ///< a tile: as many blocks of coefficients, whose codes are packed together
constexpr std::uint32_t kPieceThreads = 256;
constexpr std::uint32_t kPieceBytes = 4096;  ///< stuffed together, 16 a thread

/// Arrays in device memory. A block is one of 8×8 coefficients; blocks are in coded order.
struct EncoderJob {
  const std::uint8_t* pixels = nullptr;  ///< rows without padding
  const EncoderTables* tables = nullptr;
  std::int16_t* coefficients = nullptr;   ///< of each block 64 in zigzag order; only those of AC that `nonzero` names
  std::uint64_t* nonzero = nullptr;       ///< of each block: bit i is AC coefficient i
  std::int16_t* dc = nullptr;             ///< of each block
  std::uint16_t* ac_bits = nullptr;       ///< of each block: length of its AC codes
  std::uint32_t* tile_bits = nullptr;     ///< of each tile: length of its codes
  std::uint64_t* tile_begins = nullptr;   ///< of each tile: its first bit; then the end
  std::uint32_t* words = nullptr;         ///< packed bits, in the order of bytes
  std::uint64_t word_capacity = 0;        ///< a multiple of kPieceBytes / 4
  std::uint32_t* piece_marks = nullptr;   ///< of each piece: bytes 0xFF
  std::uint64_t* piece_begins = nullptr;  ///< of each piece: bytes 0xFF in the pieces before it
  std::uint8_t* scan = nullptr;           ///< twice as many bytes as `words` has; may be where the coefficients are
  EncoderFindings* findings = nullptr;
  jpeg::Layout layout;

  [[nodiscard]] GPUIMG_HD std::uint32_t tile_count() const {
    return (layout.block_count() + kCodeThreads - 1) / kCodeThreads;
  }
  /// True if all bits fit. If not, nothing is written.
  [[nodiscard]] GPUIMG_HD bool has_room(std::uint64_t bits) const { return bits <= word_capacity * 32; }
};

// Each queues one step. measure_codes() and those after it may run again, with more room.
void transform_pixels(const Workspace& workspace, const EncoderJob& job);
void measure_codes(const Workspace& workspace, const EncoderJob& job);
void write_codes(const Workspace& workspace, const EncoderJob& job);
void stuff_bytes(const Workspace& workspace, const EncoderJob& job);

}  // namespace gpuimg::cuda
