// Fuzzes every reader: a file is decoded or refused by an Error, twice alike, and its declared size is its size. A JPEG
// that is read strictly is read leniently to the same pixels; it is read, or refused, in parts as by one decoder.
#include <optional>

#include "codecs/declared_image.hpp"
#include "codecs/image_reader.hpp"
#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "gpuimg/error.hpp"
#include "support/jpeg_paths.hpp"

namespace {

using gpuimg::fuzz::demand;
using gpuimg::fuzz::same_image;

constexpr const char* kName = "fuzzed.tga";  // admits TGA without a footer; all other kinds are told by content

struct Outcome {
  std::optional<gpuimg::DecodedImage> decoded;
  std::string refusal;
};

gpuimg::ReadOptions options_of(bool lenient) { return {.max_pixels = 1 << 20, .lenient = lenient, .threads = 1}; }

Outcome outcome_of(std::span<const std::byte> file, bool lenient) {
  try {
    return {gpuimg::decode_image(file, kName, options_of(lenient)), {}};
  } catch (const gpuimg::Error& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  const Outcome first = outcome_of(file, false);
  const Outcome second = outcome_of(file, false);
  demand(first.refusal == second.refusal, "refused once, or with other words");
  const std::uint64_t declared = gpuimg::declared_image(file, kName).pixels;
  const bool is_jpeg = size >= 2 && data[0] == 0xFF && data[1] == 0xD8;
  const Outcome lenient = is_jpeg ? outcome_of(file, true) : Outcome{};
  if (first.decoded) {
    const gpuimg::ConstView pixels = first.decoded->image.view();
    demand(same_image(pixels, second.decoded->image.view()), "decoded to other pixels the second time");
    demand(declared == pixels.pixel_count(), "decoded to another size than declared");
    demand(!is_jpeg || (lenient.decoded && same_image(pixels, lenient.decoded->image.view())),
           "read leniently to other pixels");
  }
  const std::string difference =
      is_jpeg ? gpuimg::test::difference_of_jpeg_parts(file, {8, 24}, options_of(false)) : "";
  demand(difference.empty(), difference.c_str());
  return 0;
}
