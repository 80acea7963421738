// Round trips of a generated image, known files, and trials of a backend's codecs, once per device.
#include "engine/codec_selftest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "codecs/file_header.hpp"
#if GPUIMG_HAS_HEIF
#include "codecs/formats.hpp"
#endif
#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/png/png.hpp"
#include "codecs/png/simple_png.hpp"
#include "operations/result_checks.hpp"

namespace gpuimg {
namespace {

using codecs::ChromaSubsampling;
using codecs::Codec;
using codecs::FileFormat;
using namespace std::string_view_literals;

constexpr const char* kName = "self-test.tga";  // TGA is the format that needs a name

/// A file of one pixel, for a format that gpuimg only reads.
struct KnownFile {
  FileFormat format;
  std::string_view bytes;
  std::array<std::uint8_t, 3> rgb;
};

#if GPUIMG_HAS_HEIF
/// A lossless AVIF of one gray pixel.
constexpr std::string_view kGrayAvif =
    "\x00\x00\x00\x1C\x66\x74\x79\x70\x61\x76\x69\x66\x00\x00\x00\x00\x61\x76\x69\x66\x6D\x69\x66\x31"
    "\x6D\x69\x61\x66\x00\x00\x00\xE8\x6D\x65\x74\x61\x00\x00\x00\x00\x00\x00\x00\x21\x68\x64\x6C\x72"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x70\x69\x63\x74\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x0E\x70\x69\x74\x6D\x00\x00\x00\x00\x00\x01\x00\x00\x00\x22\x69\x6C\x6F\x63\x00"
    "\x00\x00\x00\x44\x40\x00\x01\x00\x01\x00\x00\x00\x00\x01\x0C\x00\x01\x00\x00\x00\x00\x00\x00\x00"
    "\x11\x00\x00\x00\x23\x69\x69\x6E\x66\x00\x00\x00\x00\x00\x01\x00\x00\x00\x15\x69\x6E\x66\x65\x02"
    "\x00\x00\x00\x00\x01\x00\x00\x61\x76\x30\x31\x00\x00\x00\x00\x68\x69\x70\x72\x70\x00\x00\x00\x49"
    "\x69\x70\x63\x6F\x00\x00\x00\x13\x63\x6F\x6C\x72\x6E\x63\x6C\x78\x00\x02\x00\x02\x00\x06\x80\x00"
    "\x00\x00\x0C\x61\x76\x31\x43\x81\x00\x1C\x00\x00\x00\x00\x14\x69\x73\x70\x65\x00\x00\x00\x00\x00"
    "\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x0E\x70\x69\x78\x69\x00\x00\x00\x00\x01\x08\x00\x00\x00"
    "\x17\x69\x70\x6D\x61\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01\x04\x81\x82\x03\x84\x00\x00\x00\x19"
    "\x6D\x64\x61\x74\x12\x00\x0A\x04\x18\x00\x06\x15\x32\x07\x10\x00\x00\x18\xE1\x49\xAF"sv;
#endif

constexpr KnownFile kKnownFiles[] = {
#if GPUIMG_HAS_HEIF
    {FileFormat::heif, kGrayAvif, {0x60, 0x60, 0x60}},
#endif
    {FileFormat::gif,
     "GIF89a\1\0\1\0\x80\0\0\xFF\x20\x40\0\0\xFF\x2C\0\0\0\0\1\0\1\0\0\2\2\x44\1\0\x3B"sv,
     {0xFF, 0x20, 0x40}},
    {FileFormat::psd,
     "8BPS\0\1\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\1\0\x08\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xFF\x20\x40"sv,
     {0xFF, 0x20, 0x40}},
    {FileFormat::npy,
     "\x93NUMPY\1\0\x3D\0{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 3)}\n\xFF\x20\x40"sv,
     {0xFF, 0x20, 0x40}},
};

bool holds(const codecs::PixelLimits& limits, PixelFormat format) {
  return (format.sample == Sample::u8 || limits.holds_16_bits) && (format.channels != 2 || limits.holds_gray_alpha) &&
         (format.channels != 4 || limits.holds_color_alpha);
}

int level_at(ConstView pixels, int x, int y, int channel) {
  const int i = x * pixels.format.channels + channel;
  return pixels.format.sample == Sample::u8 ? pixels.row<std::uint8_t>(y)[i] : pixels.row<std::uint16_t>(y)[i];
}

/// Empty if the channels that were written are read back unchanged, or, for JPEG, as close as quality 100 allows. The
/// file may have more channels: BMP and WebP store gray as RGB.
std::string difference_after(const Codec& codec, ConstView written, ConstView read) {
  const int most = codec.format == FileFormat::jpeg ? 6 : 0;
  if (read.width != written.width || read.height != written.height || read.format.sample != written.format.sample ||
      read.format.channels < written.format.channels) {
    return "another size or format";
  }
  for (int y = 0; y < written.height; ++y) {
    for (int x = 0; x < written.width; ++x) {
      for (int channel = 0; channel < written.format.channels; ++channel) {
        const int was = level_at(written, x, y, channel);
        const bool is_alpha = written.format.has_alpha() && channel == written.format.channels - 1;
        const int is = level_at(read, x, y, is_alpha ? read.format.channels - 1 : channel);
        if (std::abs(was - is) > most) {
          return fmt::format("pixel {},{} channel {}: {} in place of {}", x, y, channel, is, was);
        }
      }
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

/// Runs a check and counts it. check() returns the difference, and may throw.
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

/// Nullopt if the backend leaves the file to the host.
std::optional<std::string> difference_of(const DecoderTrial& trial, Backend& backend) {
  const Image source = selftest_image(trial.width, trial.height, {Sample::u8, trial.channels}, 1);
  codecs::WriteOptions writing;
  writing.jpeg_quality = trial.quality;
  writing.jpeg_subsampling = trial.subsampling;
  writing.jpeg_restart_interval = trial.restart_interval;
  const std::vector<std::byte> file = codecs::encode_image(source.view(), FileFormat::jpeg, kName, writing);
  std::optional<EncodedJpeg> encoded = codecs::jpeg::describe_jpeg(file);
  if (!encoded) {
    return std::nullopt;  // the linked libjpeg encodes JPEGs that backends do not decode
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

/// A PNG from the host's encoder. Files of level 1 have several blocks, and matches that reach beyond their tiles and
/// supertiles.
struct PngDecoderTrial {
  std::string_view name;
  int width;
  int height;
  PixelFormat format;
  int level;
};

constexpr std::array<PngDecoderTrial, 6> kPngDecoderTrials = {{
    {"8 bits", 211, 163, {Sample::u8, 3}, 1},
    {"8 bits with alpha", 700, 300, {Sample::u8, 4}, 1},
    {"16 bits", 149, 87, {Sample::u16, 3}, 1},
    {"16 bits with alpha", 131, 89, {Sample::u16, 4}, 2},
    {"gray", 301, 259, {Sample::u8, 1}, 1},
    {"gray with alpha, level 0", 45, 33, {Sample::u8, 2}, 0},
}};

/// Nullopt if the backend leaves the file to the host.
std::optional<std::string> difference_of(const PngDecoderTrial& trial, Backend& backend) {
  const Image source = selftest_image(trial.width, trial.height, trial.format, 3);
  codecs::WriteOptions writing;
  writing.png_level = trial.level;
  const std::vector<std::byte> file = codecs::encode_image(source.view(), FileFormat::png, kName, writing);
  const std::optional<EncodedPng> encoded = codecs::png::describe_png_data(file);
  std::optional<Picture> decoded = encoded ? backend.decode(*encoded) : std::nullopt;
  if (!decoded) {
    return std::nullopt;
  }
  const Image expected = codecs::png::read_png_pixels(file, kName, {.threads = 1}, codecs::png::PngPath::libpng_only);
  return first_difference(backend.download(std::move(*decoded)), backend.name(), expected, "libpng");
}

struct JpegTrial {
  static constexpr FileFormat kFormat = FileFormat::jpeg;
  std::string_view name;
  int width;
  int height;
  int channels;
  ChromaSubsampling subsampling;
  int quality;

  [[nodiscard]] PixelFormat pixels() const { return {Sample::u8, channels}; }
  [[nodiscard]] codecs::WriteOptions options() const {
    codecs::WriteOptions writing;
    writing.jpeg_quality = quality;
    writing.jpeg_subsampling = subsampling;
    return writing;
  }
};

struct PngTrial {
  static constexpr FileFormat kFormat = FileFormat::png;
  std::string_view name;
  int width;
  int height;
  PixelFormat format;
  int level;
  bool one_bit = false;

  [[nodiscard]] PixelFormat pixels() const { return format; }
  [[nodiscard]] codecs::WriteOptions options() const {
    codecs::WriteOptions writing;
    writing.png_level = level;
    writing.one_bit = one_bit;
    return writing;
  }
};

constexpr std::array<JpegTrial, 6> kJpegTrials = {{
    {"4:2:0", 147, 35, 3, ChromaSubsampling::s420, 90},
    {"4:2:0 without loss of frequencies", 40, 50, 3, ChromaSubsampling::s420, 100},
    {"4:2:2", 33, 17, 3, ChromaSubsampling::s422, 75},
    {"4:4:0", 131, 33, 3, ChromaSubsampling::s440, 95},
    {"4:4:4", 132, 23, 3, ChromaSubsampling::s444, 20},
    {"gray", 145, 29, 1, ChromaSubsampling::s444, 85},
}};

/// Some are large enough that the search for matches is divided into several parts.
constexpr std::array<PngTrial, 7> kPngTrials = {{
    {"8 bits", 211, 163, {Sample::u8, 3}, 1},
    {"8 bits, level 0", 197, 171, {Sample::u8, 3}, 0},
    {"8 bits with alpha", 131, 89, {Sample::u8, 4}, 1},
    {"16 bits", 149, 87, {Sample::u16, 3}, 1},
    {"gray", 301, 259, {Sample::u8, 1}, 1},
    {"one bit", 1203, 431, {Sample::u8, 1}, 1, true},
    {"16 bits, gray with alpha", 45, 29, {Sample::u16, 2}, 0},
}};

/// Nullopt if the backend leaves the pixels to the host.
template <class EncoderTrial>
std::optional<std::string> encoder_difference(const EncoderTrial& trial, Backend& backend) {
  constexpr FileFormat kFormat = EncoderTrial::kFormat;
  const Image source = selftest_image(trial.width, trial.height, trial.pixels(), 2);
  const codecs::WriteOptions writing = trial.options();
  const std::optional<Encoding> as =
      codecs::backend_encoding(trial.width, trial.height, source.format(), kFormat, writing);
  const std::optional<Encoded> encoded = as ? backend.encode(backend.upload(source.view()), *as) : std::nullopt;
  if (!encoded) {
    return std::nullopt;
  }
  std::vector<std::byte> file;
  codecs::write_encoded(*encoded, trial.width, trial.height, source.format(), kFormat, kName, writing,
                        [&](std::span<const std::byte> part) { file.insert(file.end(), part.begin(), part.end()); });
  const bool is_same = file == codecs::encode_image(source.view(), kFormat, kName, writing);
  return is_same ? "" : "other bytes than the host writes";
}

std::optional<std::string> difference_of(const JpegTrial& trial, Backend& backend) {
  return encoder_difference(trial, backend);
}

std::optional<std::string> difference_of(const PngTrial& trial, Backend& backend) {
  return encoder_difference(trial, backend);
}

/// Counts only the trials that the backend accepts.
template <class Trials>
SelfTestResult run_trials(const Trials& trials, FileFormat format, Backend& backend) {
  SelfTestResult result;
  for (const auto& trial : trials) {
    if (const std::optional<std::string> differs = difference_of(trial, backend)) {
      count(result, fmt::format("{}, {}", codecs::codec_of(format).name, trial.name), [&] { return *differs; });
    }
  }
  return result;
}

}  // namespace

bool can_be_tested([[maybe_unused]] const Codec& codec) {
#if GPUIMG_HAS_HEIF
  if (codec.format == FileFormat::heif) {
    return codecs::heif::heif_library().find("AV1") != std::string::npos;
  }
#endif
  return true;
}

SelfTestResult test_codec(const Codec& codec) {
  SelfTestResult result;
  for (const KnownFile& known : kKnownFiles) {
    if (known.format == codec.format && can_be_tested(codec)) {
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
          writing.webp_lossless = true;
          writing.jpeg_subsampling = ChromaSubsampling::s444;
          const std::vector<std::byte> file = codecs::encode_image(image.view(), codec.format, kName, writing);
          const Image read = codecs::decode_image(file, kName, {.threads = 1}).image;
          return difference_after(codec, image.view(), read.view());
        });
      }
    }
  }
  return result;
}

SelfTestResult test_decoder(Backend& backend, FileFormat format) {
  return format == FileFormat::png ? run_trials(kPngDecoderTrials, format, backend)
                                   : run_trials(kDecoderTrials, format, backend);
}

SelfTestResult test_encoder(Backend& backend, FileFormat format) {
  return format == FileFormat::png ? run_trials(kPngTrials, format, backend) : run_trials(kJpegTrials, format, backend);
}

bool CodecAdmission::admit_decoder(Backend& backend, const EncodedImage& encoded, int device, const Note& note) {
  const bool is_png = std::holds_alternative<EncodedPng>(encoded);
  const codecs::FileFormat format = is_png ? codecs::FileFormat::png : codecs::FileFormat::jpeg;
  return admit(
      is_png ? png_decoders_ : jpeg_decoders_, [&] { return test_decoder(backend, format); }, device, note,
      fmt::format("the CPU decodes {}: {} does not give the pixels of the linked {}", codecs::codec_of(format).name,
                  backend.description(), is_png ? "libpng" : "libjpeg"));
}

bool CodecAdmission::admit_encoder(Backend& backend, const Encoding& as, int device, const Note& note) {
  const bool is_png = std::holds_alternative<PngDataFormat>(as);
  const codecs::FileFormat format = is_png ? codecs::FileFormat::png : codecs::FileFormat::jpeg;
  return admit(
      is_png ? png_encoders_ : jpeg_encoders_, [&] { return test_encoder(backend, format); }, device, note,
      fmt::format("the CPU encodes {}: {} does not give the bytes of {}", codecs::codec_of(format).name,
                  backend.description(), is_png ? "the CPU's encoder" : "the linked libjpeg"));
}

bool CodecAdmission::admit(Known& known, const std::function<SelfTestResult()>& test, int device, const Note& note,
                           const std::string& consequence) {
  const std::lock_guard lock(mutex_);
  const auto found = known.find(device);
  if (found != known.end()) {
    return found->second;
  }
  const SelfTestResult result = test();
  const bool is_admitted = result.failures.empty();
  known[device] = is_admitted;
  if (!is_admitted) {
    note(fmt::format("{}: {}", consequence, result.failures.front()));
  }
  return is_admitted;
}

}  // namespace gpuimg
