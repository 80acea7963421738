// Leases contexts.
#include "batch/context_pool.hpp"

#include <utility>

namespace gpuimg {

ContextPool::ContextPool(const GlobalOptions& options, std::vector<int> devices)
    : options_(options), devices_(std::move(devices)) {}

ContextPool::Lease ContextPool::lease() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    free_.reserve(made_ + 1);  // take_back() runs in a destructor and must not allocate
    GlobalOptions options = options_;
    options.device = devices_[made_++ % devices_.size()];
    return {*this, std::make_unique<CommandContext>(options, CommandContext::Messages::kept, admission_)};
  }
  // Last in, first out: its memory is warm in the caches, and fewer contexts are created.
  std::unique_ptr<CommandContext> context = std::move(free_.back());
  free_.pop_back();
  return {*this, std::move(context)};
}

void ContextPool::clear() {
  const std::lock_guard lock(mutex_);
  free_.clear();
}

void ContextPool::take_back(std::unique_ptr<CommandContext> context) {
  if (context != nullptr) {
    context->begin_item();
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(context));
  }
}

}  // namespace gpuimg
