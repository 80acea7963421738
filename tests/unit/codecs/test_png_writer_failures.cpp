// PNG that cannot be written to its end.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "codecs/png/png_writer.hpp"
#include "gpuimg/error.hpp"
#include "support/sanitizers.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

using namespace test;

/// Bytes of this process that are in memory.
std::size_t resident_bytes() {
  std::size_t total = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(PngWriter, WhatCannotBeWrittenIsFreed) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = random_image(random, 1500, 1100, {Sample::u8, 3});
  WriteOptions options;
  options.png_level = 0;
  options.threads = 4;
  const auto write_until_full = [&](std::size_t room) {
    const ByteSink full = [&](std::span<const std::byte> bytes) {
      if (bytes.size() > room) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // other strips are packed meanwhile, and wait
        throw Error(ErrorKind::write, "full");
      }
      room -= bytes.size();
    };
    EXPECT_THROW(encode_png(image.view(), "full.png", options, full), Error);
  };
  const auto several = [&] {
    for (std::size_t room = 0; room < 4000000; room += 100000) {
      write_until_full(room);
    }
  };
  several();
  const std::size_t before = resident_bytes();
  several();
  several();
  if (!kHasSanitizer) {  // it finds leaks by itself, and keeps what is freed
    EXPECT_LT(resident_bytes(), before + (std::size_t{8} << 20));
  }
}

}  // namespace
}  // namespace gpuimg
