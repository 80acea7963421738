// Allocates a JPEG's arrays, queues the kernels, and reads the defects that they found.
#include "codecs/device_codecs.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "codecs/jpeg/jpeg_job.cuh"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "device/device.hpp"
#include "gpuimg/error.hpp"
#include "jpeg/subsequences.hpp"
#include "orientation.hpp"

namespace gpuimg::cuda {
namespace {

/// The tables of one image, which the host uploads in one copy.
struct JpegTables {
  alignas(16) jpeg::HuffmanTables huffman;
  alignas(16) jpeg::TransposedSteps steps[jpeg::kMaxComponents];
};

/// Places the job's arrays in `memory`. Returns their total size in bytes; null memory only computes the size.
std::size_t lay_out(JpegJob& job, std::byte* memory) {
  const std::uint32_t segments = job.layout.segment_count;
  const std::size_t subsequences = max_subsequences(job.raw_bytes, segments);
  const std::size_t tiles = subsequences / kTileSize + 1;
  ArrayLayout arrays(memory);
  job.findings = arrays.take<JpegFindings>(1);
  const auto* tables = arrays.take<JpegTables>(1);
  job.huffman = tables == nullptr ? nullptr : &tables->huffman;
  job.steps = tables == nullptr ? nullptr : tables->steps;
  job.raw = arrays.take<std::byte>(std::size_t{job.raw_bytes} + kReadablePastEnd);
  job.raw_tiles = arrays.take<RawTile>(job.raw_bytes / kRawTileBytes + 1);
  job.words = arrays.take<std::uint32_t>(job.raw_bytes / sizeof(std::uint32_t) + 16);
  job.first_byte = arrays.take<std::uint32_t>(std::size_t{segments} + 1);
  job.first_subsequence = arrays.take<std::uint32_t>(std::size_t{segments} + 1);
  job.table.ends = arrays.take<jpeg::DecoderState>(subsequences);
  job.table.own = arrays.take<jpeg::ScanSums>(subsequences);
  job.table.before = arrays.take<jpeg::ScanSums>(subsequences);
  job.table.assumed_ends = arrays.take<jpeg::DecoderState>(tiles);
  job.table.tile_sums = arrays.take<jpeg::SegmentSums>(tiles);
  job.table.before_tile = arrays.take<jpeg::ScanSums>(tiles);
  job.coefficients = arrays.take<std::int16_t>(std::size_t{job.layout.block_count()} * jpeg::kBlockSize);
  for (int i = 0; i < job.layout.component_count; ++i) {
    const std::size_t blocks = std::size_t{job.layout.block_columns(i)} * job.layout.block_rows(i);
    job.planes[i] = arrays.take<std::uint8_t>(blocks * jpeg::kBlockSize);
  }
  return arrays.bytes();
}

/// Uploads coefficients while the host decodes the next coefficients.
class BlockUpload final : public JpegBlockSink {
 public:
  BlockUpload(Workspace& workspace, std::int16_t* to, const NewHostMemory& new_memory)
      : workspace_(workspace), to_(to), new_memory_(new_memory), idle_(*workspace.device()) {}

  std::span<std::int16_t> memory(std::size_t blocks) override {
    const std::size_t count = blocks * jpeg::kBlockSize;
    memory_ = new_memory_(count * sizeof(std::int16_t));
    return {reinterpret_cast<std::int16_t*>(memory_.get()), count};
  }

  void take(std::span<const JpegBlocks> band) override {
    workspace_.device()->make_current();
    for (const JpegBlocks& blocks : band) {
      cuda_check(cudaMemcpyAsync(to_ + std::size_t{blocks.first} * jpeg::kBlockSize, blocks.coefficients.data(),
                                 blocks.coefficients.size_bytes(), cudaMemcpyHostToDevice, workspace_.stream()),
                 "uploading a JPEG");
    }
    workspace_.band_ends[turn_].record(workspace_.stream());
    turn_ = (turn_ + 1) % Workspace::kBands;
    workspace_.band_ends[turn_].wait();  // the previous band is copied, so the host may overwrite it
  }

