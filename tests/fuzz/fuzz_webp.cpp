// Fuzzes WebP. gpuimg parses the container itself; if libwebp decodes the whole file without gpuimg's parser, the
// pixels must be equal. The pixels must survive lossless writing and reading.
#include <webp/decode.h>

#include <memory>
#include <optional>

#include "codecs/file_header.hpp"
#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "gpuimg/error.hpp"

namespace {

using namespace gpuimg;
using namespace gpuimg::codecs;
using fuzz::demand;

constexpr std::uint64_t kMaxPixels = 1 << 18;

struct Outcome {
  std::optional<DecodedImage> decoded;
  std::string rejection;
};

Outcome outcome_of(std::span<const std::byte> file) {
  try {
    return {decode_image(file, "fuzzed.webp", {.max_pixels = kMaxPixels, .auto_orient = false, .threads = 1}), {}};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

/// Compares with libwebp's decoder for whole files, which does not support animations.
void compare_with_library(std::span<const std::byte> file, ConstView pixels) {
  int width = 0;
  int height = 0;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(file.data());
  const bool has_alpha = pixels.format.has_alpha();
  const std::unique_ptr<std::uint8_t, void (*)(void*)> whole(
      (has_alpha ? WebPDecodeRGBA : WebPDecodeRGB)(bytes, file.size(), &width, &height), WebPFree);
  if (whole != nullptr) {
    const std::size_t pitch = static_cast<std::size_t>(width) * pixels.format.bytes_per_pixel();
    const ConstView expected{reinterpret_cast<const std::byte*>(whole.get()), width, height, pitch, pixels.format};
    demand(fuzz::same_image(pixels, expected), "other pixels than libwebp's");
  }
}

void write_and_read_back(DecodedImage& decoded) {
  WriteOptions options;
  options.webp_lossless = true;
  options.metadata = std::move(decoded.metadata);
  const ConstView pixels = decoded.image.view();
  const Outcome back = outcome_of(encode_image(pixels, FileFormat::webp, "written", options));
  demand(back.decoded.has_value(), "what was written is rejected");
  const Metadata& metadata = back.decoded->metadata;
  demand(metadata.icc == options.metadata.icc && metadata.exif == options.metadata.exif &&
             metadata.xmp == options.metadata.xmp,
         "other metadata after a round trip");
  const ConstView read = back.decoded->image.view();
  if (read.format == pixels.format) {  // opaque alpha is not written, so the formats can differ
    demand(fuzz::same_image(read, pixels), "other pixels after a round trip");
  } else {
    demand(pixels.format.has_alpha() && !read.format.has_alpha(), "another format after a round trip");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  constexpr std::size_t kRiffHeader = 12;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size < kRiffHeader || !bytes.starts_with("RIFF") || bytes.substr(8, 4) != "WEBP") {
    return 0;
  }
  Outcome first = outcome_of(file);
  const Outcome second = outcome_of(file);
  demand(first.rejection == second.rejection, "the second rejection differs");
  if (first.decoded) {
    const ConstView pixels = first.decoded->image.view();
    demand(fuzz::same_image(pixels, second.decoded->image.view()), "the second decoding gives other pixels");
    const DeclaredImage declared = declared_image(file, "fuzzed.webp");
    demand(declared.pixels() == pixels.pixel_count() && declared.decoded == pixels.format, "not as declared");
    compare_with_library(file, pixels);
    constexpr std::size_t kMaxWritten = 1 << 12;
    if (pixels.pixel_count() <= kMaxWritten) {
      write_and_read_back(*first.decoded);
    }
  }
  return 0;
}
