// Times PNG encoding on the device, from pixels that are there; checks the file against the host's first.
// usage: gpuimg_png_device_bench THREADS IMAGE...    each thread has a backend
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "gpuimg/cuda.hpp"
#include "io/input_file.hpp"

namespace {

using namespace gpuimg;

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Source {
  std::string name;
  Image pixels;
  std::size_t file_bytes = 0;
};

codecs::WriteOptions options_of(int level) {
  codecs::WriteOptions options;
  options.png_level = level;
  return options;
}

/// Encodes on both sides; returns the size of the file, or 0 if they differ.
std::size_t checked_size(Backend& backend, const Source& source, int level) {
  const ConstView pixels = source.pixels.view();
  const codecs::WriteOptions options = options_of(level);
  const std::optional<Encoded> chunks = backend.encode(backend.upload(pixels), PngDataFormat{level});
  if (!chunks) {
    fmt::print("{}: left to the host\n", source.name);
    return 0;
  }
  std::vector<std::byte> found;
  codecs::write_encoded(*chunks, pixels.width, pixels.height, pixels.format, codecs::FileFormat::png, source.name,
                        options,
                        [&](std::span<const std::byte> part) { found.insert(found.end(), part.begin(), part.end()); });
  const bool same = found == codecs::encode_image(pixels, codecs::FileFormat::png, source.name, options);
  fmt::print("{}, level {}: {} bytes, {}\n", source.name, level, found.size(), same ? "equal" : "DIFFERENT BYTES");
  return same ? found.size() : 0;
}

std::vector<Source> load(Backend& backend, int count, char** names) {
  std::vector<Source> sources;
  for (int i = 0; i < count; ++i) {
    const Bytes read = read_input(names[i]);
    Source source{names[i], codecs::decode_image(read.span(), names[i], {}).image, 0};
    source.file_bytes = checked_size(backend, source, 1);
    if (checked_size(backend, source, 0) != 0 && source.file_bytes != 0) {
      sources.push_back(std::move(source));
    }
  }
  return sources;
}

/// The median time of encoding alone, with the download, in milliseconds.
double latency(Backend& backend, const Picture& picture, int level) {
  constexpr int kRounds = 15;
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    const Clock::time_point start = Clock::now();
    (void)backend.encode(picture, PngDataFormat{level});
    times.push_back(ms_since(start));
  }
  std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
  return times[kRounds / 2];
}

/// Images per second of all threads.
double rate(const std::vector<Source>& sources, int threads, int images) {
  std::atomic<int> ready{0};
  std::atomic<int> next{0};
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      const auto backend = make_cuda_backend(0);
      backend->expect_many_images();
      std::vector<Picture> pictures;
      for (const Source& source : sources) {
        pictures.push_back(backend->upload(source.pixels.view()));
        (void)backend->encode(pictures.back(), PngDataFormat{});  // fills the memory pool
      }
      ++ready;
      while (ready < threads) {
        std::this_thread::yield();
      }
      for (int k = next++; k < images; k = next++) {
        (void)backend->encode(pictures[static_cast<std::size_t>(k) % pictures.size()], PngDataFormat{});
      }
    });
  }
  while (ready < threads) {
    std::this_thread::yield();
  }
  const Clock::time_point start = Clock::now();
  for (std::thread& worker : workers) {
    worker.join();
  }
  return images / ms_since(start) * 1e3;
}

}  // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (count < 3) {
    std::fputs("usage: gpuimg_png_device_bench THREADS IMAGE...\n", stderr);
    return 2;
  }
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);  // no thread waits in another's queue
  const int most = std::atoi(arguments[1]);
  const auto backend = make_cuda_backend(0);
  backend->expect_many_images();
  const std::vector<Source> sources = load(*backend, count - 2, arguments + 2);
  if (sources.empty()) {
    return 1;
  }
  for (const Source& source : sources) {
    const Picture picture = backend->upload(source.pixels.view());
    fmt::print("{}: {} bytes of pixels, {} of file; level 1 {:.3f} ms alone, level 0 {:.3f} ms\n", source.name,
               source.pixels.size_bytes(), source.file_bytes, latency(*backend, picture, 1),
               latency(*backend, picture, 0));
  }
  for (int threads = 1; threads <= most; threads *= 2) {
    const double encoded = rate(sources, threads, 200 * threads);
    fmt::print("{} threads: {:.0f} images/s encoded, {:.3f} ms an image\n", threads, encoded, 1e3 / encoded);
  }
}