 private:
  Workspace& workspace_;
  std::int16_t* to_;
  const NewHostMemory& new_memory_;
  std::shared_ptr<std::byte> memory_;
  int turn_ = 0;
  IdleAtEnd idle_;  // destroyed before memory_
};

class JpegDecoder {
 public:
  JpegDecoder(Workspace& workspace, const EncodedJpeg& encoded, std::unique_ptr<JpegTables> tables)
      : workspace_(workspace), encoded_(encoded), tables_(std::move(tables)) {
    job_.layout = jpeg::layout_of(encoded);
    job_.mcu = jpeg::mcu_code_of(encoded);
    job_.raw_bytes = static_cast<std::uint32_t>(encoded.scan.size());
    job_.table.tile_size = kTileSize;
    memory_ = DeviceMemory(workspace.device(), lay_out(job_, nullptr));
    lay_out(job_, memory_.data());
  }

  /// Decodes the scan.
  std::optional<Picture> run(std::uint32_t& defects) {
    Picture picture = picture_of_pixels();
    upload_inputs();
    clean_scan(workspace_, job_);
    find_states(workspace_, job_);
    write_blocks(workspace_, job_);
    make_pixels(workspace_, job_);
    clear_tail(picture, workspace_.stream());
    defects = verdict();
    if (defects == jpeg::Defect::not_synchronized && upload_walked_states()) {
      write_blocks(workspace_, job_);
      make_pixels(workspace_, job_);
      defects = verdict();
    }
    return defects == 0 ? std::optional(upright(std::move(picture))) : std::nullopt;
  }

  /// Computes pixels from coefficients that the host decodes.
  std::optional<Picture> run(const JpegCoefficients& jpeg, const NewHostMemory& new_memory) {
    Picture picture = picture_of_pixels();
    BlockUpload blocks(workspace_, job_.coefficients, new_memory);
    if (!jpeg.read(blocks)) {
      return std::nullopt;
    }
    upload_tables();
    job_.is_coded_order = false;
    make_pixels(workspace_, job_);
    clear_tail(picture, workspace_.stream());
    return verdict() == 0 ? std::optional(upright(std::move(picture))) : std::nullopt;
  }

 private:
  Picture picture_of_pixels() {
    Picture picture =
        new_picture(workspace_.device(), encoded_.width, encoded_.height, {Sample::u8, encoded_.component_count});
    job_.pixels = reinterpret_cast<std::uint8_t*>(pixels_of(picture));
    return picture;
  }

  template <class T>
  void upload(T* to, const void* from, std::size_t bytes) {
    cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, workspace_.stream()), "uploading a JPEG");
  }

  void upload_tables() {
    upload(const_cast<jpeg::HuffmanTables*>(job_.huffman), tables_.get(), sizeof(JpegTables));
    cuda_check(cudaMemsetAsync(job_.findings, 0, sizeof(JpegFindings), workspace_.stream()), "uploading a JPEG");
  }

  void upload_inputs() {
    upload_tables();
    upload(const_cast<std::byte*>(job_.raw), encoded_.scan.data(), job_.raw_bytes);
    // Kernels read whole words, so they may read up to kReadablePastEnd bytes past the scan.
    cuda_check(
        cudaMemsetAsync(const_cast<std::byte*>(job_.raw) + job_.raw_bytes, 0, kReadablePastEnd, workspace_.stream()),
        "uploading a JPEG");
  }

  /// Waits for the kernels.
  std::uint32_t verdict() {
    auto* findings = workspace_.results(sizeof(JpegFindings)).as<JpegFindings>();
    cuda_check(
        cudaMemcpyAsync(findings, job_.findings, sizeof(JpegFindings), cudaMemcpyDeviceToHost, workspace_.stream()),
        "decoding a JPEG");
    workspace_.device()->wait();
    return findings->defects;
  }

