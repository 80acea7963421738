// A PNG writer whose sink fails.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "codecs/png/png.hpp"
#include "gpuimg/error.hpp"
#include "support/sanitizers.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_png_writer_failures {
using namespace codecs;
using namespace codecs::png;

namespace {

using namespace test;

/// This process's resident memory in bytes.
std::size_t resident_bytes() {
  std::size_t total = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(PngWriter, FreesMemoryWhenWritingFails) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = random_image(random, 1500, 1100, {Sample::u8, 3});
  WriteOptions options;
  options.png_level = 0;
  options.threads = 4;
  const auto write_until_full = [&](std::size_t room) {
    const ByteSink full = [&](std::span<const std::byte> bytes) {
      if (bytes.size() > room) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // meanwhile other strips are compressed and wait
        throw Error(ErrorKind::write, "full");
      }
      room -= bytes.size();
    };
    const auto by_rows = [&] {
      const auto writer = open_png_writer(image.width(), image.height(), image.format(), "full.png", options, full);
      for (int y = 0; y < image.height(); y += 10) {
        const ConstView rows = image.view();
        writer->write(copy_of({rows.row_bytes(y), rows.width, 10, rows.pitch_bytes, rows.format}).view());
      }
    };
    EXPECT_THROW(encode_png(image.view(), "full.png", options, full), Error);
    EXPECT_THROW(by_rows(), Error);
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
  if (!kHasSanitizer) {  // a sanitizer detects leaks itself and delays freeing
    EXPECT_LT(resident_bytes(), before + (std::size_t{8} << 20));
  }
}

}  // namespace
}  // namespace gpuimg::test_png_writer_failures
