// gpuimg_opencl_bench: compares the OpenCL backend's kernels with plain streams, and its histogram with the textbook
// histogram on four distributions of pixels. Uses one device and a single run. Measurements: docs/performance.md,
// "OpenCL".
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "bench/opencl_kernels.hpp"
#include "bench/opencl_timer.hpp"
#include "bench/operation.hpp"
#include "count_levels.hpp"
#include "gpuimg/opencl.hpp"
#include "operations.hpp"

namespace gpuimg::bench {
namespace {

struct Options {
  int width = 16384;
  int height = 16384;
  int device = 0;
  int repeats = 20;
};

/// An operation on pictures of one format, a plain stream of as many bytes, and the share of the stream's rate to
/// reach.
struct Case {
  const char* name;
  PixelFormat format;
  int reads;   ///< the stream reads and writes in the ratio `reads` : `writes`
  int writes;  ///< 0 = read only
  int bytes_per_pixel;
  double target;
  std::function<void(const opencl::DevicePointer& device, const Picture& picture)> run;
};

void count_luma(const opencl::DevicePointer& device, const Picture& picture) {
  Selection all;
  all.count_transparent = true;
  (void)opencl::count_levels(device, picture, all,
                             {opencl::level_of(Channel::luma, Luma::bt601_trunc, picture.format()), 256, false});
}

void equalize(const opencl::DevicePointer& device, const Picture& picture) {
  (void)opencl::equalize(device, picture, {}, nullptr);
}

template <HslEncoding encoding>
void to_hsl(const opencl::DevicePointer& device, const Picture& picture) {
  ToHslOptions options;
  options.encoding = encoding;
  (void)opencl::apply(device, picture, options);
}

void integral(const opencl::DevicePointer& device, const Picture& picture) {
  IntegralOptions options;
  options.type = Sample::u32;
  options.allow_wrap = true;
  options.layout = TableLayout::inclusive;
  (void)opencl::apply(device, picture, options);
}

std::vector<Case> cases() {
  const PixelFormat gray{Sample::u8, 1};
  const PixelFormat rgb{Sample::u8, 3};
  const PixelFormat rgba{Sample::u8, 4};
  return {{"hist gray8", gray, 1, 0, 1, 0.80, count_luma},
          {"hist luma rgb8", rgb, 1, 0, 3, 0.80, count_luma},
          {"hist luma rgba8", rgba, 1, 0, 4, 0.80, count_luma},
          {"equalize gray8", gray, 1, 1, 3, 0.75, equalize},
          {"equalize rgb8", rgb, 2, 1, 9, 0.75, equalize},
          {"hsl rgb8>f32", rgb, 1, 4, 15, 0.80, to_hsl<HslEncoding::f32>},
          {"hsl rgb8>u16", rgb, 1, 2, 9, 0.80, to_hsl<HslEncoding::u16>},
          {"integral u8>u32", gray, 1, 4, 5, 0.45, integral}};
}

/// Noise around a slope: neighbors are similar, and all levels occur.
std::vector<std::uint8_t> photo_like(std::size_t bytes) {
  std::vector<std::uint8_t> samples(bytes);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < bytes; ++i) {
    state = state * 1664525U + 1013904223U;
    samples[i] = static_cast<std::uint8_t>((i >> 12) + (state >> 28));
  }
  return samples;
}

Picture picture_of(const opencl::DevicePointer& device, const Options& options, PixelFormat format) {
  Picture picture = opencl::new_picture(device, options.width, options.height, format);
  const std::vector<std::uint8_t> samples = photo_like(opencl::size_bytes(picture));
  device->upload(opencl::memory_of(picture), samples.data(), samples.size());
  return picture;
}

/// The time of a stream of `bytes` bytes with the ratio of `of`, in milliseconds. The best of several shapes.
double stream_ms(const opencl::DevicePointer& device, const Case& of, std::size_t bytes, int repeats) {
  const std::size_t units = bytes / 16 / static_cast<std::size_t>(of.reads + of.writes);
  const opencl::Memory in(device, units * 16 * static_cast<std::size_t>(of.reads));
  const opencl::Memory out(device, 16 + units * 16 * static_cast<std::size_t>(of.writes));
  device->fill(in, 1, in.size_bytes());
  double best = 0.0;
  for (const int ahead : {1, 2, 4}) {
    BenchKernel kernel(*device, kStreamSource,
                       fmt::format("-D READS={} -D WRITES={} -D AHEAD={}", of.reads, of.writes, ahead), "stream");
    const std::size_t whole = units / (BenchKernel::kGroupItems * static_cast<std::size_t>(ahead)) + 1;
    for (const std::size_t groups : {device->units() * 8, device->units() * 64, whole}) {
      const double ms = timed(*device, repeats, [&] {
                          kernel.run(std::min(groups, whole), in, out, cl_ulong{units}, cl_uint{12345});
                        }).event_ms;
      best = best == 0.0 ? ms : std::min(best, ms);
    }
  }
  return best;
}

void print_case(const opencl::DevicePointer& device, const Options& options, const Case& of) {
  const Picture picture = picture_of(device, options, of.format);
  const std::size_t bytes = picture.pixel_count() * static_cast<std::size_t>(of.bytes_per_pixel);
  const OpenclTimes ours = timed(*device, options.repeats, [&] { of.run(device, picture); });
  const double stream = stream_ms(device, of, bytes, options.repeats);
  const double share = stream / ours.event_ms;
  fmt::print("{:<16} {:9.4f} {:9.4f} {:6.0f} {:9.4f} {:6.0f} {:6.3f}  >={:.2f}  {}\n", of.name, ours.event_ms,
             ours.wall_ms, static_cast<double>(bytes) / 1.0e6 / ours.event_ms, stream,
             static_cast<double>(bytes) / 1.0e6 / stream, share, of.target, share >= of.target ? "pass" : "MISS");
}

Picture sample_picture(const opencl::DevicePointer& device, const Options& options, PixelFormat format,
                       Distribution distribution) {
  Picture picture = opencl::new_picture(device, options.width, options.height, format);
  BenchKernel kernel(*device, kSampleSource, "", "paint");
  kernel.run(picture.pixel_count() / BenchKernel::kGroupItems + 1, opencl::memory_of(picture),
             static_cast<cl_uint>(format.channels), static_cast<cl_uint>(options.width),
             static_cast<cl_uint>(options.height), static_cast<cl_uint>(distribution));
  return picture;
}

struct TextbookCase {
  const char* name;
  PixelFormat format;
  const char* kernel;
};

/// Returns false if the counts of the textbook kernel differ from gpuimg's.
bool print_textbook(const opencl::DevicePointer& device, const Options& options, const TextbookCase& of,
                    Distribution distribution) {
  constexpr std::size_t kGroupsPerUnit = 8;
  constexpr double kTarget = 3.0;
  const Picture picture = sample_picture(device, options, of.format, distribution);
  const opencl::Memory counts(device, 256 * sizeof(cl_uint));
  BenchKernel kernel(*device, kTextbookSource, "", of.kernel);
  const auto run = [&] {
    device->fill(counts, 0, counts.size_bytes());
    kernel.run(device->units() * kGroupsPerUnit, opencl::memory_of(picture), cl_ulong{picture.pixel_count()}, counts);
  };
  const double theirs = timed(*device, options.repeats, run).event_ms;
  const double ours = timed(*device, options.repeats, [&] { count_luma(device, picture); }).event_ms;
  std::vector<std::uint32_t> counted(256);
  device->download(counted.data(), counts, counts.size_bytes());
  HistogramOptions histogram;
  histogram.luma = Luma::bt601_trunc;
  histogram.selection.count_transparent = true;
  const Histogram expected = opencl::histogram(device, picture, histogram);
  const bool is_same = std::equal(counted.begin(), counted.end(), expected.channels.front().counts.begin());
  fmt::print("{:<16} {:<10} {:11.4f} {:9.4f} {:6.2f}  >={:.1f}   {}{}\n", of.name, name_of(distribution), theirs, ours,
             theirs / ours, kTarget, theirs / ours >= kTarget ? "pass" : "MISS",
             is_same ? "" : "; WRONG: the counts differ");
  return is_same;
}

int bench(const Options& options) {
  opencl::TestOptions how;
  how.is_timed = true;
  const auto device = std::make_shared<opencl::Device>(OpenclOptions{options.device, {}}, how);
  const OpenclDevice& facts = device->found().facts;
  fmt::print("{} ({}, {}, driver {}), {} compute units; {}x{}, medians of {}\n", facts.name, facts.platform,
             facts.version, facts.driver, facts.compute_units, options.width, options.height, options.repeats);
  fmt::print("{:<16} {:>9} {:>9} {:>6} {:>9} {:>6} {:>6}  {:<6}  verdict\n", "operation", "ms", "wall ms", "GB/s",
             "stream ms", "GB/s", "share", "target");
  for (const Case& each : cases()) {
    print_case(device, options, each);
  }
  fmt::print("{:<16} {:<10} {:>11} {:>9} {:>6}  {:<6}  verdict\n", "histogram", "data", "textbook ms", "ours ms",
             "ratio", "target");
  bool are_same = true;
  for (const TextbookCase& each : {TextbookCase{"gray8", {Sample::u8, 1}, "gray_histogram"},
                                   TextbookCase{"luma rgba8", {Sample::u8, 4}, "luma_histogram"}}) {
    for (const Distribution distribution : kDistributions) {
      are_same = print_textbook(device, options, each, distribution) && are_same;
    }
  }
  return are_same ? 0 : 1;
}

}  // namespace
}  // namespace gpuimg::bench

int main(int argc, char** argv) {
  CLI::App app("Times gpuimg's OpenCL kernels against plain streams and the textbook histogram");
  gpuimg::bench::Options options;
  app.add_option("--width", options.width, "pixels")->check(CLI::Range(16, 65536));
  app.add_option("--height", options.height, "pixels")->check(CLI::Range(16, 65536));
  app.add_option("--device", options.device, "OpenCL device, as gpuimg doctor numbers them")->check(CLI::Range(0, 255));
  app.add_option("--repeats", options.repeats, "timings per median")->check(CLI::Range(1, 10000));
  CLI11_PARSE(app, argc, argv);
  try {
    return gpuimg::bench::bench(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpuimg_opencl_bench: {}\n", error.what());
    return 1;
  }
}
