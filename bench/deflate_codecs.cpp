// Times inflate and deflate of gpuimg, zlib and libdeflate on the image data of PNG files, with one thread. Discussion
// of the results: docs/decisions/0006-own-inflate.md.
// usage: gpuimg_deflate_bench PNG...
#include <fmt/format.h>
#include <libdeflate.h>
#include <zlib.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "codec_times.hpp"
#include "codecs/deflate/compress.hpp"
#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/image_reader.hpp"
#include "codecs/png/png.hpp"
#include "codecs/png/png_chunks.hpp"
#include "io/input_file.hpp"
#include "png/strips.hpp"

namespace {

using namespace gpuimg;
using namespace gpuimg::codecs;
using namespace gpuimg::codecs::deflate;
using namespace gpuimg::codecs::png;
using namespace gpuimg::bench;
using Buffer = std::vector<std::uint8_t>;

constexpr int kRounds = 9;
constexpr std::size_t kBlockBytes = std::size_t{256} << 10;  // as in the PNG reader

void require(bool is_right, const char* what) {
  if (!is_right) {
    throw std::runtime_error(fmt::format("{}: wrong result", what));
  }
}

/// All image data of a PNG as one contiguous piece, which libdeflate needs.
Buffer image_data(ByteSpan png, const std::string& name) {
  Buffer joined;
  PngChunkWalker chunks(png, name);
  while (const auto chunk = chunks.next()) {
    if (chunk->type() == png_chunk_type("IDAT")) {
      const ByteSpan payload = chunk->payload();
      const std::size_t before = joined.size();
      joined.resize(before + payload.size());
      std::memcpy(joined.data() + before, payload.data(), payload.size());
    }
  }
  return joined;
}

/// Inflates into `out`, which must be large enough. Returns the size. Checks Adler-32, as the other contenders do.
std::size_t inflate_with_zlib(const Buffer& stream, std::span<std::uint8_t> out) {
  uLongf size = out.size();
  require(uncompress(out.data(), &size, stream.data(), stream.size()) == Z_OK, "zlib");
  return size;
}

std::size_t inflate_with_libdeflate(const Buffer& stream, std::span<std::uint8_t> out) {
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  std::size_t size = 0;
  require(libdeflate_zlib_decompress(decompressor.get(), stream.data(), stream.size(), out.data(), out.size(), &size) ==
              LIBDEFLATE_SUCCESS,
          "libdeflate");
  return size;
}

/// Inflates block after block into the same memory, as the PNG reader does.
std::size_t inflate_in_blocks(const Buffer& stream, Buffer& memory) {
  const ByteSpan piece = std::as_bytes(std::span(stream));
  Inflater inflater(in_memory(piece));
  std::uint8_t* const block = memory.data() + Inflater::kWindow;
  const std::uint8_t* oldest = block;
  std::uint8_t* out = block;
  std::size_t size = 0;
  std::uint32_t adler = 1;
  while (!inflater.has_ended()) {
    std::uint8_t* const end = inflater.run(oldest, out, block + kBlockBytes);
    require(end != nullptr && (end > out || inflater.has_ended()), "gpuimg");
    adler = adler32_of(std::as_bytes(std::span(out, end)), adler);
    size += static_cast<std::size_t>(end - out);
    const std::size_t known = std::min(Inflater::kWindow, static_cast<std::size_t>(end - oldest));
    std::memmove(block - known, end - known, known);
    oldest = block - known;
    out = block;
  }
  require(inflater.declared_adler() == adler, "gpuimg");
  return size;
}

/// Deflates each strip separately, as the PNG writer does. Returns the total compressed size.
std::size_t deflate_strips(const Buffer& rows, const std::function<std::size_t(std::span<const std::byte>)>& deflate) {
  std::size_t size = 0;
  for (std::size_t begin = 0; begin < rows.size(); begin += gpuimg::png::kStripBytes) {
    size += deflate(std::as_bytes(std::span(rows))
                        .subspan(begin, std::min<std::size_t>(gpuimg::png::kStripBytes, rows.size() - begin)));
  }
  return size;
}

std::size_t deflate_with_gpuimg(const Buffer& rows, int level) {
  StripDeflater deflater(level);
  std::vector<std::byte> out(deflate_bound(gpuimg::png::kStripBytes));
  return deflate_strips(rows, [&](auto strip) { return deflater.deflate(strip, out, false); });
}

std::size_t deflate_with_libdeflate(const Buffer& rows, int level) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  std::vector<std::byte> out(libdeflate_deflate_compress_bound(compressor.get(), gpuimg::png::kStripBytes));
  return deflate_strips(rows, [&](auto strip) {
    return libdeflate_deflate_compress(compressor.get(), strip.data(), strip.size(), out.data(), out.size());
  });
}

