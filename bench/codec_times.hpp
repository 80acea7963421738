// Times a codec call: wall time and CPU time of all threads. Used by jpeg_parts.cpp and png_codecs.cpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace gpuimg::bench {

struct CodecTimes {
  double wall_ms = 1e30;
  double cpu_ms = 1e30;  ///< of all threads together; the more reliable figure on a busy machine
};

/// Lowers each field of `least` to what call() took, if that was less.
template <class Call>
void measure_once(CodecTimes& least, Call call) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  call();
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  least.wall_ms = std::min(least.wall_ms, wall.count());
  least.cpu_ms = std::min(least.cpu_ms, 1e3 * static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
}

}  // namespace gpuimg::bench
