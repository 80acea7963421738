// Measures the decoding of a single-scan JPEG: with libjpeg alone, and in parts on 1 to 4 threads.
// usage: gpuimg_jpeg_bench JPEG...
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <array>
#include <string>
#include <vector>

#include "codec_times.hpp"
#include "codecs/jpeg/jpeg_pipeline.hpp"
#include "io/input_file.hpp"

namespace {

using namespace gpuimg;
using namespace gpuimg::codecs;
using namespace gpuimg::codecs::jpeg;
using namespace gpuimg::bench;

constexpr int kRounds = 15;
constexpr int kMaxThreads = 4;

/// Alternates between the numbers of threads. Reports the minimum over all rounds.
void report(const std::string& path) {
  const auto bytes = read_input(path);
  const JpegHeader header = read_jpeg_header(bytes.span(), path);
  const JpegFile file{bytes.span(), header, path};
  JpegRows first(file, false);
  if (!first.is_sequential()) {
    fmt::print("{}: not a single sequential scan\n", path);
    return;
  }
  const std::vector<int> cuts = jpeg_cuts(first, file.height());
  Image image(static_cast<int>(header.frame.width), file.height(),
              {Sample::u8, header.frame.component_count == 1 ? 1 : 3});
  CodecTimes libjpeg;
  std::array<CodecTimes, kMaxThreads> parts;
  for (int round = 0; round < kRounds; ++round) {
    measure_once(libjpeg, [&] { JpegRows(file, false).read_to(file.height(), image.view()); });
    for (int threads = 1; threads <= kMaxThreads; ++threads) {
      measure_once(parts.at(static_cast<std::size_t>(threads - 1)),
                   [&] { read_jpeg_parts(file, cuts, threads, image.view()); });
    }
  }
  fmt::print("{}: {}x{}, {:.2f} bits per pixel; libjpeg: {:.2f} ms, {:.2f} of CPU time\n", path, header.frame.width,
             header.frame.height,
             8.0 * static_cast<double>(bytes.span().size()) / header.frame.width / header.frame.height, libjpeg.wall_ms,
             libjpeg.cpu_ms);
  for (int threads = 1; threads <= kMaxThreads; ++threads) {
    const CodecTimes& times = parts.at(static_cast<std::size_t>(threads - 1));
    fmt::print("  {} threads: {:.2f} ms, {:.3f} of the time, {:.3f} of the CPU time\n", threads, times.wall_ms,
               times.wall_ms / libjpeg.wall_ms, times.cpu_ms / libjpeg.cpu_ms);
  }
}

}  // namespace

int main(int count, char** names) {
  // With fewer processors than threads, the CPU time still shows what more processors would achieve.
  const tbb::global_control leave(tbb::global_control::max_allowed_parallelism, kMaxThreads);
  return measure_files(count, names, report);
}
