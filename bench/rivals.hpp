// Other implementations of the operations on the same device: CUB, NPP and the textbook kernels.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/operation.hpp"
#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::bench {

/// One implementation of one operation, for pictures of one size.
struct Rival {
  Library library;
  std::string name;
  /// Prepares additional input, such as float pixels. Not timed. May be empty.
  std::function<void(const Picture&)> prepare;
  /// Queues the work on the device's stream.
  std::function<void(const Picture&)> run;
  /// Returns the counts of the last run(), channel by channel. Empty if the operation is not a histogram.
  std::function<std::vector<std::uint64_t>()> counts;
  /// Compares the result of the last run() with the CPU backend's result for the same image. Returns an empty string if
  /// they agree. May be empty if `counts` is set and the counts must equal gpuimg's.
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

/// Returns an empty vector in a build without NPP.
std::vector<Rival> npp_rivals(const std::shared_ptr<cuda::Device>& device, Operation operation, RivalSize size);

/// "13.0.1", or "not built in".
std::string npp_version();
std::string cub_version();

}  // namespace gpuimg::bench
