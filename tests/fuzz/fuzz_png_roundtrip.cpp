// Fuzzes the PNG writer: pixels, metadata and text must survive writing and reading, by the fast path and by libpng,
// and the bytes must not depend on the number of threads.
#include <algorithm>

#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/metadata.hpp"
#include "codecs/png/png.hpp"
#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "support/icc_maker.hpp"

namespace {

using namespace gpuimg;
using namespace gpuimg::codecs;
using namespace gpuimg::codecs::png;
using fuzz::demand;
using fuzz::FuzzInput;

constexpr std::uint32_t kMaxNumber = 0x7FFFFFFF;  // maximum of any integer in PNG

std::vector<std::byte> exif_from(FuzzInput& input) {
  const std::string begin = input.flip() ? std::string("II*\0\0\0\0\0", 8) : std::string("MM\0*\0\0\0\0", 8);
  return test::bytes_of(begin + input.text(200));
}

/// Metadata that carried_metadata could return.
Metadata metadata_from(FuzzInput& input, PixelFormat format) {
  Metadata metadata;
  const std::uint32_t present = input.byte();
  if ((present & 1U) != 0) {
    metadata.icc = test::make_icc({.color_space = format.color_channels() == 1 ? "GRAY" : "RGB ",
                                   .version_4 = input.flip(),
                                   .size = input.below(2000)});
  } else if ((present & 2U) != 0) {
    metadata.srgb = static_cast<std::uint8_t>(input.below(4));
  }
  if ((present & 4U) != 0) {
    metadata.exif = exif_from(input);
  }
  if ((present & 8U) != 0) {
    metadata.cicp = {{std::byte{input.byte()}, std::byte{input.byte()}, std::byte{0}, std::byte{input.byte()}}};
  }
  if ((present & 16U) != 0) {
    metadata.gama = std::max(1U, input.number() & kMaxNumber);
  }
  if ((present & 32U) != 0) {
    metadata.chrm.emplace();
    std::generate(metadata.chrm->begin(), metadata.chrm->end(), [&] { return input.number() % 100001; });
    if (!are_chromaticities(*metadata.chrm)) {
      metadata.chrm.reset();  // invalid values are not written
    }
  }
  if ((present & 64U) != 0) {
    const auto unit = static_cast<DensityUnit>(input.below(4));
    // JPEG densities have 16 bits, PNG densities 31.
    const bool is_jpegs = unit == DensityUnit::inch || unit == DensityUnit::centimeter;
    const std::uint32_t largest = is_jpegs ? 0xFFFF : kMaxNumber;
    metadata.density =
        PixelDensity{std::max(1U, input.number() & largest), std::max(1U, input.number() & largest), unit};
  }
  if ((present & 128U) != 0) {
    metadata.iptc = test::bytes_of(std::string("\x1C\2\0\0\0", 5) + input.text(200));
    metadata.xmp = test::bytes_of("<" + std::string(input.below(2000), 'x'));
  }
  return metadata;
}

std::vector<TextEntry> text_from(FuzzInput& input) {
  std::vector<TextEntry> entries(input.below(3));
  for (TextEntry& entry : entries) {
    entry.keyword = "k" + std::to_string(input.byte());
    entry.text = input.text(64);
    std::erase(entry.text, '\0');
  }
  return entries;
}

PixelFormat format_from(FuzzInput& input) {
  const std::uint32_t choice = input.below(8);
  return {choice < 4 ? Sample::u8 : Sample::u16, 1 + static_cast<int>(choice % 4)};
}

bool same_text(const std::vector<TextEntry>& a, const std::vector<TextEntry>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TextEntry& left, const TextEntry& right) {
    return left.keyword == right.keyword && left.text == right.text;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzInput input(data, size);
  const PixelFormat format = format_from(input);
  // Occasionally large enough for several strips of the writer.
  const bool is_large = input.below(64) == 63;
  const int width = is_large ? input.between(300, 700) : input.between(1, 90);
  const int height = is_large ? input.between(200, 455) : input.between(1, 60);
  WriteOptions options;
  options.png_level = input.between(0, 3);
  options.threads = 1;
  options.metadata = metadata_from(input, format);
  options.text = text_from(input);
  const Image image = input.image(width, height, format);

  const std::vector<std::byte> file = encode_image(image.view(), FileFormat::png, "fuzzed", options);
  if (is_large) {
    options.threads = 3;
    demand(encode_image(image.view(), FileFormat::png, "fuzzed", options) == file, "three threads give other bytes");
  }
  ReadOptions read;
  read.auto_orient = false;
  read.threads = 1 + static_cast<int>(size % 2);
  const DecodedImage decoded = decode_image(file, "fuzzed", read);
  demand(fuzz::same_image(decoded.image.view(), image.view()), "other pixels are read back");
  const Image by_libpng = read_png_pixels(file, "fuzzed", read, PngPath::libpng_only);
  demand(fuzz::same_image(by_libpng.view(), image.view()), "libpng reads back other pixels");
  demand(decoded.details.empty(), "metadata was left out");
  std::vector<TextEntry> text = decoded.text;
  // This entry is metadata, not text.
  std::erase_if(text, [](const TextEntry& entry) { return entry.keyword == "Raw profile type iptc"; });
  demand(same_text(text, options.text), "the text differs");
  Metadata expected = options.metadata;
  if (expected.density) {
    expected.density = density_for_png(*expected.density);
  }
  if (!options.text.empty()) {
    expected.not_kept = {"the tEXt chunk"};
  }
  demand(decoded.metadata == expected, "the metadata differs");
  return 0;
}
