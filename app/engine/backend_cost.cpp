// The cost model of `--backend auto`.
#include "engine/backend_cost.hpp"

#include <algorithm>
#include <thread>

namespace gpuimg {
namespace {

constexpr double kPixelsPerMegapixel = 1.0e6;
// One thread, RGB equalization: the most expensive operation per pixel among those that `auto` decides.
constexpr double kCpuMsPerMegapixel = 4.0;
// Memory bandwidth is shared: more threads than this do not help.
constexpr int kMaxUsefulThreads = 16;
constexpr double kCudaStartMs = 250.0;
// Three bytes per pixel in each direction, from and to pageable memory.
constexpr double kCudaMsPerMegapixel = 1.0;

}  // namespace

CostEstimate estimated_cost(std::size_t pixels, int threads) {
  const int available = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int useful = std::min(threads > 0 ? threads : available, kMaxUsefulThreads);
  const double megapixels = static_cast<double>(pixels) / kPixelsPerMegapixel;
  return {kCpuMsPerMegapixel * megapixels / useful, kCudaStartMs + kCudaMsPerMegapixel * megapixels};
}

}  // namespace gpuimg
