// The list of backends, and the only file that makes them.
#include "backends/backends.hpp"

#include <algorithm>
#include <array>

#include "gpuimg/cuda.hpp"

namespace gpuimg {
namespace {

constexpr std::array<std::string_view, 1> kCpuSynonyms = {"host"};
constexpr std::array<std::string_view, 2> kCudaSynonyms = {"gpu", "nvidia"};

constexpr std::array kBackends = {
    BackendEntry{BackendKind::cpu, "cpu", "the CPU", "the CPU; the GPU driver is not touched", kCpuSynonyms, true,
                 [](const BackendOptions& options) { return make_cpu_backend(options.threads); }},
    BackendEntry{BackendKind::cuda, "cuda", "CUDA", "the GPU; an error if there is none", kCudaSynonyms, false,
                 [](const BackendOptions& options) { return make_cuda_backend(options.device); }},
};

}  // namespace

std::span<const BackendEntry> backends() { return kBackends; }

const BackendEntry& backend_entry(BackendKind kind) {
  return *std::find_if(kBackends.begin(), kBackends.end(),
                       [kind](const BackendEntry& entry) { return entry.kind == kind; });
}

}  // namespace gpuimg
