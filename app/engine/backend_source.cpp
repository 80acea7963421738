// Starts, waits for and falls back between backends.
#include "engine/backend_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backends/backends.hpp"
#include "engine/backend_cost.hpp"
#include "engine/cuda_info.hpp"
#include "gpuimg/cuda.hpp"

namespace gpuimg {
namespace {

std::unique_ptr<Backend> make(BackendKind kind, const GlobalOptions& options) {
  return backend_entry(kind).make({options.device, options.threads});
}

/// The backend to verify `kind` against: the CPU, or, for the CPU, the first other backend.
BackendKind counterpart(BackendKind kind) {
  if (kind != BackendKind::cpu) {
    return BackendKind::cpu;
  }
  const auto all = backends();
  return std::find_if(all.begin(), all.end(), [](const BackendEntry& entry) { return entry.kind != BackendKind::cpu; })
      ->kind;
}

}  // namespace

BackendSource::BackendSource(const GlobalOptions& options) : options_(options) {
  if (options_.backend) {
    begin(*options_.backend, "asked for");
  } else if (cuda_versions(false).runtime == 0) {
    begin(BackendKind::cpu, "built without CUDA");
  }
}

void BackendSource::expect_pixels(std::size_t pixels) {
  if (chosen_) {
    return;
  }
  const CostEstimate cost = estimated_cost(pixels, options_.threads);
  const bool cuda_first = cost.cuda_ms < cost.cpu_ms;
  if (!cuda_first && !cuda_device_may_be_there()) {
    return begin(BackendKind::cpu, "there is no CUDA device");
  }
  begin(cuda_first ? BackendKind::cuda : BackendKind::cpu,
        fmt::format("expected to finish first: about {:.0f} ms on the CPU, {:.0f} ms with CUDA and its start-up",
                    cost.cpu_ms, cost.cuda_ms));
}

void BackendSource::begin(BackendKind kind, std::string reason) {
  chosen_ = kind;
  reason_ = std::move(reason);
  const auto policy = backend_entry(kind).memory_is_host ? std::launch::deferred : std::launch::async;
  pending_ = std::async(policy, make, kind, options_);
}

Backend& BackendSource::get() {
  if (backend_ == nullptr) {
    if (!chosen_) {
      begin(BackendKind::cpu, "the amount of work is not known");
    }
    if (!pending_.valid()) {
      begin(*chosen_, reason_);  // not available for an earlier image
    }
    try {
      backend_ = pending_.get();
    } catch (const Error& error) {
      if (!options_.can_use_cpu || chosen_ == BackendKind::cpu) {
        throw;
      }
      if (error.kind() != ErrorKind::backend_unavailable) {  // a missing device is no surprise
        note_ = std::string("the CPU takes over: ") + error.what();
      }
      begin(BackendKind::cpu, std::string("CUDA would finish first, but: ") + error.what());
      backend_ = pending_.get();
    }
  }
  return *backend_;
}

Backend& BackendSource::other() {
  if (other_ == nullptr) {
    other_ = make(counterpart(get().kind()), options_);
  }
  return *other_;
}

}  // namespace gpuimg
