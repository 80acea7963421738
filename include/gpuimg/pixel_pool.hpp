// Pixel memory of one backend, used again: new memory costs a page fault a page, more than most operations take, and
// page-locked memory still more. Defined in core/pixel_pool.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "gpuimg/image.hpp"

namespace gpuimg {

/// Makes Images whose memory comes back when they die and serves the next. The Images may outlive the pool, and may die
/// on any thread. What lies idle is bounded: at most kMostIdle blocks, together at most twice the largest of them, and
/// none at all once a request finds no idle block that fits.
class PixelPool : public std::enable_shared_from_this<PixelPool> {
 public:
  static constexpr std::size_t kMostIdle = 4;

  /// Images of fewer bytes are ordinary ones: the allocator keeps their pages itself.
  static constexpr std::size_t kFewestBytes = std::size_t{1} << 20;

  /// allocate_pixels, or what gets memory of another kind.
  using Allocate = PixelMemory (*)(std::size_t bytes);

  explicit PixelPool(Allocate allocate = allocate_pixels) : allocate_(allocate) { idle_.reserve(kMostIdle + 1); }
  PixelPool(const PixelPool&) = delete;
  PixelPool& operator=(const PixelPool&) = delete;
  ~PixelPool() = default;

  /// Pixels not cleared. Throws Error{out_of_memory}.
  Image image(int width, int height, PixelFormat format);

  /// The same pixels in rows without padding. Throws Error{out_of_memory}.
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
  std::mutex mutex_;
  std::vector<BlockPointer> idle_;  ///< oldest first; its room is reserved, so that a deleter never allocates
};

}  // namespace gpuimg
