// The cost model of `--backend auto`.
#include "engine/backend_cost.hpp"

#include <algorithm>
#include <thread>

namespace gpuimg {
namespace {

constexpr double kPixelsPerMegapixel = 1.0e6;
// One thread, equalization of RGB: the most work a pixel of the operations that come in question.
constexpr double kCpuMsPerMegapixel = 4.0;
// Threads share the memory bus: beyond these, more do not help.
constexpr int kMostUsefulThreads = 16;
constexpr double kCudaStartMs = 250.0;
// Three bytes a pixel up and down through pageable memory.
constexpr double kCudaMsPerMegapixel = 1.0;

}  // namespace

CostEstimate estimated_cost(std::size_t pixels, int threads) {
  const int available = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int useful = std::min(threads > 0 ? threads : available, kMostUsefulThreads);
  const double megapixels = static_cast<double>(pixels) / kPixelsPerMegapixel;
  return {kCpuMsPerMegapixel * megapixels / useful, kCudaStartMs + kCudaMsPerMegapixel * megapixels};
}

}  // namespace gpuimg
