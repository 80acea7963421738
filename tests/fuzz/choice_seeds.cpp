// Seeds for harnesses that read choices and pixels: arbitrary bytes in several sizes.
#include "fuzz/seed_folder.hpp"

namespace gpuimg::fuzz {

void add_choice_seeds(SeedFolder& seeds) {
  std::uint32_t state = 1;
  for (const char* harness :
       {"fuzz_deflate", "fuzz_jpeg_encode", "fuzz_png_roundtrip", "fuzz_reports", "fuzz_operations"}) {
    for (int i = 0; i < 64; ++i) {
      test::FileBytes bytes;
      for (int size = 8 + i * i / 8; size > 0; --size) {
        state = state * 1664525 + 1013904223;
        // Half of the seeds have few levels and long repeats, like images.
        bytes.push_back(static_cast<std::byte>(i % 2 == 0 ? state >> 24 : state >> 31));
      }
      seeds.add(harness, bytes);
    }
  }
}

}  // namespace gpuimg::fuzz
