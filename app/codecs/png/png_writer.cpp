// Chunks, and a pipeline that packs strips on several threads.
#include "codecs/png/png_writer.hpp"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "arena_memory.hpp"
#include "codecs/allowed_threads.hpp"
#include "codecs/deflate/checksums.hpp"
#include "codecs/deflate/compress.hpp"
#include "codecs/joined_bytes.hpp"
#include "codecs/packed_bits.hpp"
#include "codecs/png/png_metadata.hpp"
#include "codecs/png/png_strips.hpp"
#include "gpuimg/png/encoder_limits.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

constexpr int kMaxWorkers = 32;  // more would cost memory and save no time
constexpr std::array<unsigned char, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

/// The file as it is written; collects small pieces before passing them to the sink.
class PngFile {
 public:
  explicit PngFile(const ByteSink& sink) : sink_(sink) {}

  void append(std::span<const std::byte> bytes) {
    if (bytes.size() > kBufferBytes - size_) {
      flush();
    }
    if (bytes.size() > kBufferBytes) {
      sink_(bytes);
    } else {
      std::memcpy(buffer_.get() + size_, bytes.data(), bytes.size());
      size_ += bytes.size();
    }
  }

  void flush() {
    if (size_ > 0) {
      sink_({buffer_.get(), size_});
      size_ = 0;
    }
  }

  /// `content` is type and data.
  void append_chunk(std::span<const std::byte> content) {
    append(u32be(static_cast<std::uint32_t>(content.size() - 4)));
    append(content);
    append(u32be(crc32_of(content)));
  }

  void append_strip(PackedStrip& strip, bool is_last) {
    adler_ = adler32_combined(adler_, strip.adler, strip.filtered_size);
    if (is_last) {
      const auto trailer = u32be(adler_);
      strip.chunk.insert(strip.chunk.end(), trailer.begin(), trailer.end());
      strip.crc = crc32_of(trailer, strip.crc);
    }
    append(u32be(static_cast<std::uint32_t>(strip.chunk.size() - 4)));
    append(strip.chunk);
    append(u32be(strip.crc));
  }

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

  const ByteSink& sink_;
  std::unique_ptr<std::byte[]> buffer_{new std::byte[kBufferBytes]};
  std::size_t size_ = 0;
  std::uint32_t adler_ = 1;
};

std::vector<std::byte> header_chunk(int width, int height, PixelFormat format, bool one_bit) {
  constexpr std::array<std::byte, 5> kColorTypes = {std::byte{0}, std::byte{0}, std::byte{4}, std::byte{2},
                                                    std::byte{6}};
  std::vector<std::byte> chunk;
  chunk.reserve(17);
  const auto add = [&](std::span<const std::byte> part) { chunk.insert(chunk.end(), part.begin(), part.end()); };
  add(std::as_bytes(std::span("IHDR", 4)));
  add(u32be(static_cast<std::uint32_t>(width)));
  add(u32be(static_cast<std::uint32_t>(height)));
  chunk.push_back(static_cast<std::byte>(one_bit ? 1 : sample_bytes(format.sample) * 8));
  chunk.push_back(kColorTypes.at(static_cast<std::size_t>(format.channels)));
  chunk.resize(chunk.size() + 3);  // deflate, the five filters, not interlaced
  return chunk;
}

bool is_keyword(std::string_view keyword) {
  const auto is_printable = [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return (code >= 32 && code <= 126) || code >= 161;
  };
  return !keyword.empty() && keyword.size() <= 79 && std::all_of(keyword.begin(), keyword.end(), is_printable) &&
         keyword.front() != ' ' && keyword.back() != ' ' && keyword.find("  ") == std::string_view::npos;
}

std::vector<std::byte> text_chunk(const TextEntry& entry, const std::string& name) {
  constexpr std::size_t kMaxTextBytes = 0x7FFFFF00;
  if (!is_keyword(entry.keyword) || entry.text.find('\0') != std::string::npos || entry.text.size() > kMaxTextBytes) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: cannot write: '{}' is not a valid PNG text entry; use a keyword of 1 to 79 printable Latin-1 "
                    "characters and a text without NUL",
                    printable_name(name), printable_name(entry.keyword)));
  }
  const std::string content = "tEXt" + entry.keyword + '\0' + entry.text;
  const auto bytes = std::as_bytes(std::span(content));
  return {bytes.begin(), bytes.end()};
}

