// What else computes the same on this device: CUB, NPP and the textbook kernels.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/operation.hpp"
#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::bench {

/// One implementation of one operation for pictures of one size.
struct Rival {
  Library library;
  std::string name;
  /// Makes what its input needs beyond the picture (float pixels); not timed. May be empty.
  std::function<void(const Picture&)> prepare;
  /// Queues the work on the device's stream.
  std::function<void(const Picture&)> run;
  /// After run(): its counts, channel after channel. Empty for what is no histogram.
  std::function<std::vector<std::uint64_t>()> counts;
  /// After run(): compares with the CPU backend's result for the same image; empty if it is right. May be empty where
  /// `counts` is given and the counts are those of gpuimg.
  std::function<std::string(const Image&, Backend& cpu)> check;
};

struct RivalSize {
  int width = 0;
  int height = 0;
  [[nodiscard]] std::size_t pixels() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
};

std::vector<Rival> cub_rivals(const std::shared_ptr<cuda::Device>& device, Operation operation, RivalSize size);
std::vector<Rival> textbook_rivals(const std::shared_ptr<cuda::Device>& device, Operation operation, RivalSize size);

/// None where NPP was not there when this was built.
std::vector<Rival> npp_rivals(const std::shared_ptr<cuda::Device>& device, Operation operation, RivalSize size);

/// "13.0.1", or "not built in".
std::string npp_version();
std::string cub_version();

}  // namespace gpuimg::bench