struct Contender {
  std::string name;
  std::function<std::size_t()> run;  ///< returns the size of its output
  CodecTimes times = {};
  std::size_t bytes = 0;
};

/// Runs the contenders alternately, and prints the minimum of each, relative to the first contender.
void compare(std::vector<Contender> contenders) {
  for (int round = 0; round < kRounds; ++round) {
    for (Contender& contender : contenders) {
      measure_once(contender.times, [&] { contender.bytes = contender.run(); });
    }
  }
  const Contender& first = contenders.front();
  for (const Contender& each : contenders) {
    fmt::print("  {:<30} {:>9} bytes {:>6.3f} {:>8.1f} ms of CPU {:>6.3f}\n", each.name, each.bytes,
               static_cast<double>(each.bytes) / static_cast<double>(first.bytes), each.times.cpu_ms,
               each.times.cpu_ms / first.times.cpu_ms);
  }
}

/// The rows of the image as gpuimg's writer filters them.
Buffer filtered_rows(const Image& image, std::size_t size) {
  Buffer png;
  encode_png(image.view(), "", {}, [&](std::span<const std::byte> part) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(part.data());
    png.insert(png.end(), bytes, bytes + part.size());
  });
  Buffer rows(size);
  rows.resize(inflate_with_zlib(image_data(std::as_bytes(std::span(png)), ""), rows));
  return rows;
}

void measure(const std::string& path) {
  const Bytes file = read_input(path);
  const Image image = decode_image(file.span(), path, {}).image;
  const std::size_t filtered_size =
      static_cast<std::size_t>(image.height()) *
      (static_cast<std::size_t>(image.width()) * image.format().channels * sizeof(std::uint16_t) + 1);
  fmt::print("{}: {}x{}, {} channels\n", path, image.width(), image.height(), image.format().channels);
  const Buffer stream = image_data(file.span(), path);
  Buffer out(filtered_size);
  Buffer block(Inflater::kWindow + kBlockBytes + Inflater::kOvershoot);
  compare({{"inflate, gpuimg, in blocks", [&] { return inflate_in_blocks(stream, block); }},
           {"inflate, libdeflate, at once", [&] { return inflate_with_libdeflate(stream, out); }},
           {"the same, into new memory",
            [&] {
              const std::unique_ptr<std::uint8_t[]> rows(new std::uint8_t[filtered_size]);
              return inflate_with_libdeflate(stream, {rows.get(), filtered_size});
            }},
           {"inflate, zlib, at once", [&] { return inflate_with_zlib(stream, out); }}});
  const Buffer rows = filtered_rows(image, filtered_size);
  std::vector<Contender> deflaters;
  for (const int level : {1, 0, 2}) {
    deflaters.push_back(
        {fmt::format("deflate, gpuimg, level {}", level), [&rows, level] { return deflate_with_gpuimg(rows, level); }});
  }
  for (const int level : {1, 3, 6}) {
    deflaters.push_back({fmt::format("deflate, libdeflate, level {}", level),
                         [&rows, level] { return deflate_with_libdeflate(rows, level); }});
  }
  compare(std::move(deflaters));
}

}  // namespace

int main(int argc, char** argv) { return measure_files(argc, argv, measure); }
