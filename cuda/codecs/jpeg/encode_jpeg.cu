// Allocates a JPEG encoder's arrays, queues the kernels, and downloads the scan.
#include "codecs/device_codecs.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "codecs/jpeg/encoder_job.cuh"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "device/device.hpp"
#include "gpuimg/error.hpp"
#include "jpeg/encode.hpp"

namespace gpuimg::cuda {
namespace {

constexpr std::size_t kScanBytesPerByte = 2;  ///< maximum, with stuffing

/// Number of words for `bytes` packed bytes, rounded up to whole pieces.
std::uint64_t words_for(std::uint64_t bytes) {
  return std::max<std::uint64_t>((bytes + kPieceBytes - 1) / kPieceBytes, 1) * (kPieceBytes / sizeof(std::uint32_t));
}

std::size_t scan_bytes(const EncoderJob& job) { return job.word_capacity * sizeof(std::uint32_t) * kScanBytesPerByte; }

/// Arrays whose size depends on job.word_capacity.
void lay_out_words(EncoderJob& job, ArrayLayout& arrays) {
  const std::size_t pieces = job.word_capacity * sizeof(std::uint32_t) / kPieceBytes;
  job.words = arrays.take<std::uint32_t>(job.word_capacity);
  job.piece_marks = arrays.take<std::uint32_t>(pieces);
  job.piece_begins = arrays.take<std::uint64_t>(pieces);
}

/// Places the job's arrays in `memory`. The scan overwrites the coefficients, which are read before it is written.
/// Returns the total size in bytes.
std::size_t lay_out(EncoderJob& job, std::byte* memory) {
  const std::size_t blocks = job.layout.block_count();
  const std::size_t tiles = job.tile_count();
  ArrayLayout arrays(memory);
  job.findings = arrays.take<EncoderFindings>(1);
  job.tables = arrays.take<EncoderTables>(1);
  job.scan = arrays.take<std::uint8_t>(std::max(blocks * jpeg::kBlockSize * sizeof(std::int16_t), scan_bytes(job)));
  job.coefficients = reinterpret_cast<std::int16_t*>(job.scan);
  job.nonzero = arrays.take<std::uint64_t>(blocks);
  job.dc = arrays.take<std::int16_t>(blocks);
  job.ac_bits = arrays.take<std::uint16_t>(blocks);
  job.tile_bits = arrays.take<std::uint32_t>(tiles);
  job.tile_begins = arrays.take<std::uint64_t>(tiles + 1);
  lay_out_words(job, arrays);
  return arrays.bytes();
}

/// Like lay_out(), for a scan that needs more memory than usual. The coefficients stay where they are.
std::size_t lay_out_again(EncoderJob& job, std::byte* memory) {
  ArrayLayout arrays(memory);
  job.scan = arrays.take<std::uint8_t>(scan_bytes(job));
  lay_out_words(job, arrays);
  return arrays.bytes();
}

class JpegEncoder {
 public:
  JpegEncoder(Workspace& workspace, const Picture& picture, const JpegScanFormat& format,
              std::unique_ptr<EncoderTables> tables)
      : workspace_(workspace), tables_(std::move(tables)) {
    job_.pixels = reinterpret_cast<const std::uint8_t*>(pixels_of(picture));
    job_.layout = jpeg::layout_without_restarts(picture.width(), picture.height(), format);
    job_.word_capacity = words_for(std::uint64_t{job_.layout.block_count()} * jpeg::kUsualBlockBytes);
    memory_ = DeviceMemory(workspace.device(), lay_out(job_, nullptr));
    lay_out(job_, memory_.data());
  }

  std::optional<Encoded> run(const NewHostMemory& new_memory) {
    cuda_check(cudaMemcpyAsync(const_cast<EncoderTables*>(job_.tables), tables_.get(), sizeof(EncoderTables),
                               cudaMemcpyHostToDevice, workspace_.stream()),
               "uploading a JPEG's tables");
    transform_pixels(workspace_, job_);
    EncoderFindings found = encode_blocks();
    if (!job_.has_room(found.bits)) {
      job_.word_capacity = words_for((found.bits + 7) / 8);
      more_memory_ = DeviceMemory(workspace_.device(), lay_out_again(job_, nullptr));
      lay_out_again(job_, more_memory_.data());
      found = encode_blocks();
    }
    const std::uint64_t bytes = (found.bits + 7) / 8 + found.marks;
    Encoded encoded{new_memory(bytes), bytes};
    cuda_check(cudaMemcpyAsync(encoded.memory.get(), job_.scan, bytes, cudaMemcpyDeviceToHost, workspace_.stream()),
               "downloading a JPEG's scan");
    workspace_.device()->wait();
    return encoded;
  }

 private:
  /// Waits for the kernels.
  EncoderFindings encode_blocks() {
    measure_codes(workspace_, job_);
    write_codes(workspace_, job_);
    stuff_bytes(workspace_, job_);
    auto* findings = workspace_.results(sizeof(EncoderFindings)).as<EncoderFindings>();
    cuda_check(
        cudaMemcpyAsync(findings, job_.findings, sizeof(EncoderFindings), cudaMemcpyDeviceToHost, workspace_.stream()),
        "encoding a JPEG");
    workspace_.device()->wait();
    return *findings;
  }

  Workspace& workspace_;
  std::unique_ptr<EncoderTables> tables_;
  DeviceMemory memory_;
  DeviceMemory more_memory_;
  EncoderJob job_;
};

}  // namespace

std::optional<Encoded> encode_jpeg(Workspace& workspace, const Picture& picture, const JpegScanFormat& format,
                                   const NewHostMemory& new_memory) {
  auto tables = std::make_unique<EncoderTables>();
  if (!jpeg::can_encode(picture.format(), format) || pitch_bytes(picture) != row_bytes(picture) ||
      !jpeg::build_code_tables(format, tables->codes)) {
    return std::nullopt;
  }
  for (int i = 0; i < format.component_count; ++i) {
    tables->quantizers[i] = jpeg::quantizers_of(format.components[static_cast<std::size_t>(i)]);
  }
  try {
    return JpegEncoder(workspace, picture, format, std::move(tables)).run(new_memory);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::out_of_memory) {
      throw;
    }
    return std::nullopt;  // the host's encoder needs less memory
  }
}

}  // namespace gpuimg::cuda
