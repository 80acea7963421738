// Times non-local means on the device; input and result stay in device memory. First checks the results against the CPU
// backend. Measurements: docs/performance.md, "Windows and thresholds".
// usage: gpuimg_denoise_device_bench [WIDTHxHEIGHT]    default 1920x1080
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "gpuimg/cuda.hpp"
#include "gpuimg/error.hpp"

namespace {

using namespace gpuimg;

using Clock = std::chrono::steady_clock;

constexpr double kTargetMs = 2.5;  ///< 1920×1080 pixels of 8-bit gray, 7×7 patches, 21×21 search window, on an H200

/// Paints waves in all channels, with noise of about 12 of 256 levels.
template <class T>
void paint(View pixels) {
  std::uint64_t state = 20261123;
  for (int y = 0; y < pixels.height; ++y) {
    T* row = pixels.row<T>(y);
    for (int i = 0; i < pixels.width * pixels.format.channels; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const auto noise = static_cast<std::uint32_t>(state >> 59);
      const auto wave = static_cast<std::uint32_t>((i / 3 + 2 * y) % 384);
      row[i] = static_cast<T>(((wave < 192 ? wave : 384 - wave) + noise) * (sizeof(T) == 1 ? 1U : 257U));
    }
  }
}

/// The median time of `rounds` calls, in milliseconds. One more call comes first and is not counted.
template <class Work>
double median_ms(int rounds, const Work& work) {
  std::vector<double> times;
  for (int round = 0; round <= rounds; ++round) {
    const Clock::time_point start = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  times.erase(times.begin());
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Prints one row of the table. Returns false if the bytes differ from the CPU's.
bool measure(Backend& device, Backend& cpu, const Image& image, const DenoiseOptions& options) {
  const Picture there = device.upload(image.view());
  const Image found = device.download(device.apply(there, options));
  const Picture here = cpu.upload(image.view());
  Image expected;
  const double host_ms = median_ms(1, [&] { expected = cpu.download(cpu.apply(here, options)); });
  const bool is_equal = found.size_bytes() == expected.size_bytes() &&
                        std::memcmp(found.view().data, expected.view().data, found.size_bytes()) == 0;
  const double ms = median_ms(30, [&] {
    [[maybe_unused]] const Picture result = device.apply(there, options);
    device.wait();
  });
  const PixelFormat format = image.format();
  const bool has_target = image.width() == 1920 && image.height() == 1080 && format == PixelFormat{Sample::u8, 1} &&
                          options.patch == 7 && options.search == 21;
  fmt::print("{}x{} {:>2} bit {} channel(s), {}/{}: {:8.3f} ms, CPU {:8.1f} ms, {}{}\n", image.width(), image.height(),
             8 * sample_bytes(format.sample), format.channels, options.patch, options.search, ms, host_ms,
             is_equal ? "equal" : "DIFFERENT BYTES",
             has_target ? fmt::format("; target {} ms: {}", kTargetMs, ms <= kTargetMs ? "pass" : "MISS") : "");
  return is_equal;
}

int bench(int width, int height) {
  const auto device = make_cuda_backend(0);
  const auto cpu = make_cpu_backend(0);
  fmt::print("{} against {}\n", device->description(), cpu->description());
  bool are_equal = true;
  for (const PixelFormat format :
       {PixelFormat{Sample::u8, 1}, {Sample::u8, 3}, {Sample::u16, 1}, {Sample::u16, 3}, {Sample::u8, 4}}) {
    Image image(width, height, format);
    format.sample == Sample::u8 ? paint<std::uint8_t>(image.view()) : paint<std::uint16_t>(image.view());
    for (const auto& [patch, search] : {std::pair{7, 21}, {3, 21}, {5, 11}, {9, 11}}) {
      DenoiseOptions options;
      options.patch = patch;
      options.search = search;
      are_equal = measure(*device, *cpu, image, options) && are_equal;
    }
  }
  return are_equal ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  int width = 1920;
  int height = 1080;
  if (count > 2 || (count == 2 && (std::sscanf(arguments[1], "%dx%d", &width, &height) != 2 || width < 1 ||
                                   height < 1 || width > 65536 || height > 65536))) {
    std::fputs("usage: gpuimg_denoise_device_bench [WIDTHxHEIGHT]\n", stderr);
    return 2;
  }
  try {
    return bench(width, height);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpuimg_denoise_device_bench: {}\n", error.what());
    return 1;
  }
}
