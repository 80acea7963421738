// The pool reuses memory, and keeps no more idle memory than it promises.
#include "pixel_memory.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace gpuimg::test_pixel_memory {
namespace {

constexpr int kMegabyte = 1 << 20;
constexpr PixelFormat kGray{Sample::u8, 1};

/// A pool that increments `made` with each allocation.
std::shared_ptr<PixelPool> counting_pool(int& made, std::size_t most_idle) {
  const auto allocate = [&made](std::size_t bytes) {
    ++made;
    return allocate_pixels(bytes);
  };
  return std::make_shared<PixelPool>(allocate, most_idle);
}

/// The number of allocations for `count` images that exist at the same time, after the pool got the same number of
/// images back.
int made_again(std::size_t most_idle, int count) {
  int made = 0;
  const auto pool = counting_pool(made, most_idle);
  for (int round = 0; round < 2; ++round) {
    made = 0;
    std::vector<Image> images;
    for (int i = 0; i < count; ++i) {
      images.push_back(pool->image(kMegabyte, 2, kGray));
    }
  }
  return made;
}

TEST(PixelPool, ReusesTheSameMemory) {
  int made = 0;
  const auto pool = counting_pool(made, 2);
  const std::byte* const first = pool->image(kMegabyte, 4, kGray).view().data;
  EXPECT_EQ(pool->image(kMegabyte, 3, kGray).view().data, first) << "a little smaller";
  EXPECT_EQ(made, 1);
  EXPECT_NE(pool->image(kMegabyte, 5, kGray).view().data, nullptr);
  EXPECT_EQ(made, 2) << "larger";
}

TEST(PixelPool, KeepsIdleMemoryUpToItsLimit) {
  EXPECT_EQ(made_again(2, 2), 0);
  EXPECT_EQ(made_again(2, 4), 2);
  EXPECT_EQ(made_again(PixelPool::kMaxIdle, 4), 0);
  EXPECT_EQ(made_again(PixelPool::kMaxIdle, 6), 2);
  EXPECT_EQ(made_again(100, 6), 2) << "never more than kMaxIdle";
}

TEST(PixelPool, ImagesMayOutliveThePool) {
  int made = 0;
  auto pool = counting_pool(made, 2);
  Image image = pool->image(kMegabyte, 2, kGray);
  pool.reset();
  image.view().data[0] = std::byte{1};
  EXPECT_EQ(image.view().data[0], std::byte{1});
}

}  // namespace
}  // namespace gpuimg::test_pixel_memory
