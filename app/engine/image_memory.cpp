// Sums up what decoders, operations and encoders hold at the same time. tests/unit/commands/test_image_memory.cpp
// measures that it is never more.
#include "engine/image_memory.hpp"

#include <algorithm>

#include "backends/backends.hpp"
#include "codecs/image_reader.hpp"
#include "io/output_file.hpp"

namespace gpuimg {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeast = 2 * kMebibyte;

/// What a decoder and an encoder hold beside pixels of that many bytes: parts of them.
std::uint64_t codec_bytes(std::uint64_t pixels) { return kLeast + std::min(6 * kMebibyte, 2 * pixels); }

/// A pool of pixels may give the input memory of an earlier result: PixelPool.
std::uint64_t input_bytes(std::uint64_t pixel, std::uint64_t result) {
  constexpr std::uint64_t kMaxSlack = 4;
  return std::max(pixel, std::min(result, kMaxSlack * pixel));
}

/// True if the file can be read in bands, and a device would not decode it.
bool has_rows(const std::string& path, const codecs::DeclaredImage& declared, const GlobalOptions& options) {
  const bool on_host = !options.backend || backend_entry(*options.backend).memory_is_host;
  if ((!on_host && declared.suits_backends) || options.verify) {
    return false;
  }
  const codecs::ReadOptions read{.max_pixels = options.max_pixels,
                                 .auto_orient = options.auto_orient,
                                 .lenient = options.lenient,
                                 .threads = options.threads};
  return codecs::open_image_rows(path, read, [](const codecs::DeclaredImage&, std::uint64_t) { return true; })
      .has_value();
}

}  // namespace

std::uint64_t whole_bytes(const ImageJob& job, const ItemPaths& paths, std::uint64_t file_bytes,
                          const codecs::DeclaredImage& declared, bool keeps_output) {
  if (declared.pixels() == 0) {
    return 4 * file_bytes + kLeast;  // an unreadable file
  }
  const HeldBeside held = job.held_beside(declared, paths.output);
  const std::uint64_t input = input_bytes(declared.bytes_per_pixel, held.result);
  const std::uint64_t kept = keeps_output ? std::max(held.result, declared.bytes_per_pixel) : 0;
  // The file is freed once it is decoded, but the pool may still have the memory of a result when the next one is read.
  const std::uint64_t decoding = file_bytes + declared.pixels() * declared.decoder_bytes_per_pixel;
  const std::uint64_t writing = declared.pixels() * (held.others + kept);
  // Beside a result, the pool may keep a block of the image before. It may be larger, but is there while the codecs
  // hold little of what is counted for them.
  const std::uint64_t idle = held.result > 0 ? 2 * kMebibyte : 0;
  return declared.pixels() * (input + held.result) + std::max(decoding, writing) + idle +
         codec_bytes(declared.pixels() * declared.bytes_per_pixel);
}

std::uint64_t band_bytes(const ImageJob& job, const ItemPaths& paths, const codecs::DeclaredImage& declared,
                         int threads) {
  constexpr std::uint64_t kRows = 2 * 16;  // a band that is filled beside one that is computed
  constexpr std::uint64_t kOfThread = 2 * kMebibyte;
  constexpr std::uint64_t kSums = 3 * sizeof(std::uint64_t);  // of windows
  const HeldBeside held = job.held_beside(declared, paths.output);
  const std::uint64_t row = declared.width * (declared.bytes_per_pixel + held.result);
  const std::uint64_t halo = std::min<std::uint64_t>(static_cast<std::uint64_t>(held.halo_rows), declared.height);
  // A band with a halo is best a few times as high; half of this is for one: CommandContext::band_memory.
  const std::uint64_t with_halo = 2 * 4 * halo * (row + declared.width * (held.others + kSums));
  const bool keeps_result = held.result > 0 && is_stream(paths.output);
  return 2 * kLeast + static_cast<std::uint64_t>(std::max(threads, 1)) * (kOfThread + held.of_thread) + kRows * row +
         with_halo + (keeps_result ? declared.pixels() * (held.result + held.others) : 0);
}

ImageMemory memory_of(const ImageJob& job, const ItemPaths& paths, std::uint64_t file_bytes,
                      const codecs::DeclaredImage& declared, const GlobalOptions& options, std::uint64_t share) {
  ImageMemory whole{whole_bytes(job, paths, file_bytes, declared)};
  if (options.verify) {  // each backend has its pixels and its result
    const HeldBeside held = job.held_beside(declared, paths.output);
    whole.bytes += declared.pixels() * (declared.bytes_per_pixel + std::max(held.result, declared.bytes_per_pixel));
  }
  if (whole.bytes <= share || declared.pixels() == 0 || std::max(paths.page.number, options.page) > 1 ||
      !job.visits_rows(paths.output)) {
    return whole;
  }
  const ImageMemory bands{band_bytes(job, paths, declared, options.threads), true};
  return bands.bytes < whole.bytes && has_rows(paths.input, declared, options) ? bands : whole;
}

}  // namespace gpuimg
