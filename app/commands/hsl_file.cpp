// Text entries and planes. The OpenCV encodings store lightness before saturation.
#include "commands/hsl_file.hpp"

#include <cstring>
#include <filesystem>

#include "cli/option_values.hpp"

namespace gpuimg {
namespace {

constexpr const char* kEncodingKeyword = "gpuimg:hsl";
constexpr const char* kDepthKeyword = "gpuimg:hsl-depth";

bool is_opencv_order(HslEncoding encoding) {
  return encoding == HslEncoding::opencv || encoding == HslEncoding::opencv_full;
}

Image channel_image(ConstView pixels, std::size_t channel) {
  const std::size_t sample = sample_bytes(pixels.format.sample);
  const std::size_t pixel = pixels.format.bytes_per_pixel();
  Image plane(pixels.width, pixels.height, PixelFormat{pixels.format.sample, 1});
  const View out = plane.view();
  for (int y = 0; y < pixels.height; ++y) {
    const std::byte* from = pixels.row_bytes(y) + channel * sample;
    std::byte* to = out.row_bytes(y);
    for (int x = 0; x < pixels.width; ++x, from += pixel, to += sample) {
      std::memcpy(to, from, sample);
    }
  }
  return plane;
}

}  // namespace

std::vector<codecs::TextEntry> hsl_text_entries(HslEncoding encoding, Sample rgb_sample) {
  return {{kEncodingKeyword, name_of(encoding, kEncodingNames)},
          {kDepthKeyword, rgb_sample == Sample::u8 ? "8" : "16"}};
}

HslFileFacts hsl_facts(const std::vector<codecs::TextEntry>& text) {
  HslFileFacts facts;
  for (const codecs::TextEntry& entry : text) {
    if (entry.keyword == kEncodingKeyword) {
      for (const auto& named : kEncodingNames) {
        if (named.name == entry.text) {
          facts.encoding = named.value;
        }
      }
    } else if (entry.keyword == kDepthKeyword && (entry.text == "8" || entry.text == "16")) {
      facts.rgb_sample = entry.text == "8" ? Sample::u8 : Sample::u16;
    }
  }
  return facts;
}

std::array<std::string, 3> plane_names(const std::string& output) {
  const std::filesystem::path path(output);
  const std::string ending = path.extension().string();
  const std::string stem = output.substr(0, output.size() - ending.size());
  return {stem + "_h" + ending, stem + "_s" + ending, stem + "_l" + ending};
}

std::array<Image, 3> split_planes(ConstView hsl, HslEncoding encoding) {
  const std::size_t saturation = is_opencv_order(encoding) ? 2 : 1;
  const std::size_t lightness = is_opencv_order(encoding) ? 1 : 2;
  return {channel_image(hsl, 0), channel_image(hsl, saturation), channel_image(hsl, lightness)};
}

}  // namespace gpuimg
