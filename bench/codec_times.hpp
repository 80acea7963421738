// What the codec benchmarks share: the time of a call, and a main that measures each file of the command line.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>

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

/// Calls measure(path) for every argument; the exit code of the program.
template <class Measure>
int measure_files(int argc, char** argv, Measure measure) {
  try {
    for (int i = 1; i < argc; ++i) {
      measure(argv[i]);
    }
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}: {}\n", argv[0], problem.what());
    return 1;
  }
  return 0;
}

}  // namespace gpuimg::bench
