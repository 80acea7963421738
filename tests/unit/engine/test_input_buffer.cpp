// The files of a batch are read into one block of memory, which is lent to one file at a time.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "engine/memory.hpp"

namespace gpuimg::test_input_buffer {
namespace {

class InputBufferTest : public ::testing::Test {
 protected:
  std::unique_ptr<Backend> backend_ = make_cpu_backend(1);
  InputBuffer buffer_;
};

TEST_F(InputBufferTest, LendsTheSameMemoryToTheNextFile) {
  const std::byte* first = nullptr;
  {
    const ByteMemory memory = buffer_.lend(*backend_, 1000);
    first = memory.get();
    ASSERT_NE(first, nullptr);
  }
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{3} << 20, std::size_t{4} << 20}) {
    EXPECT_EQ(buffer_.lend(*backend_, bytes).get(), first);
  }
}

TEST_F(InputBufferTest, DoesNotLendMemoryTwice) {
  ByteMemory memory = buffer_.lend(*backend_, 1000);
  EXPECT_EQ(buffer_.lend(*backend_, 1000), nullptr);
  const ByteMemory moved = std::move(memory);
  EXPECT_EQ(buffer_.lend(*backend_, 1000), nullptr);
}

TEST_F(InputBufferTest, GrowsForALargerFile) {
  (void)buffer_.lend(*backend_, 1000);
  constexpr std::size_t kLarge = std::size_t{40} << 20;
  const ByteMemory memory = buffer_.lend(*backend_, kLarge);
  ASSERT_NE(memory, nullptr);
  memory[0] = memory[kLarge - 1] = std::byte{1};  // a sanitizer detects a buffer that is too small
}

TEST_F(InputBufferTest, DoesNotLendMemoryForHugeFiles) {
  EXPECT_EQ(buffer_.lend(*backend_, std::size_t{1} << 32), nullptr);
}

TEST(InputBuffer, LentMemoryOutlivesTheBuffer) {
  ByteMemory memory;
  {
    const std::unique_ptr<Backend> backend = make_cpu_backend(1);
    InputBuffer buffer;
    memory = buffer.lend(*backend, 1000);
  }
  memory[999] = std::byte{1};
}

}  // namespace
}  // namespace gpuimg::test_input_buffer
