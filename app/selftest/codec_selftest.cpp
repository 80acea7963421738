// Round trips over the generated image, known files, and the trials of a backend's decoder.
#include "selftest/codec_selftest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codecs/format_detection.hpp"
#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/jpeg/jpeg_description.hpp"
#include "codecs/metadata/exif_orientation.hpp"
#include "operations/result_compare.hpp"
#include "selftest/selftest_image.hpp"

namespace gpuimg {
namespace {

using codecs::ChromaSubsampling;
using codecs::Codec;
using codecs::FileFormat;
using namespace std::string_view_literals;

constexpr const char* kName = "self-test.tga";  // the format that needs a name

/// A file of one pixel, for a format that gpuimg only reads.
struct KnownFile {
  FileFormat format;
  std::string_view bytes;
  std::array<std::uint8_t, 3> rgb;
};

constexpr std::array<KnownFile, 3> kKnownFiles = {{
    {FileFormat::gif,
     "GIF89a\1\0\1\0\x80\0\0\xFF\x20\x40\0\0\xFF\x2C\0\0\0\0\1\0\1\0\0\2\2\x44\1\0\x3B"sv,
     {0xFF, 0x20, 0x40}},
    {FileFormat::psd,
     "8BPS\0\1\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\1\0\x08\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xFF\x20\x40"sv,
     {0xFF, 0x20, 0x40}},
    {FileFormat::pnm, "P6\n1 1\n255\n\xFF\x20\x40"sv, {0xFF, 0x20, 0x40}},
}};

bool holds(const codecs::PixelLimits& limits, PixelFormat format) {
  return (format.sample == Sample::u8 || limits.holds_16_bits) && (format.channels != 2 || limits.holds_gray_alpha) &&
         (format.channels != 4 || limits.holds_color_alpha);
}

/// Empty if the images are the same, or for JPEG as alike as its quality of 100 makes them.
std::string difference_after(const Codec& codec, const Image& written, const Image& read) {
  constexpr int kMostOfJpeg = 6;
  const bool is_alike =
      read.width() == written.width() && read.height() == written.height() && read.format() == written.format();
  if (codec.format != FileFormat::jpeg || !is_alike) {
    return first_difference(written, "written", read, "read");
  }
  const auto* a = written.view().row<std::uint8_t>(0);
  const auto* b = read.view().row<std::uint8_t>(0);
  for (std::size_t i = 0; i < written.size_bytes(); ++i) {
    if (std::abs(a[i] - b[i]) > kMostOfJpeg) {
      return fmt::format("sample {} is {} in place of {}", i, b[i], a[i]);
    }
  }
  return {};
}

std::string difference_after(const Codec& codec, const KnownFile& known) {
  const auto bytes = std::as_bytes(std::span(known.bytes));
  const Image read = codecs::decode_image(bytes, kName, {.threads = 1}).image;
  const auto* pixel = read.view().row<std::uint8_t>(0);
  const bool is_right = codecs::detected_codec(bytes, kName).format == codec.format;
  return is_right && std::equal(known.rgb.begin(), known.rgb.end(), pixel) ? "" : "other pixels";
}

/// Calls check() → difference, which may throw, and counts it.
template <class Check>
void count(SelfTestResult& result, const std::string& what, const Check& check) {
  ++result.checks;
  std::string differs;
  try {
    differs = check();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::device_fault) {
      throw;
    }
    differs = error.what();
  }
  if (!differs.empty()) {
    result.failures.push_back(what + ": " + differs);
  }
}

struct DecoderTrial {
  std::string_view name;
  int width;
  int height;
  int channels;
  ChromaSubsampling subsampling;
  int quality;
  int restart_interval;
  int orientation;
};

constexpr std::array<DecoderTrial, 6> kDecoderTrials = {{
    {"4:2:0", 47, 35, 3, ChromaSubsampling::s420, 90, 0, 1},
    {"4:2:2", 33, 17, 3, ChromaSubsampling::s422, 75, 0, 6},
    {"4:4:0", 17, 33, 3, ChromaSubsampling::s440, 95, 0, 1},
    {"4:4:4", 41, 23, 3, ChromaSubsampling::s444, 90, 0, 3},
    {"gray", 45, 29, 1, ChromaSubsampling::s444, 85, 0, 1},
    {"restart markers", 65, 49, 3, ChromaSubsampling::s420, 80, 2, 1},
}};

/// nullopt if the backend leaves the file to the host.
std::optional<std::string> difference_of(const DecoderTrial& trial, Backend& backend) {
  const Image source = selftest_image(trial.width, trial.height, {Sample::u8, trial.channels}, 1);
  codecs::WriteOptions writing;
  writing.jpeg_quality = trial.quality;
  writing.jpeg_subsampling = trial.subsampling;
  writing.jpeg_restart_interval = trial.restart_interval;
  const std::vector<std::byte> file = codecs::encode_image(source.view(), FileFormat::jpeg, kName, writing);
  std::optional<EncodedJpeg> encoded = codecs::describe_jpeg(file);
  if (!encoded) {
    return std::nullopt;  // another encoder than the usual one
  }
  encoded->orientation = trial.orientation;
  std::optional<Picture> decoded = backend.decode(*encoded);
  if (!decoded) {
    return std::nullopt;
  }
  Image expected = codecs::decode_image(file, kName, {.threads = 1}).image;
  expected = codecs::apply_orientation(std::move(expected), trial.orientation);
  return first_difference(backend.download(std::move(*decoded)), backend.name(), expected, "libjpeg");
}

}  // namespace

SelfTestResult test_codec(const Codec& codec) {
  SelfTestResult result;
  for (const KnownFile& known : kKnownFiles) {
    if (known.format == codec.format) {
      count(result, "a known file", [&] { return difference_after(codec, known); });
    }
  }
  for (const Sample sample : {Sample::u8, Sample::u16}) {
    for (int channels = 1; channels <= 4; ++channels) {
      const PixelFormat format{sample, channels};
      if (codec.is_written() && holds(codec.limits, format)) {
        count(result, fmt::format("{} channels of {} bits", channels, 8 * sample_bytes(sample)), [&] {
          const Image image = selftest_image(33, 17, format, 1);
          codecs::WriteOptions writing;
          writing.jpeg_quality = 100;
          writing.jpeg_subsampling = ChromaSubsampling::s444;
          const std::vector<std::byte> file = codecs::encode_image(image.view(), codec.format, kName, writing);
          return difference_after(codec, image, codecs::decode_image(file, kName, {.threads = 1}).image);
        });
      }
    }
  }
  return result;
}

SelfTestResult test_decoder(Backend& backend) {
  SelfTestResult result;
  for (const DecoderTrial& trial : kDecoderTrials) {
    if (const std::optional<std::string> differs = difference_of(trial, backend)) {
      count(result, "JPEG, " + std::string(trial.name), [&] { return *differs; });
    }
  }
  return result;
}

}  // namespace gpuimg
