// Measures the cost of skipping rows of a JPEG, and the time to decode it in 1 to 4 parts.
// usage: gpuimg_jpeg_bench JPEG...
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "codec_times.hpp"
#include "codecs/jpeg/jpeg_parts.hpp"
#include "io/input_file.hpp"

namespace {

using namespace gpuimg;
using namespace gpuimg::codecs;
using namespace gpuimg::bench;

constexpr int kRounds = 15;
constexpr int kMaxParts = 4;

void read_part(const JpegFile& file, int first, int end, const View& pixels) {
  JpegRows rows(file, false);
  if (first > 0) {
    rows.skip_to(first / rows.rows_of_blocks() * rows.rows_of_blocks());
  }
  rows.read_to(end, pixels);
}

/// Times for one number of parts: all parts in parallel, and each part alone.
struct Parts {
  std::vector<int> ends;
  CodecTimes together;
  std::vector<CodecTimes> alone;

  Parts(const JpegFile& file, int count)
      : ends(jpeg_cuts(file.height(), count, jpeg_skip_cost(file))), alone(static_cast<std::size_t>(count)) {
    ends.push_back(file.height());
  }

  void run(const JpegFile& file, const View& pixels) {
    measure_once(together, [&] {
      JpegRows rows(file, false);
      read_jpeg_parts(file, rows, std::span(ends).first(ends.size() - 1), static_cast<int>(ends.size()), pixels);
    });
    for (std::size_t i = 0; i < ends.size(); ++i) {
      measure_once(alone[i], [&] { read_part(file, i == 0 ? 0 : ends[i - 1], ends[i], pixels); });
    }
  }

  [[nodiscard]] double longest_cpu_ms() const {
    const auto less = [](const CodecTimes& a, const CodecTimes& b) { return a.cpu_ms < b.cpu_ms; };
    return std::max_element(alone.begin(), alone.end(), less)->cpu_ms;
  }
};

/// Alternates between the numbers of parts, and reports the minimum over all rounds.
void report(const std::string& path) {
  const auto bytes = read_input(path);
  const JpegHeader header = read_jpeg_header(bytes.span(), path);
  const JpegFile file{bytes.span(), header, path};
  if (!JpegRows(file, false).is_sequential()) {
    fmt::print("{}: not a single sequential scan\n", path);
    return;
  }
  Image image(static_cast<int>(header.width), file.height(), {Sample::u8, header.components == 1 ? 1 : 3});
  std::vector<Parts> all;
  for (int count = 2; count <= kMaxParts; ++count) {
    all.emplace_back(file, count);
  }
  CodecTimes whole;
  CodecTimes skip;
  for (int round = 0; round < kRounds; ++round) {
    measure_once(whole, [&] { read_part(file, 0, file.height(), image.view()); });
    measure_once(skip, [&] {
      JpegRows rows(file, false);
      rows.skip_to((file.height() - 1) / rows.rows_of_blocks() * rows.rows_of_blocks());
    });
    for (Parts& parts : all) {
      parts.run(file, image.view());
    }
  }
  fmt::print("{}: {}x{}, {:.2f} bits per pixel: {:.2f} ms, {:.2f} of CPU time, skipping {:.3f} of it\n", path,
             header.width, header.height, 8.0 * static_cast<double>(bytes.span().size()) / header.width / header.height,
             whole.wall_ms, whole.cpu_ms, skip.cpu_ms / whole.cpu_ms);
  for (const Parts& parts : all) {
    fmt::print("  {} parts: {:.2f} ms, {:.3f} of the time, {:.3f} of the CPU time; the longest part {:.3f} of it\n",
               parts.ends.size(), parts.together.wall_ms, parts.together.wall_ms / whole.wall_ms,
               parts.together.cpu_ms / whole.cpu_ms, parts.longest_cpu_ms() / whole.cpu_ms);
  }
}

}  // namespace

int main(int count, char** names) {
  // With fewer processors than parts, the CPU time still shows what more processors would achieve.
  const tbb::global_control leave(tbb::global_control::max_allowed_parallelism, kMaxParts);
  return measure_files(count, names, report);
}
