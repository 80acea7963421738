// Recycles the pixel memory of one backend. New memory costs one page fault per page, which takes longer than most
// operations; page-locked memory costs even more. pixel_memory.cpp also defines allocate_pixels() of gpuimg/image.hpp.
// Also declares a workaround for a deadlock of oneTBB 2022 when memory runs out: docs/reliability.md, "Known limits".
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpuimg/image.hpp"

namespace gpuimg {

/// Makes Images whose memory returns to the pool when they are destroyed. Images may outlive the pool, and may be
/// destroyed on any thread. Idle memory is limited to kMaxIdle blocks, whose total is at most `most_idle` times the
/// largest of them. If no idle block fits a request, all idle blocks are freed.
class PixelPool : public std::enable_shared_from_this<PixelPool> {
 public:
  static constexpr std::size_t kMaxIdle = 4;

  /// Smaller images bypass the pool, because the allocator itself keeps their pages.
  static constexpr std::size_t kMinBytes = std::size_t{1} << 20;

  /// Allocates new memory: allocate_pixels, or an allocator for another kind of memory.
  using Allocate = std::function<PixelMemory(std::size_t bytes)>;

  explicit PixelPool(Allocate allocate = allocate_pixels, std::size_t most_idle = 2)
      : allocate_(std::move(allocate)), most_idle_(most_idle) {
    idle_.reserve(kMaxIdle + 1);
  }
  PixelPool(const PixelPool&) = delete;
  PixelPool& operator=(const PixelPool&) = delete;
  ~PixelPool() = default;

  /// Uninitialized pixels. Throws Error{out_of_memory}.
  Image image(int width, int height, PixelFormat format);

  /// A copy without row padding. Throws Error{out_of_memory}.
  Image copy_of(ConstView pixels);

 private:
  struct Block;
  using BlockPointer = std::unique_ptr<Block, void (*)(Block*)>;

  static void destroy(Block* block);
  [[nodiscard]] BlockPointer new_block(std::size_t bytes) const;
  static void release(std::byte* pixels);
  BlockPointer idle_block_for(std::size_t bytes);
  void take_back(BlockPointer block);

  Allocate allocate_;
  std::size_t most_idle_;
  std::mutex mutex_;
  std::vector<BlockPointer> idle_;  ///< oldest first; capacity is reserved, so that a deleter never allocates
};

/// Call this before the first use of a tbb::task_arena. With oneTBB 2022 and later, throws std::bad_alloc if there is
/// too little memory for what oneTBB allocates at that point. If the allocation failed inside oneTBB instead, oneTBB
/// would deadlock on its own lock.
void require_arena_memory();

}  // namespace gpuimg
