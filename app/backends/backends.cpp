// The list of backends, and the only file that makes them.
#include "backends/backends.hpp"

#include <tbb/info.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include "backends/cuda_info.hpp"
#include "backends/cuda_start.hpp"
#include "backends/opencl_info.hpp"
#include "gpuimg/cuda.hpp"
#include "gpuimg/opencl.hpp"

namespace gpuimg {
namespace {

double megapixels(const Workload& work) { return static_cast<double>(work.pixels) / 1.0e6; }

double cpu_cost_ms(const Workload& work) {
  constexpr double kMsPerMegapixelOfJpeg = 15.0;
  constexpr int kMaxThreadsOfAJpeg = 3;
  const int available = tbb::info::default_concurrency();
  const int threads = std::min(work.threads > 0 ? work.threads : available, work.cost.useful_threads);
  const int decoders = work.images > 1 ? threads : std::min(threads, kMaxThreadsOfAJpeg);
  const double decoding = work.suits_backends ? kMsPerMegapixelOfJpeg / decoders : 0.0;
  return megapixels(work) * (work.cost.thread_ms / threads + decoding);
}

double cuda_cost_ms(const Workload& work) {
  constexpr double kStartMs = 250.0;
  // Three bytes per pixel in each direction, from and to pageable memory; decoded there, they go one way.
  constexpr double kMsPerMegapixel = 1.0;
  constexpr double kMsPerMegapixelOfJpeg = 0.5;
  const double moved = work.suits_backends ? kMsPerMegapixelOfJpeg : kMsPerMegapixel;
  return kStartMs + megapixels(work) * (moved + work.cost.device_ms);
}

/// Never the smallest: what an OpenCL device costs is not measured.
double opencl_cost_ms(const Workload& /*work*/) { return std::numeric_limits<double>::infinity(); }

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

constexpr std::array<std::string_view, 1> kCpuSynonyms = {"host"};
constexpr std::array<std::string_view, 2> kCudaSynonyms = {"gpu", "nvidia"};
constexpr std::array<std::string_view, 4> kOpenclSynonyms = {"ocl", "cl", "amd", "intel"};

constexpr std::array kBackends = {
    BackendEntry{BackendKind::cpu, "cpu", "the CPU", "the CPU; the GPU driver is not touched", kCpuSynonyms, true,
                 [](const BackendOptions& options) { return make_cpu_backend(options.threads); }, cpu_cost_ms},
    BackendEntry{
        BackendKind::cuda, "cuda", "CUDA", "the GPU; an error if there is none", kCudaSynonyms, false,
        [](const BackendOptions& options) { return make_cuda_backend(visible_index(options.device), options.device); },
        cuda_cost_ms, &kCudaFacts},
    BackendEntry{BackendKind::opencl, "opencl", "OpenCL", "an OpenCL device; never chosen by auto", kOpenclSynonyms,
                 false,
                 [](const BackendOptions& options) {
                   refuse_failed_device(options.device);
                   return make_opencl_backend({options.device, program_cache_folder()});
                 },
                 opencl_cost_ms, &kOpenclFacts, true},
};

}  // namespace

std::span<const BackendEntry> backends() { return kBackends; }

const BackendEntry& backend_entry(BackendKind kind) {
  return *std::find_if(kBackends.begin(), kBackends.end(),
                       [kind](const BackendEntry& entry) { return entry.kind == kind; });
}

void expect_work(const DeviceWork& work) {
  for (const BackendEntry& entry : kBackends) {
    if (entry.device_facts != nullptr && entry.device_facts->expect_work != nullptr) {
      entry.device_facts->expect_work(work);
    }
  }
}

bool is_built_in(const BackendEntry& entry) {
  return entry.device_facts == nullptr || entry.device_facts->is_built_in();
}

int device_named(const BackendEntry& entry, std::string_view part) {
  const std::vector<int> numbers = entry.device_facts->devices();
  const std::vector<std::string> names = entry.device_facts->names();
  std::vector<int> found;
  std::string all;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    all += (i == 0 ? "" : ", ") + std::to_string(numbers[i]) + " is " + names[i];
    if (in_lower_case(names[i]).find(in_lower_case(part)) != std::string::npos) {
      found.push_back(numbers[i]);
    }
  }
  if (found.size() != 1) {
    throw Error(ErrorKind::backend_unavailable, std::string(entry.title) + ": " +
                                                    (found.empty() ? "no" : "more than one") + " device has '" +
                                                    std::string(part) + "' in its name: " + all);
  }
  return found.front();
}

bool may_be_there(const BackendEntry& entry) {
  return entry.device_facts == nullptr || (entry.device_facts->is_built_in() && entry.device_facts->may_be_there());
}

}  // namespace gpuimg
