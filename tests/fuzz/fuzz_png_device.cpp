// Fuzzes the host twin of the device's PNG decoder against libpng. If the twin decodes a file to other pixels, or
// decodes a file that libpng rejects, that is a finding.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/png_paths.hpp"
#include "support/png_twin.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

/// Usually repairs the checksums after libFuzzer's mutation; otherwise most mutants would be rejected by their
/// checksums.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  const std::size_t changed = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 8 != 0) {
    const auto repaired = gpuimg::test::with_checksums_repaired(std::as_bytes(std::span(data, changed)));
    std::memcpy(data, repaired.data(), repaired.size());
  }
  return changed;
}

/// The last byte selects how the work is divided. Both decoders ignore this byte, because it follows the end of the
/// image.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kHeader = 33;
  constexpr unsigned char kSignature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  if (size < kHeader || std::memcmp(data, kSignature, sizeof kSignature) != 0) {
    return -1;  // keep out of the corpus
  }
  const unsigned choice = data[size - 1];
  gpuimg::png::DecodeShape shape;
  shape.lanes = 1U << (choice & 7U);
  shape.max_words = 1 + 2 * (choice >> 3 & 7U);
  shape.min_words = 1;
  shape.run_in_bits = choice % 5 * 100;
  shape.passes = 1 + choice % 3;
  shape.tile_symbols = 64U << 2 * (choice >> 6);
  shape.tiles_per_supertile = 32768 / shape.tile_symbols;
  const std::string difference = gpuimg::test::difference_of_png_twin(std::as_bytes(std::span(data, size)), shape);
  if (!difference.empty()) {
    std::fprintf(stderr, "%s\n", difference.c_str());
    std::abort();
  }
  return 0;
}
