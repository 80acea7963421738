// Leases contexts.
#include "batch/context_pool.hpp"

#include <algorithm>
#include <utility>

namespace gpuimg {

ContextPool::ContextPool(const GlobalOptions& options, const std::vector<int>& devices) : options_(options) {
  for (const int device : devices) {
    devices_.push_back({device});
  }
}

ContextPool::Lease ContextPool::lease() {
  const std::lock_guard lock(mutex_);
  DeviceContexts& of =
      *std::min_element(devices_.begin(), devices_.end(),
                        [](const DeviceContexts& a, const DeviceContexts& b) { return a.leased < b.leased; });
  std::unique_ptr<CommandContext> context;
  if (of.free.empty()) {
    of.free.reserve(of.leased + 1);  // take_back() runs in a destructor and must not allocate
    GlobalOptions options = options_;
    options.device = of.device;
    context = std::make_unique<CommandContext>(options, CommandContext::Role::worker, shared_);
  } else {
    // Last in, first out: its memory is warm in the caches, and fewer contexts are created.
    context = std::move(of.free.back());
    of.free.pop_back();
  }
  ++of.leased;
  return {*this, of, std::move(context)};
}

void ContextPool::clear() {
  const std::lock_guard lock(mutex_);
  for (DeviceContexts& of : devices_) {
    of.free.clear();
  }
}

void ContextPool::take_back(DeviceContexts& of, std::unique_ptr<CommandContext> context) {
  if (context != nullptr) {
    context->begin_item();
  }
  const std::lock_guard lock(mutex_);
  --of.leased;
  if (context != nullptr) {
    of.free.push_back(std::move(context));
  }
}

}  // namespace gpuimg