  /// In the scan of a flat image, guessed states never synchronize, so the host determines the states one after
  /// another. Returns false if the host's clean scan differs from the device's, which would be a bug.
  bool upload_walked_states() {
    const jpeg::CleanScan scan = jpeg::clean_scan(encoded_.scan, job_.layout.segment_count);
    const std::vector<std::uint32_t> first = jpeg::first_subsequences(scan.first_byte, kSubsequenceBits);
    const auto* findings = workspace_.results(sizeof(JpegFindings)).as<JpegFindings>();
    if (scan.defects != 0 || first.back() != findings->subsequences) {
      return false;
    }
    std::vector<jpeg::DecoderState> ends(first.back());
    std::vector<jpeg::ScanSums> own(first.back());
    std::vector<jpeg::ScanSums> before(first.back());
    jpeg::ScanSums before_tile;
    jpeg::SubsequenceTable table;
    table.ends = ends.data();
    table.own = own.data();
    table.before = before.data();
    table.before_tile = &before_tile;
    table.count = table.tile_size = first.back();
    jpeg::walk_states(table, {scan.first_byte.data(), first.data(), job_.layout.segment_count, kSubsequenceBits},
                      {scan.words.data(), tables_->huffman.symbols, tables_->huffman.groups, job_.mcu});
    upload(job_.table.ends, ends.data(), ends.size() * sizeof(jpeg::DecoderState));
    upload(job_.table.own, own.data(), own.size() * sizeof(jpeg::ScanSums));
    upload(job_.table.before, before.data(), before.size() * sizeof(jpeg::ScanSums));
    upload(job_.table.before_tile, &before_tile, sizeof(before_tile));
    job_.table.tile_size = table.tile_size;
    cuda_check(cudaMemsetAsync(&job_.findings->defects, 0, sizeof(std::uint32_t), workspace_.stream()),
               "decoding a JPEG");
    workspace_.device()->wait();  // the copies may read the vectors until here
    return true;
  }

  Picture upright(Picture stored) {
    if (encoded_.orientation < 2 || encoded_.orientation > 8) {
      return stored;
    }
    const bool swaps = swaps_sides(encoded_.orientation);
    Picture turned = new_picture(workspace_.device(), swaps ? stored.height() : stored.width(),
                                 swaps ? stored.width() : stored.height(), stored.format());
    turn_pixels(workspace_, job_.pixels, reinterpret_cast<std::uint8_t*>(pixels_of(turned)), turned.width(),
                turned.height(), turned.format().channels,
                orientation_of(encoded_.orientation, stored.width(), stored.height()));
    clear_tail(turned, workspace_.stream());
    return turned;
  }

  Workspace& workspace_;
  const EncodedJpeg& encoded_;
  std::unique_ptr<JpegTables> tables_;
  DeviceMemory memory_;
  JpegJob job_;
};

std::unique_ptr<JpegTables> tables_of(const EncodedJpeg& jpeg) {
  auto tables = std::make_unique<JpegTables>();
  for (int i = 0; i < jpeg.component_count; ++i) {
    tables->steps[i] = jpeg::transposed_steps(jpeg.components[static_cast<std::size_t>(i)]);
  }
  return tables;
}

/// Calls decode(). Returns nullopt if device memory or the kernels' shared memory does not suffice, because the host
/// may still be able to decode the image.
template <class Decode>
std::optional<Picture> if_possible(const Decode& decode) {
  try {
    return decode();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::out_of_memory && error.kind() != ErrorKind::unsupported) {
      throw;
    }
    return std::nullopt;
  }
}

}  // namespace

std::optional<Picture> decode_jpeg(Workspace& workspace, const EncodedJpeg& jpeg, std::uint32_t* defects) {
  constexpr std::size_t kMaxScanBytes = (std::size_t{1} << 29) - 64;  // bits are counted in 32 bits
  std::uint32_t found = 0;
  std::optional<Picture> picture;
  std::unique_ptr<JpegTables> tables = tables_of(jpeg);
  if (jpeg.scan.size() >= kMaxScanBytes || !jpeg::build_huffman_tables(jpeg, tables->huffman)) {
    found = jpeg::Defect::bad_code;
  } else {
    picture = if_possible([&] { return JpegDecoder(workspace, jpeg, std::move(tables)).run(found); });
  }
  if (defects != nullptr) {
    *defects = found;
  }
  return picture;
}

std::optional<Picture> decode_jpeg(Workspace& workspace, const JpegCoefficients& jpeg,
                                   const NewHostMemory& new_memory) {
  return if_possible([&] { return JpegDecoder(workspace, jpeg.frame, tables_of(jpeg.frame)).run(jpeg, new_memory); });
}

}  // namespace gpuimg::cuda
