// The list of backends, with the entry of the CPU.
#include "backends/backends.hpp"

#include <tbb/info.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace gpuimg {
namespace {

double cpu_cost_ms(const Workload& work) {
  constexpr int kMaxThreadsOfAFile = 3;
  const int available = tbb::info::default_concurrency();
  const int threads = std::min(work.threads > 0 ? work.threads : available, work.cost.useful_threads);
  const int decoders = work.images > 1 ? threads : std::min(threads, kMaxThreadsOfAFile);
  return work.megapixels() * (work.cost.thread_ms / threads + work.decoding_ms / decoders);
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

constexpr std::array<std::string_view, 1> kCpuSynonyms = {"host"};

}  // namespace

std::span<const BackendEntry> backends() {
  static const std::array kBackends = {
      BackendEntry{BackendKind::cpu, "cpu", "the CPU", "the CPU; the GPU driver is not touched", kCpuSynonyms, true,
                   [](const BackendOptions& options) { return make_cpu_backend(options.threads); }, cpu_cost_ms},
      kCudaBackend,
      kOpenclBackend,
  };
  return kBackends;
}

bool is_on(BackendKind kind, std::span<const BackendKind> only_on) {
  return only_on.empty() || std::ranges::find(only_on, kind) != only_on.end();
}

const BackendEntry& backend_entry(BackendKind kind) {
  return *std::ranges::find(backends(), kind, &BackendEntry::kind);
}

void expect_work(const DeviceWork& work) {
  for (const BackendEntry& entry : backends()) {
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
