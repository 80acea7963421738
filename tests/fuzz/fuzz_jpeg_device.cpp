// Fuzzes the host twin of the device's JPEG decoder against libjpeg-turbo. If the twin decodes a file to other pixels,
// or decodes a file that libjpeg-turbo rejects, that is a finding.
#include <cstdio>
#include <cstdlib>

#include "support/jpeg_twin.hpp"

/// The last byte selects how the work is divided. Both decoders ignore this byte, because it follows the end of the
/// image.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4 || data[0] != 0xFF || data[1] != 0xD8) {
    return -1;  // keep out of the corpus
  }
  const unsigned choice = data[size - 1];
  const gpuimg::test::TwinChoices choices{.subsequence_bits = 8U << (choice & 7U),
                                          .parts = 1 + choice % 5,
                                          .tile_size = 1 + (choice >> 3 & 7U),
                                          .run_in = choice >> 6,
                                          .max_rounds = 16,
                                          .repair_budget = choice % 3 * 8};
  const std::string difference = gpuimg::test::difference_of_jpeg_twin(std::as_bytes(std::span(data, size)), choices);
  if (!difference.empty()) {
    std::fprintf(stderr, "%s\n", difference.c_str());
    std::abort();
  }
  return 0;
}
