// The data of one JPEG in the decoder's kernels: clean_scan.cu, then decode_scan.cu, then make_pixels.cu.
// A JPEG whose coefficients the host decodes (JpegCoefficients) needs only make_pixels.cu. The arithmetic is in
// core/jpeg; tests/support/jpeg_twin.cpp runs it on the host in the same order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device.hpp"
#include "jpeg/layout.hpp"
#include "jpeg/pixels.hpp"
#include "jpeg/subsequences.hpp"
#include "orientation.hpp"

namespace gpuimg::cuda {

/// Results that the host or later kernels need. Zero before the first kernel.
struct JpegFindings {
  std::uint32_t defects;       ///< jpeg::Defect
  std::uint32_t coded_bytes;   ///< without stuffing
  std::uint32_t scan_end;      ///< offset of the marker after the scan
  std::uint32_t subsequences;  ///< 0 after a defect, so that the later kernels do nothing
};

/// One tile of a raw scan. Holds first its own counts, and later the counts of all tiles before it.
struct RawTile {
  std::uint32_t coded_bytes;
  std::uint32_t restarts;
  std::uint32_t end;  ///< offset of the first marker other than a restart marker; kNoEnd if there is none
};

constexpr std::uint32_t kNoEnd = ~0U;
constexpr std::uint32_t kRawTileThreads = 256;
constexpr std::uint32_t kRawTileBytes = 4096;  ///< 16 per thread

/// A thread block synchronizes 256 subsequences. The first six are its run-in, and belong to the previous tile.
constexpr std::uint32_t kTileThreads = 256;
constexpr std::uint32_t kRunIn = 6;
constexpr std::uint32_t kTileSize = kTileThreads - kRunIn;

/// Short subsequences reduce the latency of one image; long subsequences raise throughput. With 16 images in flight,
/// photographs take 0.194 ms each at 1,024 bits, 0.175 ms at 2,048 bits, and more than 0.175 ms at 4,096 bits.
constexpr std::uint32_t kSubsequenceBits = 2048;

/// Arrays in device memory.
struct JpegJob {
  const std::byte* raw = nullptr;  ///< the scan and the bytes that follow it in the file
  std::uint32_t raw_bytes = 0;
  RawTile* raw_tiles = nullptr;
  std::uint32_t* words = nullptr;              ///< the scan without stuffing
  std::uint32_t* first_byte = nullptr;         ///< jpeg::Segments
  std::uint32_t* first_subsequence = nullptr;  ///< jpeg::Segments
  jpeg::SubsequenceTable table;                ///< JpegFindings::subsequences entries
  const jpeg::HuffmanTables* huffman = nullptr;
  const jpeg::TransposedSteps* steps = nullptr;  ///< per component
  std::int16_t* coefficients = nullptr;
  bool is_coded_order = true;  ///< true: blocks in coded order, each stored by columns; false: as in JpegBlocks
  std::uint8_t* planes[jpeg::kMaxComponents] = {};
  std::uint8_t* pixels = nullptr;  ///< as stored in the file (not rotated), without padding
  JpegFindings* findings = nullptr;
  jpeg::Layout layout;
  jpeg::McuCode mcu;

  [[nodiscard]] GPUIMG_HD jpeg::Segments segments() const {
    return {first_byte, first_subsequence, layout.segment_count, kSubsequenceBits};
  }
  [[nodiscard]] GPUIMG_HD jpeg::SamplePlane plane(int component) const {
    return {planes[component], layout.plane_pitch(component), layout.plane_width(component),
            layout.plane_height(component)};
  }
};

/// Upper bound on the number of subsequences, known before the scan is read.
inline std::uint32_t max_subsequences(std::uint32_t raw_bytes, std::uint32_t segments) {
  return raw_bytes / (kSubsequenceBits / 8) + segments + 1;
}

// Each function queues one step.
void clean_scan(const Workspace& workspace, const JpegJob& job);
void find_states(const Workspace& workspace, const JpegJob& job);
void write_blocks(const Workspace& workspace, const JpegJob& job);
void make_pixels(const Workspace& workspace, const JpegJob& job);

/// Rotates or mirrors pixels as the EXIF orientation requires. `width` × `height` is the size of the result; a pixel
/// has 1 or 3 bytes.
void turn_pixels(const Workspace& workspace, const std::uint8_t* from, std::uint8_t* to, int width, int height,
                 int pixel_bytes, const Orientation& turn);

}  // namespace gpuimg::cuda
