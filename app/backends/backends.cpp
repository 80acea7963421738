// The list of backends, and the only file that makes them.
#include "backends/backends.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include "backends/cuda_info.hpp"
#include "gpuimg/cuda.hpp"

namespace gpuimg {
namespace {

double megapixels(const Workload& work) { return static_cast<double>(work.pixels) / 1.0e6; }

double cpu_cost_ms(const Workload& work) {
  // One thread, RGB equalization: the most expensive operation per pixel among those that `auto` decides.
  constexpr double kMsPerMegapixel = 4.0;
  constexpr double kMsPerMegapixelOfJpeg = 15.0;
  // Memory bandwidth is shared: more threads than this do not help.
  constexpr int kMaxUsefulThreads = 16;
  constexpr int kMaxThreadsOfAJpeg = 3;
  const int available = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int threads = std::min(work.threads > 0 ? work.threads : available, kMaxUsefulThreads);
  const int decoders = work.images > 1 ? threads : std::min(threads, kMaxThreadsOfAJpeg);
  const double decoding = work.suits_backends ? kMsPerMegapixelOfJpeg / decoders : 0.0;
  return megapixels(work) * (kMsPerMegapixel / threads + decoding);
}

double cuda_cost_ms(const Workload& work) {
  constexpr double kStartMs = 250.0;
  // Three bytes per pixel in each direction, from and to pageable memory; decoded there, they go one way.
  constexpr double kMsPerMegapixel = 1.0;
  constexpr double kMsPerMegapixelOfJpeg = 0.5;
  return kStartMs + megapixels(work) * (work.suits_backends ? kMsPerMegapixelOfJpeg : kMsPerMegapixel);
}

constexpr std::array<std::string_view, 1> kCpuSynonyms = {"host"};
constexpr std::array<std::string_view, 2> kCudaSynonyms = {"gpu", "nvidia"};

constexpr std::array kBackends = {
    BackendEntry{BackendKind::cpu, "cpu", "the CPU", "the CPU; the GPU driver is not touched", kCpuSynonyms, true,
                 [](const BackendOptions& options) { return make_cpu_backend(options.threads); }, cpu_cost_ms},
    BackendEntry{BackendKind::cuda, "cuda", "CUDA", "the GPU; an error if there is none", kCudaSynonyms, false,
                 [](const BackendOptions& options) { return make_cuda_backend(options.device); }, cuda_cost_ms,
                 &kCudaFacts},
};

}  // namespace

std::span<const BackendEntry> backends() { return kBackends; }

const BackendEntry& backend_entry(BackendKind kind) {
  return *std::find_if(kBackends.begin(), kBackends.end(),
                       [kind](const BackendEntry& entry) { return entry.kind == kind; });
}

void expect_workers(int per_device) {
  for (const BackendEntry& entry : kBackends) {
    if (entry.device_facts != nullptr) {
      entry.device_facts->expect_workers(per_device);
    }
  }
}

bool is_built_in(const BackendEntry& entry) {
  return entry.device_facts == nullptr || entry.device_facts->is_built_in();
}

bool may_be_there(const BackendEntry& entry) {
  return entry.device_facts == nullptr || (entry.device_facts->is_built_in() && entry.device_facts->may_be_there());
}

}  // namespace gpuimg
