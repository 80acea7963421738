// Checks that the format can hold the pixels, and calls its encoder.
#include "codecs/image_writer.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

[[noreturn]] void reject(const std::string& name, const std::string& fact, std::string_view advice) {
  throw Error(ErrorKind::usage, fmt::format("{}: {}; {}write .png", printable_name(name), fact, advice));
}

void check_size(const Codec& codec, int width, int height, PixelFormat format, const std::string& name) {
  const PixelLimits& limits = codec.limits;
  if (width > limits.max_side || height > limits.max_side) {
    reject(name,
           fmt::format("{} holds at most {} pixels per side, not {}x{}", codec.name, limits.max_side, width, height),
           "");
  }
  constexpr std::uint64_t kHeaders = 256;
  constexpr std::uint64_t kPadding = 4;  // padding bytes per row
  const std::uint64_t pixel_bytes = 4 * (limits.holds_16_bits ? sample_bytes(format.sample) : 1);
  const std::uint64_t row_bytes = pixel_bytes * static_cast<std::uint64_t>(width) + kPadding;
  if (row_bytes > (limits.max_bytes - kHeaders) / static_cast<std::uint64_t>(height)) {
    reject(name, fmt::format("{}x{} pixels are too many for {}", width, height, codec.name), "");
  }
}

void check_format(const Codec& codec, PixelFormat format, const std::string& name) {
  const PixelLimits& limits = codec.limits;
  const bool holds_alpha = format.color_channels() == 1 ? limits.holds_gray_alpha : limits.holds_color_alpha;
  const bool has_alpha = format.has_alpha() && !holds_alpha;
  const bool is_deep = format.sample != Sample::u8 && !limits.holds_16_bits;
  const std::string_view alpha = limits.holds_color_alpha ? "does not hold gray with alpha" : "has no alpha channel";
  constexpr std::string_view kDepth = "holds 8 bits per channel";
  if (has_alpha && is_deep) {
    reject(name, fmt::format("{} {}, and {}", codec.name, alpha, kDepth), "use --background COLOR and --depth 8, or ");
  }
  if (has_alpha) {
    reject(name, fmt::format("{} {}", codec.name, alpha), "use --background COLOR to flatten, or ");
  }
  if (is_deep) {
    reject(name, fmt::format("{} {}", codec.name, kDepth), "use --depth 8, or ");
  }
}

/// Checks the arguments and returns the format's entry.
const Codec& checked_codec(int width, int height, PixelFormat format, FileFormat file_format, const std::string& name,
                           const WriteOptions& options) {
  const Codec& codec = codec_of(file_format);
  if (!codec.is_written()) {
    throw std::logic_error(fmt::format("{} is only read", codec.name));
  }
  if (!format.is_photographic() || width < 1 || height < 1) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: cannot write: image files hold 1 to 4 channels of 8 or 16 bits; write .npy",
                            printable_name(name)));
  }
  if (options.threads < 0) {
    throw Error(ErrorKind::usage,
                fmt::format("{} threads: out of range; use 1 or more, or 0 for all", options.threads));
  }
  check_holds(file_format, width, height, format, name);
  return codec;
}

}  // namespace

void check_holds(FileFormat file_format, int width, int height, PixelFormat format, const std::string& name) {
  const Codec& codec = codec_of(file_format);
  check_size(codec, width, height, format, name);
  check_format(codec, format, name);
}

void encode_image(ConstView pixels, FileFormat file_format, const std::string& name, const WriteOptions& options,
                  const ByteSink& sink) {
  checked_codec(pixels.width, pixels.height, pixels.format, file_format, name, options)
      .encode(pixels, name, options, sink);
}

std::unique_ptr<RowWriter> open_image_writer(int width, int height, PixelFormat format, FileFormat file_format,
                                             const std::string& name, const WriteOptions& options,
                                             const FileParts& to) {
  const Codec& codec = checked_codec(width, height, format, file_format, name, options);
  if (codec.open_placing_writer != nullptr) {
    return codec.open_placing_writer(width, height, format, name, options, to.place);
  }
  return codec.open_writer == nullptr ? nullptr : codec.open_writer(width, height, format, name, options, to.append);
}

std::optional<Encoding> backend_encoding(int width, int height, PixelFormat format, FileFormat file_format,
                                         const WriteOptions& options) {
  const Codec& codec = codec_of(file_format);
  return codec.backend_encoding == nullptr ? std::nullopt : codec.backend_encoding(width, height, format, options);
}

void write_encoded(const Encoded& encoded, int width, int height, PixelFormat format, FileFormat file_format,
                   const std::string& name, const WriteOptions& options, const ByteSink& sink) {
  codec_of(file_format).write_encoded(encoded, width, height, format, name, options, sink);
}

std::vector<std::byte> encode_image(ConstView pixels, FileFormat file_format, const std::string& name,
                                    const WriteOptions& options) {
  std::vector<std::byte> file;
  encode_image(pixels, file_format, name, options,
               [&](std::span<const std::byte> part) { file.insert(file.end(), part.begin(), part.end()); });
  return file;
}

}  // namespace gpuimg::codecs
