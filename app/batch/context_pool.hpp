// Pool of worker contexts: one per image in flight, created on demand, assigned to the devices round-robin.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "cli/global_options.hpp"
#include "engine/command_context.hpp"

namespace gpuimg {

class ContextPool {
 public:
  /// `devices` are CUDA device numbers; must not be empty.
  ContextPool(const GlobalOptions& options, std::vector<int> devices);

  /// Returns the context to the pool when it goes out of scope.
  class Lease {
   public:
    Lease(ContextPool& pool, std::unique_ptr<CommandContext> context) : pool_(pool), context_(std::move(context)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.take_back(std::move(context_)); }

    CommandContext& operator*() const { return *context_; }
    CommandContext* operator->() const { return context_.get(); }

    /// Destroys the context, including its backend's memory, instead of returning it.
    void discard() { context_.reset(); }

   private:
    ContextPool& pool_;
    std::unique_ptr<CommandContext> context_;
  };

  Lease lease();

  /// Destroys all contexts that are not leased.
  void clear();

 private:
  void take_back(std::unique_ptr<CommandContext> context);

  GlobalOptions options_;
  std::vector<int> devices_;
  std::shared_ptr<DecoderAdmission> admission_ = std::make_shared<DecoderAdmission>();
  std::size_t made_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<CommandContext>> free_;
};

}  // namespace gpuimg
