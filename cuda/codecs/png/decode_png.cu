// Allocates a PNG decoder's arrays, queues the kernels, and reads the defects that they found.
#include <algorithm>
#include <utility>
#include <vector>

#include "codecs/device_codecs.hpp"
#include "codecs/png/decoder_job.cuh"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "device/device.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::cuda {
namespace {

constexpr std::size_t kStreamSlack = 64;  ///< reading headers may touch this many bytes past the stream
constexpr std::size_t kRawSlack = 64;     ///< reading the chunks of the last row may touch this many bytes past it

constexpr std::size_t kGroup = png::SymbolStore::kGroup;

std::size_t edge_words(const PngDecoderJob& job) {
  return std::size_t{band_count(job.height)} * (job.sizes.pitch / sizeof(std::uint32_t));
}

std::size_t raw_bytes(const PngDecoderJob& job) {
  return std::size_t{job.sizes.tiles} * png::DecodeShape{}.tile_symbols + kRawSlack;
}

/// Places the job's arrays in `memory`; null memory only computes the size. The rows reuse the memory of the symbols.
/// Returns the total size in bytes.
std::size_t lay_out(PngDecoderJob& job, std::byte* memory, std::size_t file_bytes) {
  const std::size_t lanes = png::DecodeShape{}.lanes;
  ArrayLayout arrays(memory);
  job.findings = arrays.take<PngDecoderFindings>(1);
  job.registers = arrays.take<std::uint32_t>(job.chunk_count);
  job.edges = arrays.take<unsigned long long>(edge_words(job));
  job.file = arrays.take<std::uint8_t>(file_bytes);
  job.pieces = arrays.take<png::DataPiece>(job.piece_count);
  job.chunks = arrays.take<EncodedPng::Chunk>(job.chunk_count);
  job.stream_bytes = arrays.take<std::uint8_t>(job.sizes.stream_bytes + kStreamSlack);
  job.candidates = arrays.take<std::uint32_t>(job.lists.candidates);
  job.begins = arrays.take<std::uint32_t>(job.lists.blocks);
  job.blocks = arrays.take<png::Block>(job.lists.blocks);
  job.lengths = arrays.take<std::uint8_t>(std::size_t{job.lists.blocks} * png::kBlockLengths);
  job.windows = arrays.take<png::Window>(job.lists.windows);
  job.lanes = arrays.take<png::LaneStart>(job.lists.windows * lanes);
  job.repairs = arrays.take<png::Repair>(job.lists.windows);
  job.runs = arrays.take<png::StoredRun>(job.lists.stored_runs);
  job.windows_before = arrays.take<std::uint8_t>(std::size_t{job.sizes.supertiles} * png::kMaxMatchDistance);
  job.raw = arrays.take<std::uint8_t>(raw_bytes(job));
  const std::size_t symbols = std::size_t{job.sizes.tiles} * png::DecodeShape{}.tile_symbols * sizeof(png::Symbol);
  job.rows = arrays.take<std::uint8_t>(std::max(symbols, std::size_t{job.sizes.pitch} * job.height));
  job.symbols = reinterpret_cast<png::Symbol*>(job.rows);
  return arrays.bytes();
}

class PngDecoder {
 public:
  PngDecoder(Workspace& workspace, const EncodedPng& png, const png::DataSizes& sizes)
      : workspace_(workspace), png_(png), pieces_(png::data_pieces(png)) {
    job_.sizes = sizes;
    job_.lists = png::list_sizes(sizes.stream_bytes, png::DecodeShape{});
    job_.piece_count = static_cast<std::uint32_t>(pieces_.size());
    job_.chunk_count = static_cast<std::uint32_t>(png.chunks.size());
    job_.height = static_cast<std::uint32_t>(png.height);
    job_.pixel_bytes = static_cast<std::uint32_t>(png.format.bytes_per_pixel());
    job_.is_16_bit = png.format.sample == Sample::u16;
    memory_ = DeviceMemory(workspace.device(), lay_out(job_, nullptr, png.bytes.size()));
    lay_out(job_, memory_.data(), png.bytes.size());
    job_.stream = {reinterpret_cast<const std::uint32_t*>(job_.stream_bytes), sizes.end_bit(), sizes.raw_bytes};
    job_.stream_words = static_cast<std::uint32_t>((sizes.stream_bytes + kStreamSlack) / sizeof(std::uint32_t));
  }

  std::optional<Picture> run(std::uint32_t& defects) {
    Picture picture = new_picture(workspace_.device(), png_.width, png_.height, png_.format);
    job_.pixels = reinterpret_cast<std::uint8_t*>(pixels_of(picture));
    const IdleAtEnd idle(*workspace_.device());  // copies may read the vectors and the file until the device is idle
    upload_inputs();
    gather_data(workspace_, job_);
    find_blocks(workspace_, job_);
    decode_rounds(kFirstRounds);
    for (std::uint32_t blocks = 0; !is_over(); decode_rounds(kMoreRounds)) {
      if (findings().blocks <= blocks) {  // each round adds a block, unless the list is full
        defects = png::Defect::too_many_blocks;
        return std::nullopt;
      }
      blocks = findings().blocks;
    }
    clear_tail(picture, workspace_.stream());
    defects = verdict();
    return defects == 0 ? std::optional(std::move(picture)) : std::nullopt;
  }

