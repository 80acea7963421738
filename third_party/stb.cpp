// The only translation unit that compiles stb: selects its formats, and defines the allocator of stb_image.
#include "stb_budget.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

struct BudgetState {
  std::size_t bytes_left = 0;
  bool exceeded = false;
  bool out_of_memory = false;
};

// stb_image's allocation macros have no user pointer, so only the thread tells which decode an allocation belongs to.
// The state is valid during the lifetime of a StbBudget.
thread_local BudgetState budget_state;

constexpr std::size_t kAlignment = 64;  // the alignment of an Image's memory

/// Stored directly before the memory that stb_image receives.
struct BlockHeader {
  void* start;
  std::size_t bytes;
};

BlockHeader* header_of(void* memory) { return static_cast<BlockHeader*>(memory) - 1; }

void* budget_allocate(std::size_t bytes) {
  if (bytes > budget_state.bytes_left) {
    budget_state.exceeded = true;
    return nullptr;
  }
  // Uses calloc, because if a file is truncated, stb_image can return memory that it has not fully written.
  void* start = std::calloc(1, bytes + sizeof(BlockHeader) + kAlignment);
  if (start == nullptr) {
    budget_state.out_of_memory = true;
    return nullptr;
  }
  budget_state.bytes_left -= bytes;
  const auto first = reinterpret_cast<std::uintptr_t>(start) + sizeof(BlockHeader);
  const std::uintptr_t padding = (kAlignment - first % kAlignment) % kAlignment;
  void* memory = static_cast<char*>(start) + sizeof(BlockHeader) + padding;
  *header_of(memory) = {start, bytes};
  return memory;
}

void budget_release(void* memory) {
  if (memory != nullptr) {
    std::free(header_of(memory)->start);
  }
}

void* budget_reallocate(void* memory, std::size_t bytes) {
  void* larger = budget_allocate(bytes);
  if (larger != nullptr && memory != nullptr) {
    const std::size_t kept = header_of(memory)->bytes;
    std::memcpy(larger, memory, kept < bytes ? kept : bytes);
    budget_release(memory);
  }
  return larger;
}

}  // namespace

namespace gpuimg {

StbBudget::StbBudget(std::size_t bytes) { budget_state = {bytes, false, false}; }
StbBudget::~StbBudget() { budget_state = {}; }
bool StbBudget::exceeded() const { return budget_state.exceeded; }
bool StbBudget::out_of_memory() const { return budget_state.out_of_memory; }

}  // namespace gpuimg

#define STBI_MALLOC(bytes) budget_allocate(bytes)
#define STBI_REALLOC_SIZED(memory, old_bytes, bytes) budget_reallocate(memory, bytes)
#define STBI_REALLOC(memory, bytes) budget_reallocate(memory, bytes)
#define STBI_FREE(memory) budget_release(memory)
#define STBI_ONLY_TGA
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STBI_NO_STDIO
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image.h>
#include <stb_image_write.h>
