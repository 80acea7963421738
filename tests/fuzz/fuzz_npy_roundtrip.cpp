// Fuzzes .npy: any bytes must be read or rejected, and any array must survive writing and reading.
#include "codecs/npy/npy.hpp"
#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "gpuimg/error.hpp"
#include "support/npy_maker.hpp"

namespace {

using namespace gpuimg;
using namespace gpuimg::codecs;
using namespace gpuimg::codecs::npy;

void demand_roundtrip(ConstView pixels) {
  const auto file = test::npy_of(pixels);
  fuzz::demand(is_npy(file), "the output is not .npy");
  fuzz::demand(fuzz::same_image(decode_npy(file, "fuzzed").view(), pixels), "other values are read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Image image = decode_npy(std::as_bytes(std::span(data, size)), "fuzzed");
    fuzz::demand(image.size_bytes() < size, "the image is larger than the file");
    demand_roundtrip(image.view());
  } catch (const Error& error) {
    fuzz::demand(error.kind() == ErrorKind::decode || error.kind() == ErrorKind::unsupported, error.what());
  }
  fuzz::FuzzInput input(data, size);
  const auto sample = static_cast<Sample>(input.below(6));
  const int channels = input.between(1, 4);
  const int width = input.between(1, 60);
  const int height = input.between(1, 16);
  demand_roundtrip(input.image(width, height, {sample, channels}).view());
  return 0;
}
