// Fuzzes all readers. A file must be decoded or rejected with an Error, with the same result twice, and its declared
// size must be its decoded size. Reading in bands of rows must give the same pixels as reading the whole file. A JPEG
// accepted in strict mode must give the same pixels in lenient mode, in parts and by its scans.
#include <optional>

#include "codecs/file_header.hpp"
#include "codecs/image_reader.hpp"
#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "gpuimg/error.hpp"
#include "support/jpeg_paths.hpp"
#include "support/row_paths.hpp"

namespace {

using gpuimg::fuzz::demand;
using gpuimg::fuzz::same_image;

constexpr const char* kName = "fuzzed.tga";  // selects TGA for files without a footer; other formats ignore the name

struct Outcome {
  std::optional<gpuimg::codecs::DecodedImage> decoded;
  std::string rejection;
};

gpuimg::codecs::ReadOptions options_of(bool lenient) {
  return {.max_pixels = 1 << 20, .lenient = lenient, .threads = 1};
}

Outcome outcome_of(std::span<const std::byte> file, bool lenient) {
  try {
    return {gpuimg::codecs::decode_image(file, kName, options_of(lenient)), {}};
  } catch (const gpuimg::Error& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  if (size >= 8 && std::string_view(reinterpret_cast<const char*>(data) + 4, 4) == "ftyp") {
    return 0;  // HEIF is left to fuzz_heif, which ignores libheif's leaks
  }
  const Outcome first = outcome_of(file, false);
  const Outcome second = outcome_of(file, false);
  demand(first.rejection == second.rejection, "the second rejection differs");
  const std::uint64_t declared = gpuimg::codecs::declared_image(file, kName).pixels();
  const bool is_jpeg = size >= 2 && data[0] == 0xFF && data[1] == 0xD8;
  const Outcome lenient = is_jpeg ? outcome_of(file, true) : Outcome{};
  if (first.decoded) {
    const gpuimg::ConstView pixels = first.decoded->image.view();
    demand(same_image(pixels, second.decoded->image.view()), "the second decoding gives other pixels");
    demand(declared == pixels.pixel_count(), "the size differs from the declared one");
    demand(!is_jpeg || (lenient.decoded && same_image(pixels, lenient.decoded->image.view())),
           "read leniently to other pixels");
  }
  const std::string of_rows = gpuimg::test::compare_row_paths(file, kName, options_of(false), {3}).difference;
  demand(of_rows.empty(), of_rows.c_str());
  const std::string difference =
      is_jpeg ? gpuimg::test::difference_of_jpeg_parts(file, {8, 24}, options_of(false)) : "";
  demand(difference.empty(), difference.c_str());
  const std::string of_scans =
      is_jpeg ? gpuimg::test::difference_of_jpeg_scans(file, {.threads = 1, .step_pixels = 1}) : "";
  demand(of_scans.empty(), of_scans.c_str());
  return 0;
}
