// Measures size and time of reading and writing PNG, with gpuimg and with libpng at several settings.
// usage: gpuimg_png_bench PNG...
#include <fmt/format.h>
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "codec_times.hpp"
#include "codecs/image_reader.hpp"
#include "codecs/png/png.hpp"
#include "io/input_file.hpp"

namespace {

using namespace gpuimg;
using namespace gpuimg::codecs;
using namespace gpuimg::codecs::png;
using namespace gpuimg::bench;

constexpr int kRuns = 3;

/// The minimum over kRuns runs.
template <class Call>
CodecTimes least_times(Call call) {
  CodecTimes least;
  for (int run = 0; run < kRuns; ++run) {
    measure_once(least, call);
  }
  return least;
}

struct LibpngSettings {
  std::string name;
  int level;
  int filters;
  int strategy;
};

void append(png_structp png, png_bytep data, png_size_t size) {
  auto* to = static_cast<std::vector<png_byte>*>(png_get_io_ptr(png));
  to->insert(to->end(), data, data + size);
}

/// Only for u8, because it does not set up byte swapping.
std::size_t write_with_libpng(ConstView pixels, const LibpngSettings& settings) {
  constexpr int kColorTypes[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
  std::vector<png_byte> file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &file, append, nullptr);
  png_set_compression_level(png, settings.level);
  png_set_compression_strategy(png, settings.strategy);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, settings.filters);
  png_set_IHDR(png, info, static_cast<png_uint_32>(pixels.width), static_cast<png_uint_32>(pixels.height), 8,
               kColorTypes[pixels.format.channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (int y = 0; y < pixels.height; ++y) {
    png_write_row(png, pixels.row<png_byte>(y));
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file.size();
}

void report(const std::string& name, std::size_t bytes, CodecTimes times) {
  fmt::print("  {:<40} {:>11} bytes {:>9.1f} ms {:>9.1f} ms of CPU\n", name, bytes, times.wall_ms, times.cpu_ms);
}

void measure(const std::string& path) {
  const Bytes bytes = read_input(path);
  const Image image = decode_image(bytes.span(), path, {}).image;
  fmt::print("{}: {}x{}, {} channels\n", path, image.width(), image.height(), image.format().channels);
  for (const int threads : {1, 2}) {
    const ReadOptions options{.threads = threads};
    const CodecTimes times =
        least_times([&] { read_png_pixels(bytes.span(), path, options, PngPath::fast_if_possible); });
    report(fmt::format("read, gpuimg, {} threads", threads), bytes.size, times);
  }
  report("read, libpng", bytes.size,
         least_times([&] { read_png_pixels(bytes.span(), path, {}, PngPath::libpng_only); }));
  for (int level = 0; level <= 3; ++level) {
    for (const int threads : {1, 2}) {
      std::size_t written = 0;
      const CodecTimes times = least_times([&] {
        WriteOptions options;
        options.png_level = level;
        options.threads = threads;
        written = 0;
        encode_png(image.view(), path, options, [&](std::span<const std::byte> part) { written += part.size(); });
      });
      report(fmt::format("write, gpuimg --png-level {}, {} threads", level, threads), written, times);
    }
  }
  for (const LibpngSettings& settings : {LibpngSettings{"level 1", 1, PNG_ALL_FILTERS, Z_FILTERED},
                                         {"level 6", 6, PNG_ALL_FILTERS, Z_FILTERED},
                                         {"Up, runs alone (as fpng)", 1, PNG_FILTER_UP, Z_RLE}}) {
    std::size_t written = 0;
    const CodecTimes times = least_times([&] { written = write_with_libpng(image.view(), settings); });
    report("write, libpng, " + settings.name, written, times);
  }
}

}  // namespace

int main(int argc, char** argv) { return measure_files(argc, argv, measure); }
