// Allocates and recycles host memory for pixels. Large blocks request huge pages: a 50 MB image then causes 25 page
// faults instead of 12,000. Each block of the pool begins with its own header, so that an Image's deleter can stay a
// plain function pointer.
#include "pixel_memory.hpp"

#include <oneapi/tbb/version.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

namespace gpuimg {

namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{1} << 21;

void release_pixels(std::byte* memory) { std::free(memory); }

}  // namespace

PixelMemory allocate_pixels(std::size_t bytes) {
  void* memory = nullptr;
  const bool large = bytes >= kHugePixelBytes;
  if (posix_memalign(&memory, large ? kHugePage : kCacheLine, bytes > 0 ? bytes : 1) != 0) {
    throw Error(ErrorKind::out_of_memory, "cannot allocate " + std::to_string(bytes) +
                                              " bytes for pixels; use a smaller image or a machine with more memory");
  }
  if (large) {
    // Only a hint: if the kernel declines, normal pages work too.
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
  }
  return PixelMemory(static_cast<std::byte*>(memory), PixelMemoryDeleter{release_pixels});
}

/// Header stored directly before the pixels.
struct PixelPool::Block {
  PixelMemory memory;             ///< also holds this header
  std::size_t capacity = 0;       ///< capacity for pixels, in bytes
  std::weak_ptr<PixelPool> pool;  ///< set while an Image owns the block

  static constexpr std::size_t kSize = 64;  ///< one cache line, which keeps the pixels aligned to 64 bytes
  [[nodiscard]] std::byte* pixels() { return reinterpret_cast<std::byte*>(this) + kSize; }
  static Block* of(std::byte* pixels) { return std::launder(reinterpret_cast<Block*>(pixels - kSize)); }
};

void PixelPool::destroy(Block* block) {
  // Destroying the header ends the lifetime of `memory` inside it, so move `memory` out first.
  const PixelMemory memory = std::move(block->memory);
  block->~Block();
}

PixelPool::BlockPointer PixelPool::new_block(std::size_t bytes) const {
  static_assert(sizeof(Block) <= Block::kSize);
  PixelMemory memory = allocate_(bytes + Block::kSize);
  auto* block = new (memory.get()) Block;
  block->memory = std::move(memory);
  block->capacity = bytes;
  return {block, destroy};
}

Image PixelPool::image(int width, int height, PixelFormat format) {
  const std::size_t bytes = Image::bytes_of(width, height, format);
  if (bytes < kMinBytes) {
    return {width, height, format};
  }
  BlockPointer block = idle_block_for(bytes);
  if (block == nullptr) {
    block = new_block(bytes);
  }
  block->pool = weak_from_this();
  return {width, height, format, PixelMemory(block.release()->pixels(), PixelMemoryDeleter{release})};
}

Image PixelPool::copy_of(ConstView pixels) {
  Image copy = image(pixels.width, pixels.height, pixels.format);
  copy_pixels(pixels, copy.view());
  return copy;
}

void PixelPool::release(std::byte* pixels) {
  BlockPointer block(Block::of(pixels), destroy);
  if (const std::shared_ptr<PixelPool> pool = std::exchange(block->pool, {}).lock()) {
    pool->take_back(std::move(block));
  }
}

/// Picks the smallest idle block that fits and is at most kMaxSlack times as large as needed. If there is none, frees
/// all idle blocks, because the image size has changed.
PixelPool::BlockPointer PixelPool::idle_block_for(std::size_t bytes) {
  constexpr std::size_t kMaxSlack = 4;
  const std::lock_guard lock(mutex_);
  auto best = idle_.end();
  for (auto each = idle_.begin(); each != idle_.end(); ++each) {
    const std::size_t capacity = (*each)->capacity;
    const bool fits = capacity >= bytes && capacity / kMaxSlack <= bytes;
    if (fits && (best == idle_.end() || capacity < (*best)->capacity)) {
      best = each;
    }
  }
  if (best == idle_.end()) {
    idle_.clear();
    return {nullptr, destroy};
  }
  BlockPointer block = std::move(*best);
  idle_.erase(best);
  return block;
}

void PixelPool::take_back(BlockPointer block) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(block));
  const auto too_much = [&] {
    std::size_t sum = 0;
    std::size_t largest = 0;
    for (const BlockPointer& each : idle_) {
      sum += each->capacity;
      largest = std::max(largest, each->capacity);
    }
    return idle_.size() > kMaxIdle || sum > most_idle_ * largest;
  };
  while (too_much()) {
    idle_.erase(idle_.begin());
  }
}

/// Tries to allocate as much as the first arena of a process needs, and frees it again.
void require_arena_memory() {
  constexpr int kFirstThatWaits = 12140;  // interface version of oneTBB 2022.0
  if (TBB_runtime_interface_version() < kFirstThatWaits) {
    return;
  }
  constexpr std::size_t kBytes = std::size_t{16} << 20;  // oneTBB's allocator requests megabytes at a time
  void* const memory = ::operator new(kBytes);
  *static_cast<volatile char*>(memory) = 0;  // without this, the compiler may remove both calls
  ::operator delete(memory);
}

}  // namespace gpuimg