 private:
  static constexpr std::uint32_t kFirstRounds = 2;
  static constexpr std::uint32_t kMoreRounds = 4;  ///< between two downloads of the findings

  void upload(const void* to, const void* from, std::size_t bytes) const {
    cuda_check(cudaMemcpyAsync(const_cast<void*>(to), from, bytes, cudaMemcpyHostToDevice, workspace_.stream()),
               "uploading a PNG");
  }
  void clear(void* array, std::size_t bytes) const {
    cuda_check(cudaMemsetAsync(array, 0, bytes, workspace_.stream()), "clearing a PNG's arrays");
  }

  void upload_inputs() const {
    clear(job_.findings, sizeof(PngDecoderFindings));
    clear(job_.registers, job_.chunk_count * sizeof(std::uint32_t));
    clear(job_.edges, edge_words(job_) * sizeof(unsigned long long));
    clear(job_.stream_bytes + job_.sizes.stream_bytes, kStreamSlack);
    clear(job_.raw + job_.sizes.raw_bytes, kRawSlack);
    // Symbols are read in groups. A tile holds whole groups, so the last group ends inside the array.
    const std::size_t group_end = (std::size_t{job_.sizes.raw_bytes} + kGroup - 1) / kGroup * kGroup;
    clear(job_.symbols + job_.sizes.raw_bytes, (group_end - job_.sizes.raw_bytes) * sizeof(png::Symbol));
    upload(job_.file, png_.bytes.data(), png_.bytes.size());
    upload(job_.pieces, pieces_.data(), pieces_.size() * sizeof(png::DataPiece));
    upload(job_.chunks, png_.chunks.data(), png_.chunks.size() * sizeof(EncodedPng::Chunk));
  }

  /// Queues `rounds` rounds and then all later kernels, which do nothing until the chain has reached its end. Waits,
  /// and downloads the findings.
  void decode_rounds(std::uint32_t rounds) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      decode_blocks(workspace_, job_);
    }
    emit_symbols(workspace_, job_);
    resolve_symbols(workspace_, job_);
    unfilter_rows(workspace_, job_);
    auto* const findings = workspace_.results(kResultBytes).as<PngDecoderFindings>();
    cuda_check(cudaMemcpyAsync(findings, job_.findings, sizeof(PngDecoderFindings), cudaMemcpyDeviceToHost,
                               workspace_.stream()),
               "decoding a PNG");
    const std::size_t end = job_.stream.end / 8;
    cuda_check(cudaMemcpyAsync(findings + 1, job_.stream_bytes + end, png::kDataChecksumBytes, cudaMemcpyDeviceToHost,
                               workspace_.stream()),
               "decoding a PNG");
    workspace_.device()->wait();
  }

  [[nodiscard]] const PngDecoderFindings& findings() const {
    return *workspace_.results(kResultBytes).as<PngDecoderFindings>();
  }
  [[nodiscard]] bool is_over() const { return findings().defects != 0 || findings().chain.is_done != 0; }

  /// The defects found, or bad_data_checksum if only the checksum of the data is wrong.
  [[nodiscard]] std::uint32_t verdict() const {
    png::AdlerSums sums;
    sums.low = findings().adler_low;
    sums.high = findings().adler_high;
    sums.reduce();
    const auto* const stated = reinterpret_cast<const std::uint8_t*>(&findings() + 1);
    const bool is_right = sums.checksum(job_.sizes.raw_bytes) == png::big_endian_at(stated, 0);
    return findings().defects != 0 || is_right ? findings().defects
                                               : static_cast<std::uint32_t>(png::Defect::bad_data_checksum);
  }

  static constexpr std::size_t kResultBytes = sizeof(PngDecoderFindings) + 16;

  Workspace& workspace_;
  const EncodedPng& png_;
  std::vector<png::DataPiece> pieces_;
  DeviceMemory memory_;
  PngDecoderJob job_;
};

}  // namespace

std::optional<Picture> decode_png(Workspace& workspace, const EncodedPng& png, std::uint32_t* defects) {
  std::uint32_t found = png::Defect::bad_size;
  std::optional<Picture> picture;
  png::DataSizes sizes;
  try {
    if (png::measure(png, {}, sizes)) {
      found = 0;
      prepare_resolving(workspace);
      picture = PngDecoder(workspace, png, sizes).run(found);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::out_of_memory && error.kind() != ErrorKind::unsupported) {
      throw;
    }
    // Device memory or the kernels' shared memory does not suffice; the host may still be able to decode the image.
  }
  if (defects != nullptr) {
    *defects = found;
  }
  return picture;
}

}  // namespace gpuimg::cuda
