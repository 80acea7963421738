// Fuzzes every reader: a file is decoded or refused by an Error, twice alike, and its declared size is its size.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "files/declared_image.hpp"
#include "files/image_reader.hpp"
#include "gpuimg/error.hpp"

namespace {

struct Outcome {
  std::optional<gpuimg::DecodedImage> decoded;
  std::string refusal;
};

Outcome outcome_of(std::span<const std::byte> file) {
  gpuimg::ReadOptions options;
  options.max_pixels = 1 << 20;
  options.threads = 1;
  try {
    return {gpuimg::decode_image(file, "fuzzed", options), {}};
  } catch (const gpuimg::Error& error) {
    return {std::nullopt, error.what()};
  }
}

[[noreturn]] void report(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  const Outcome first = outcome_of(file);
  const Outcome second = outcome_of(file);
  if (first.refusal != second.refusal) {
    report("refused once, or with other words");
  }
  const std::uint64_t declared = gpuimg::declared_image(file, "fuzzed").pixels;
  if (first.decoded) {
    const gpuimg::ConstView a = first.decoded->image.view();
    const gpuimg::ConstView b = second.decoded->image.view();
    if (a.pixel_count() != b.pixel_count() || std::memcmp(a.data, b.data, first.decoded->image.size_bytes()) != 0) {
      report("decoded to other pixels the second time");
    }
    if (declared != 0 && declared != a.pixel_count()) {
      report("decoded to another size than declared");
    }
  }
  return 0;
}
