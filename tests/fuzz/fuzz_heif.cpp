// Fuzzes HEIC and AVIF: decoding a file twice must give the same error or the same pixels. The decoded size must be the
// size that the header declares.
#include <optional>

#include "codecs/file_header.hpp"
#include "codecs/image_reader.hpp"
#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "gpuimg/error.hpp"

namespace {

using namespace gpuimg;
using namespace gpuimg::codecs;
using fuzz::demand;

constexpr const char* kName = "fuzzed.heic";

struct Outcome {
  std::optional<DecodedImage> decoded;
  std::string rejection;
};

Outcome outcome_of(std::span<const std::byte> file) {
  try {
    return {decode_image(file, kName, {.max_pixels = 1 << 16, .threads = 1}), {}};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  if (size < 12 || std::string_view(reinterpret_cast<const char*>(data) + 4, 4) != "ftyp") {
    return 0;
  }
  const Outcome first = outcome_of(file);
  const Outcome second = outcome_of(file);
  demand(first.rejection == second.rejection, "the second rejection differs");
  if (first.decoded) {
    const ConstView pixels = first.decoded->image.view();
    demand(second.decoded.has_value(), "the second decoding fails");
    const DeclaredImage declared = declared_image(file, kName);
    demand(fuzz::same_image(pixels, second.decoded->image.view()), "other pixels the second time");
    demand(declared.pixels() == pixels.pixel_count() && declared.decoded == pixels.format, "not as declared");
  }
  return 0;
}
