// Shared by the codec benchmarks: the time of a call, the rate of several threads, and a main() that measures each file
// on the command line.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <thread>
#include <vector>

namespace gpuimg::bench {

struct CodecTimes {
  double wall_ms = 1e30;
  double cpu_ms = 1e30;  ///< of all threads together; more reliable than wall time on a busy machine
};

/// Measures one call(). Lowers each field of `least` to the measured time if that is smaller.
template <class Call>
void measure_once(CodecTimes& least, Call call) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  call();
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  least.wall_ms = std::min(least.wall_ms, wall.count());
  least.cpu_ms = std::min(least.cpu_ms, 1e3 * static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
}

/// The median wall time of 15 calls, in milliseconds.
template <class Call>
double median_ms(Call call) {
  std::array<double, 15> times{};
  for (double& time : times) {
    CodecTimes once;
    measure_once(once, call);
    time = once.wall_ms;
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

/// Calls per second of `threads` threads. They take the numbers 0 to `calls` − 1 in turn, and pass them to the result
/// of make_worker(). The time for make_worker() does not count.
template <class MakeWorker>
double rate_of_threads(int threads, int calls, MakeWorker make_worker) {
  std::atomic<int> ready{0};
  std::atomic<int> next{0};
  std::vector<std::thread> workers;
  const auto wait_for_all = [&] {
    while (ready < threads) {
      std::this_thread::yield();
    }
  };
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      auto work = make_worker();
      ++ready;
      wait_for_all();
      for (int k = next++; k < calls; k = next++) {
        work(k);
      }
    });
  }
  wait_for_all();
  const auto start = std::chrono::steady_clock::now();
  for (std::thread& worker : workers) {
    worker.join();
  }
  return calls / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Calls measure(path) for each argument. Returns the exit code of the program.
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
