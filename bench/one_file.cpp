// Measures how fast many busy threads write blocks into a single file, as the workers of an archive do, compared with
// one file per block. BUSY_MS is the work of a thread before each block.
// usage: gpuimg_one_file_bench FOLDER [BUSY_MS [GIGABYTES]]
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "io/system_handles.hpp"
#include "io/temporary_file.hpp"

namespace {

using namespace gpuimg;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::size_t kBlockBytes = 3'400'000;  ///< size of an encoded photograph of 14.7 megapixels
constexpr int kBlocksOfThread = 6;              ///< used in turn, so that a block is no longer in the processor's cache

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void work(double ms) {
  const auto end = Clock::now() + Milliseconds(ms);
  while (Clock::now() < end) {
  }
}

int created(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) {
    throw std::runtime_error(path + ": cannot be created");
  }
  return file;
}

using Store = std::function<void(std::size_t block, std::span<const std::byte> content)>;

/// One thread per processor alternately works and stores, until all blocks are stored.
void measure(const char* what, std::size_t blocks, double busy_ms, const Store& store) {
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::vector<std::byte>> memory(std::size_t{threads} * kBlocksOfThread,
                                             std::vector<std::byte>(kBlockBytes, std::byte{0x5A}));
  std::atomic<std::size_t> next = 0;
  std::atomic<double> storing_ms = 0;
  const double cpu_start = cpu_seconds();
  const auto start = Clock::now();
  std::vector<std::thread> pool;
  for (unsigned t = 0; t < threads; ++t) {
    pool.emplace_back([&, t] {
      for (std::size_t i = 0;; ++i) {
        work(busy_ms);
        const std::size_t block = next++;
        if (block >= blocks) {
          return;
        }
        const auto begin = Clock::now();
        store(block, memory[t * kBlocksOfThread + i % kBlocksOfThread]);
        storing_ms += Milliseconds(Clock::now() - begin).count();
      }
    });
  }
  for (std::thread& thread : pool) {
    thread.join();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const double gigabytes = 1e-9 * static_cast<double>(blocks * kBlockBytes);
  const double busy_seconds = 1e-3 * busy_ms * static_cast<double>(blocks + threads);
  fmt::print("{:18} {:6.2f} GB/s, {:6.2f} ms per block, {:5.2f} s of processor time per GB\n", what,
             gigabytes / seconds, storing_ms / static_cast<double>(blocks),
             (cpu_seconds() - cpu_start - busy_seconds) / gigabytes);
}

void bench(const std::string& folder, double busy_ms, double gigabytes) {
  const auto blocks = static_cast<std::size_t>(1e9 * gigabytes / kBlockBytes);
  fmt::print("{} threads, {} blocks of {} bytes, {} ms of work before each\n", std::thread::hardware_concurrency(),
             blocks, kBlockBytes, busy_ms);
  const auto path_of = [&](std::size_t block) { return fmt::format("{}/one_file_bench.{}", folder, block); };
  for (int round = 0; round < 3; ++round) {
    measure("a file each", blocks, busy_ms, [&](std::size_t block, std::span<const std::byte> content) {
      const std::string path = path_of(block);
      const Descriptor file(created(path));
      write_all(file.number(), content, path);
    });
    for (std::size_t block = 0; block < blocks; ++block) {
      ::unlink(path_of(block).c_str());
    }
    const std::string path = path_of(0);
    const Descriptor file(created(path));
    PartWriter writer(file.number(), path, path);
    measure("one file", blocks, busy_ms, [&](std::size_t block, std::span<const std::byte> content) {
      writer.write_at(block * kBlockBytes, content);
    });
    writer.finish(0);
    ::unlink(path.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    fmt::print(stderr, "usage: {} FOLDER [BUSY_MS [GIGABYTES]]\n", argv[0]);
    return 2;
  }
  try {
    bench(argv[1], argc > 2 ? std::stod(argv[2]) : 8.0, argc > 3 ? std::stod(argv[3]) : 6.0);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}: {}\n", argv[0], problem.what());
    return 1;
  }
  return 0;
}
