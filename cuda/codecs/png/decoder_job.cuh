// The data of one PNG in the decoder's kernels, and these kernels in the order in which they run. The arithmetic is in
// core/png; tests/support/png_twin.cpp runs it on the host in the same order. Design:
// docs/decisions/0030-png-decoded-on-the-device.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device.hpp"
#include "png/data_stream.hpp"

namespace gpuimg::cuda {

constexpr std::uint32_t kMostPasses = png::DecodeShape{}.passes;

/// Results that the host or later kernels need. Zero before the first kernel.
struct PngDecoderFindings {
  std::uint32_t defects;               ///< png::Defect; if not 0, the later kernels do nothing
  std::uint32_t candidates;            ///< bits at which a block may begin; may exceed the list's capacity
  std::uint32_t begins;                ///< candidates with a valid header, and the first block
  std::uint32_t sorted_blocks;         ///< png::BlockList
  std::uint32_t blocks;                ///< png::BlockList: includes blocks that the chain has added
  std::uint32_t decoded_blocks;        ///< blocks that have been through a round
  std::uint32_t windows;               ///< may exceed the list's capacity, which is a defect
  std::uint32_t decoded_windows;       ///< windows that have been through a round
  std::uint32_t repairs[kMostPasses];  ///< per pass of the current round
  png::Chain chain;
  std::uint32_t bands;           ///< bands of rows that warps have begun so far
  unsigned long long adler_low;  ///< png::AdlerSums of all bytes, each part less than the modulus
  unsigned long long adler_high;
};

/// Arrays in device memory.
struct PngDecoderJob {
  const std::uint8_t* file = nullptr;  ///< EncodedPng::bytes
  const png::DataPiece* pieces = nullptr;
  std::uint32_t piece_count = 0;
  const EncodedPng::Chunk* chunks = nullptr;
  std::uint32_t chunk_count = 0;
  std::uint32_t* registers = nullptr;  ///< CRC-32 of each chunk's data; zero at first
  std::uint8_t* stream_bytes = nullptr;
  png::StreamEnds stream;          ///< its `words` point to stream_bytes
  std::uint32_t stream_words = 0;  ///< readable words; those past the stream are zero
  std::uint32_t* candidates = nullptr;
  std::uint32_t* begins = nullptr;
  png::Block* blocks = nullptr;
  std::uint8_t* lengths = nullptr;  ///< png::kBlockLengths per block
  png::Window* windows = nullptr;
  png::LaneStart* lanes = nullptr;  ///< png::DecodeShape::lanes per window
  png::Repair* repairs = nullptr;
  png::StoredRun* runs = nullptr;
  png::Symbol* symbols = nullptr;          ///< whole tiles; `rows` later uses the same memory
  std::uint8_t* windows_before = nullptr;  ///< png::kMaxMatchDistance bytes per supertile
  std::uint8_t* raw = nullptr;             ///< the decompressed bytes: whole tiles, and bytes for reading past the end
  std::uint8_t* rows = nullptr;            ///< png::UnfilteredRows
  unsigned long long* edges = nullptr;     ///< words of each band's last row; bit 32 is set once written; zero at first
  std::uint8_t* pixels = nullptr;          ///< of the picture
  PngDecoderFindings* findings = nullptr;
  png::DataSizes sizes;
  png::ListSizes lists;
  std::uint32_t height = 0;
  std::uint32_t pixel_bytes = 1;
  bool is_16_bit = false;

  [[nodiscard]] GPUIMG_HD png::BlockList block_list() const {
    const std::uint32_t sorted = findings->sorted_blocks;
    return {blocks, sorted, findings->blocks, sorted + png::DecodeShape{}.more_rounds};
  }
  [[nodiscard]] GPUIMG_HD const std::uint32_t* words() const { return stream.words; }
  /// True if the stream is proved valid, so that symbols, bytes and rows can be produced.
  [[nodiscard]] GPUIMG_HD bool is_proved() const { return findings->defects == 0 && findings->chain.is_done != 0; }
};

/// Rows in a band. One warp unfilters a band.
constexpr std::uint32_t kBandRows = 32;
GPUIMG_HD constexpr std::uint32_t band_count(std::uint32_t height) { return (height + kBandRows - 1) / kBandRows; }

/// Throws Error{unsupported} if the device has too little shared memory for resolve_symbols(). Call it first.
void prepare_resolving(const Workspace& workspace);

// Each function queues one step.
void gather_data(const Workspace& workspace, const PngDecoderJob& job);
void find_blocks(const Workspace& workspace, const PngDecoderJob& job);
/// One round: parses and decodes the blocks that are not decoded yet, and follows the chain.
void decode_blocks(const Workspace& workspace, const PngDecoderJob& job);
void emit_symbols(const Workspace& workspace, const PngDecoderJob& job);
void resolve_symbols(const Workspace& workspace, const PngDecoderJob& job);
void unfilter_rows(const Workspace& workspace, const PngDecoderJob& job);

}  // namespace gpuimg::cuda
