// Fuzzes the host twin of the device's JPEG encoder: its scan must complete a file that equals libjpeg-turbo's, and
// libjpeg-turbo must decode the file.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/jpeg/jpeg_encoding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "support/jpeg_encoder_twin.hpp"

namespace {

using namespace gpuimg;
using codecs::ChromaSubsampling;

[[noreturn]] void find(const std::string& finding) {
  std::fprintf(stderr, "%s\n", finding.c_str());
  std::abort();
}

codecs::WriteOptions options_from(fuzz::FuzzInput& input, int channels) {
  constexpr ChromaSubsampling kSubsamplings[] = {ChromaSubsampling::s444, ChromaSubsampling::s422,
                                                 ChromaSubsampling::s440, ChromaSubsampling::s420};
  codecs::WriteOptions options;
  options.jpeg_quality = input.between(1, 100);
  options.jpeg_subsampling = kSubsamplings[input.below(4)];
  if (input.below(4) == 0) {
    codecs::JpegEncoding encoding;
    encoding.components.resize(static_cast<std::size_t>(channels));
    for (codecs::JpegComponent& component : encoding.components) {
      const int most = input.between(1, 255);
      const int spread = input.between(1, 64);
      for (std::size_t i = 0; i < component.steps.size(); ++i) {
        component.steps[i] = static_cast<std::uint16_t>(1 + static_cast<int>(i) * spread % most);
      }
    }
    options.source_encoding = std::make_shared<codecs::JpegEncoding>(std::move(encoding));
  }
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FuzzInput input(data, size);
  const int channels = input.below(4) == 0 ? 1 : 3;
  const int width = input.between(1, 70);
  const int height = input.between(1, 50);
  const codecs::WriteOptions options = options_from(input, channels);
  const test::EncoderTwinChoices choices{.tile_blocks = 1 + input.below(40), .piece_bytes = 16U << input.below(5)};
  const Image image = input.image(width, height, {Sample::u8, channels});
  int taken = 0;
  const std::string difference = test::difference_of_jpeg_encoder_twin(image.view(), options, choices, &taken);
  if (!difference.empty() || taken != 1) {
    find(difference.empty() ? "left to the host" : difference);
  }
  const std::vector<std::byte> file = codecs::encode_image(image.view(), codecs::FileFormat::jpeg, "file", options);
  const Image read = codecs::decode_image(file, "file", {.threads = 1}).image;  // throws on a warning
  if (read.width() != width || read.height() != height || read.format() != image.format()) {
    find("another size or format");
  }
  return 0;
}
