// Fuzzes the decoder of a JPEG's scans against libjpeg. If it returns other coefficients, or decodes a file for which
// libjpeg prints a warning, that is a finding.
#include "fuzz/finding.hpp"
#include "support/jpeg_coefficients.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4 || data[0] != 0xFF || data[1] != 0xD8) {
    return -1;  // keep out of the corpus
  }
  using gpuimg::test::JpegCodesVerdict;
  const JpegCodesVerdict verdict =
      gpuimg::test::verdict_on_jpeg_codes(std::as_bytes(std::span(data, size)), {.threads = 1, .step_pixels = 1});
  gpuimg::fuzz::demand(verdict != JpegCodesVerdict::mistaken, "not libjpeg's coefficients");
  return 0;
}
