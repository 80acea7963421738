// Which backend, and the making of it.
#include "engine/backend_source.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/backend_cost.hpp"
#include "engine/cuda_info.hpp"
#include "gpuimg/cuda.hpp"

namespace gpuimg {
namespace {

std::unique_ptr<Backend> make(BackendKind kind, const GlobalOptions& options) {
  return kind == BackendKind::cuda ? make_cuda_backend(options.device) : make_cpu_backend(options.threads);
}

}  // namespace

BackendSource::BackendSource(const GlobalOptions& options) : options_(options) {
  if (options_.backend != BackendKind::automatic) {
    begin(options_.backend, "asked for");
  } else if (cuda_versions(false).runtime == 0) {
    begin(BackendKind::cpu, "built without CUDA");
  }
}

void BackendSource::expect_pixels(std::size_t pixels) {
  if (chosen_ != BackendKind::automatic) {
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
  const auto policy = kind == BackendKind::cuda ? std::launch::async : std::launch::deferred;
  pending_ = std::async(policy, make, kind, options_);
}

Backend& BackendSource::get() {
  if (backend_ == nullptr) {
    if (chosen_ == BackendKind::automatic) {
      begin(BackendKind::cpu, "the amount of work is not known");
    }
    if (!pending_.valid()) {
      begin(chosen_, reason_);  // it could not be had for an image before
    }
    try {
      backend_ = pending_.get();
    } catch (const Error& error) {
      if (!options_.can_use_cpu || chosen_ == BackendKind::cpu) {
        throw;
      }
      if (error.kind() != ErrorKind::backend_unavailable) {  // a machine without a device is no news
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
    other_ = make(get().name() == "cuda" ? BackendKind::cpu : BackendKind::cuda, options_);
  }
  return *other_;
}

}  // namespace gpuimg
