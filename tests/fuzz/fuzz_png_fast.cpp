// Fuzzes the fast path for PNG against libpng: any difference in verdict or pixels is a finding.
#include <cstdio>
#include <cstdlib>

#include "support/png_paths.hpp"

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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kHeader = 33;
  constexpr unsigned char kSignature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  if (size < kHeader || std::memcmp(data, kSignature, sizeof kSignature) != 0) {
    return -1;  // keep out of the corpus
  }
  const std::string difference = gpuimg::test::difference_of_png_paths(std::as_bytes(std::span(data, size)));
  if (!difference.empty()) {
    std::fprintf(stderr, "%s\n", difference.c_str());
    std::abort();
  }
  return 0;
}