void append_strips(ConstView pixels, const StripPlan& plan, const WriteOptions& options, PngFile& file) {
  const int workers = std::min({allowed_threads(options.threads), kMaxWorkers, plan.strips});
  const auto strips_in_flight = static_cast<std::size_t>(workers == 1 ? 1 : 2 * workers);
  require_arena_memory();
  tbb::task_arena arena(workers);
  tbb::enumerable_thread_specific<StripPacker> packers([&] { return StripPacker(pixels, plan, options.png_level); });
  // Reused in turn. The pipeline passes only indices: oneTBB leaks objects in flight when a filter throws.
  std::vector<PackedStrip> strips(strips_in_flight);
  const auto strip_of = [&](int index) -> PackedStrip& {
    return strips[static_cast<std::size_t>(index) % strips_in_flight];
  };
  int next = 0;
  const auto number = [&](tbb::flow_control& flow) {
    if (next == plan.strips) {
      flow.stop();
      return -1;
    }
    return next++;
  };
  const auto pack = [&](int index) {
    packers.local().pack(index, strip_of(index));
    return index;
  };
  const auto append = [&](int index) { file.append_strip(strip_of(index), index + 1 == plan.strips); };
  arena.execute([&] {
    tbb::parallel_pipeline(strips_in_flight,
                           tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, number) &
                               tbb::make_filter<int, int>(tbb::filter_mode::parallel, pack) &
                               tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, append));
  });
}

/// Everything but the IDAT chunks, which `append_data` appends.
template <class AppendData>
void write_file(int width, int height, PixelFormat format, const std::string& name, const WriteOptions& options,
                const ByteSink& sink, const AppendData& append_data) {
  std::vector<std::vector<std::byte>> chunks = {
      header_chunk(width, height, format, options.one_bit && can_pack_bits(format))};
  for (std::vector<std::byte>& chunk : png_metadata_chunks(options.metadata)) {
    chunks.push_back(std::move(chunk));
  }
  for (const TextEntry& entry : options.text) {
    chunks.push_back(text_chunk(entry, name));
  }

  PngFile file(sink);
  file.append(std::as_bytes(std::span(kSignature)));
  for (const auto& chunk : chunks) {
    file.append_chunk(chunk);
  }
  append_data(file);
  file.append_chunk(std::as_bytes(std::span("IEND", 4)));
  file.flush();
}

void check_level(int level) {
  if (level < 0 || level > 3) {
    throw Error(ErrorKind::usage, fmt::format("PNG level {}: out of range; use 0 to 3", level));
  }
}

[[noreturn]] void refuse_without_memory(const std::string& name, int width, int height) {
  throw Error(ErrorKind::out_of_memory,
              fmt::format("{}: cannot write: not enough memory to encode {}x{} pixels; use a smaller image or fewer "
                          "threads",
                          printable_name(name), width, height));
}

}  // namespace

void encode_png(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink) {
  check_level(options.png_level);
  if (pixels.tight_pitch_bytes() >= kMaxStripBytes) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: cannot write: rows of {} pixels are too long for PNG; write .npy, or a narrower image",
                            printable_name(name), pixels.width));
  }
  try {
    const bool one_bit = options.one_bit && can_pack_bits(pixels.format);
    const Image bits = one_bit ? packed_bits(pixels) : Image();
    const ConstView rows = one_bit ? bits.view() : pixels;  // of bytes, as PNG filters them
    write_file(pixels.width, pixels.height, pixels.format, name, options, sink,
               [&](PngFile& file) { append_strips(rows, StripPlan(rows), options, file); });
  } catch (const std::bad_alloc&) {
    refuse_without_memory(name, pixels.width, pixels.height);
  }
}

std::optional<Encoding> png_data_format(int width, int /*height*/, PixelFormat format, const WriteOptions& options) {
  const PngDataFormat data{options.png_level};
  const bool is_short = static_cast<std::size_t>(width) * format.bytes_per_pixel() < kMaxStripBytes;
  const bool one_bit = options.one_bit && can_pack_bits(format);
  return is_short && !one_bit && png::can_encode(format, data) ? std::optional<Encoding>(data) : std::nullopt;
}

void write_encoded_png(const Encoded& chunks, int width, int height, PixelFormat format, const std::string& name,
                       const WriteOptions& options, const ByteSink& sink) {
  try {
    write_file(width, height, format, name, options, sink, [&](PngFile& file) { file.append(chunks.span()); });
  } catch (const std::bad_alloc&) {
    refuse_without_memory(name, width, height);
  }
}

}  // namespace gpuimg::codecs
