// Allocates a PNG encoder's arrays, queues the kernels, and downloads the chunks.
#include "codecs/device_codecs.hpp"

#include <algorithm>

#include "codecs/png/png_job.cuh"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "device/device.hpp"
#include "gpuimg/error.hpp"
#include "png/row_filter.hpp"
#include "png/strips.hpp"

namespace gpuimg::cuda {
namespace {

/// Places the job's arrays in `memory`; null memory only computes the size. Returns the total size in bytes.
std::size_t lay_out(PngJob& job, std::byte* memory) {
  const png::StripLayout& layout = job.layout;
  ArrayLayout arrays(memory);
  job.findings = arrays.take<PngFindings>(1);
  job.filtered = arrays.take<std::uint8_t>(layout.memory_bytes() + kReadAhead);
  job.slots = arrays.take<png::Match>(layout.memory_bytes() / png::kSlotBytes);
  job.counts = arrays.take<PartCounts>(layout.part_count());
  job.part_bits = arrays.take<std::uint32_t>(layout.part_count());
  job.blocks = arrays.take<png::BlockCodes>(layout.block_count());
  job.block_begins = arrays.take<std::uint64_t>(layout.block_count());
  job.chunks = arrays.take<png::ChunkPlace>(layout.strips);
  job.bytes = arrays.take<std::uint8_t>(png::most_chunk_bytes(layout));
  return arrays.bytes();
}

/// Packs rows: eight pixels per byte. Thread → byte.
__global__ void pack_rows(const std::uint8_t* pixels, int width, int height, std::uint8_t* packed) {
  const int row_bytes = png::packed_row_bytes(width);
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int step = static_cast<int>(gridDim.y * blockDim.y);
  for (int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); i < row_bytes && y < height; y += step) {
    const std::uint8_t* from = pixels + static_cast<std::size_t>(y) * width + std::size_t{8} * i;
    packed[static_cast<std::size_t>(y) * row_bytes + i] =
        static_cast<std::uint8_t>(png::packed_byte(from, min(8, width - 8 * i)));
  }
}

/// The packed rows as an 8-bit gray picture whose pixels are their bytes.
Picture packed_picture(const Workspace& workspace, const Picture& picture) {
  constexpr unsigned kAcross = 32;
  constexpr unsigned kDown = 8;
  constexpr unsigned kMaxGridRows = 65535;
  Picture packed =
      new_picture(workspace.device(), png::packed_row_bytes(picture.width()), picture.height(), picture.format());
  const dim3 blocks((static_cast<unsigned>(packed.width()) + kAcross - 1) / kAcross,
                    std::min((static_cast<unsigned>(packed.height()) + kDown - 1) / kDown, kMaxGridRows));
  pack_rows<<<blocks, dim3(kAcross, kDown), 0, workspace.stream()>>>(
      reinterpret_cast<const std::uint8_t*>(pixels_of(picture)), picture.width(), picture.height(),
      reinterpret_cast<std::uint8_t*>(pixels_of(packed)));
  check_launch("packing pixels for a PNG");
  return packed;
}

class PngEncoder {
 public:
  PngEncoder(Workspace& workspace, const Picture& picture, const PngDataFormat& format) : workspace_(workspace) {
    job_.pixels = reinterpret_cast<const std::uint8_t*>(pixels_of(picture));
    job_.pixel_bytes = static_cast<std::uint32_t>(picture.format().bytes_per_pixel());
    job_.is_16_bit = picture.format().sample == Sample::u16;
    job_.level = format.level;
    job_.layout = png::layout_of(picture.width(), picture.height(), picture.format());
    memory_ = DeviceMemory(workspace.device(), lay_out(job_, nullptr));
    lay_out(job_, memory_.data());
    clear_tail(picture, workspace.stream());  // operations do not initialize the tail
  }

  Encoded run(const NewHostMemory& new_memory) {
    clear(job_.findings, sizeof(PngFindings));
    clear(job_.slots, job_.layout.memory_bytes() / png::kSlotBytes * sizeof(png::Match));
    clear(job_.bytes, png::most_chunk_bytes(job_.layout));
    clear_between_strips();
    filter_rows(workspace_, job_);
    find_matches(workspace_, job_);
    count_symbols(workspace_, job_);
    choose_codes(workspace_, job_);
    place_chunks(workspace_, job_);
    pack_symbols(workspace_, job_);
    checksum_chunks(workspace_, job_);
    auto* findings = workspace_.results(sizeof(PngFindings)).as<PngFindings>();
    cuda_check(
        cudaMemcpyAsync(findings, job_.findings, sizeof(PngFindings), cudaMemcpyDeviceToHost, workspace_.stream()),
        "encoding a PNG");
    workspace_.device()->wait();
    const std::uint64_t bytes = findings->bytes;
    Encoded encoded{new_memory(bytes), bytes};
    cuda_check(cudaMemcpyAsync(encoded.memory.get(), job_.bytes, bytes, cudaMemcpyDeviceToHost, workspace_.stream()),
               "downloading a PNG's chunks");
    workspace_.device()->wait();
    return encoded;
  }

 private:
  void clear(void* array, std::size_t bytes) const {
    cuda_check(cudaMemsetAsync(array, 0, bytes, workspace_.stream()), "clearing a PNG's arrays");
  }

  /// Clears the bytes past the end of each strip. The search reads some of these bytes, but does not use them.
  void clear_between_strips() const {
    const png::StripLayout& layout = job_.layout;
    const std::uint64_t stride = layout.strip_stride();
    const std::uint32_t whole = layout.strip_bytes(0);
    if (layout.strips > 1 && whole < stride) {
      cuda_check(
          cudaMemset2DAsync(job_.filtered + whole, stride, 0, stride - whole, layout.strips - 1, workspace_.stream()),
          "clearing a PNG's arrays");
    }
    const std::uint64_t end = (layout.strips - 1) * stride + layout.strip_bytes(layout.strips - 1);
    clear(job_.filtered + end, layout.memory_bytes() + kReadAhead - end);
  }

  Workspace& workspace_;
  DeviceMemory memory_;
  PngJob job_;
};

}  // namespace

std::optional<Encoded> encode_png(Workspace& workspace, const Picture& picture, const PngDataFormat& format,
                                  const NewHostMemory& new_memory) {
  if (!png::can_encode(picture.format(), format) || pitch_bytes(picture) != row_bytes(picture)) {
    return std::nullopt;
  }
  try {
    if (format.one_bit) {
      return PngEncoder(workspace, packed_picture(workspace, picture), format).run(new_memory);
    }
    return PngEncoder(workspace, picture, format).run(new_memory);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::out_of_memory) {
      throw;
    }
    return std::nullopt;  // the host's encoder needs less memory
  }
}

}  // namespace gpuimg::cuda
