// Checks the container and its sizes first; libwebp then decodes the image right into its place.
#include "codecs/webp/webp_reader.hpp"

#include <fmt/format.h>
#include <webp/decode.h>

#include <algorithm>
#include <cstring>

#include "codecs/allowed_threads.hpp"
#include "codecs/refusals.hpp"
#include "codecs/webp/webp_file.hpp"
#include "codecs/webp/webp_metadata.hpp"

namespace gpuimg::codecs {
namespace {

PixelFormat format_of(const WebpFile& file) {
  return {Sample::u8, file.frame.has_alpha || !file.fills_canvas() ? 4 : 3};
}

/// Runs of equal pixels take no bits, so that a few bytes could declare any size. No deflated image holds more.
void check_density(const WebpFile& file, const std::string& name, const ReadOptions& options) {
  constexpr std::uint64_t kMaxPixelsPerByte = 1024;
  const std::uint64_t pixels = std::uint64_t{file.width} * file.height;
  const std::uint64_t covered = std::min<std::uint64_t>(std::uint64_t{file.frame.width} * file.frame.height,
                                                        kMaxPixelsPerByte * file.frame.data.size());
  check_coverage(name, pixels, covered, options);
}

[[noreturn]] void refuse(VP8StatusCode status, const WebpFrame& frame, const std::string& name) {
  if (status == VP8_STATUS_OUT_OF_MEMORY) {
    throw Error(ErrorKind::out_of_memory, name + ": libwebp ran out of memory; use a machine with more memory");
  }
  if (status == VP8_STATUS_UNSUPPORTED_FEATURE) {
    refuse_unsupported(name, "this kind of WebP");
  }
  refuse_damaged(
      name, fmt::format("the {} image at byte {} {}", frame.is_lossless ? "lossless" : "lossy", frame.offset,
                        status == VP8_STATUS_NOT_ENOUGH_DATA || status == VP8_STATUS_SUSPENDED ? "ends early"
                                                                                               : "cannot be decoded"));
}

/// Decodes the frame to its place; `to` is the canvas.
void decode_frame(const WebpFrame& frame, View to, const std::string& name, const ReadOptions& options) {
  const std::size_t pixel_bytes = to.format.bytes_per_pixel();
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) {
    throw Error(ErrorKind::unsupported,
                name + ": libwebp is of another version than gpuimg was built for; install that one");
  }
  config.options.use_threads = allowed_threads(options.threads) > 1 ? 1 : 0;
  config.output.colorspace = to.format.has_alpha() ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  WebPRGBABuffer& rows = config.output.u.RGBA;
  rows.rgba = reinterpret_cast<std::uint8_t*>(to.row_bytes(static_cast<int>(frame.y))) + frame.x * pixel_bytes;
  rows.stride = static_cast<int>(to.pitch_bytes);
  rows.size = (frame.height - 1) * to.pitch_bytes + frame.width * pixel_bytes;
  const VP8StatusCode status =
      WebPDecode(reinterpret_cast<const std::uint8_t*>(frame.data.data()), frame.data.size(), &config);
  WebPFreeDecBuffer(&config.output);
  if (status != VP8_STATUS_OK) {
    refuse(status, frame, name);
  }
}

}  // namespace

bool looks_like_webp(ByteSpan bytes, std::string_view /*name*/) {
  constexpr std::size_t kSignatureEnd = 12;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kSignatureEnd));
  return text.starts_with("RIFF") &&
         std::string_view("WEBP").starts_with(text.substr(std::min<std::size_t>(8, text.size())));
}

DecodedImage read_webp(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  const WebpFile file = whole_webp(bytes, name);
  check_size(name, file.width, file.height, options.max_pixels);
  check_density(file, name, options);
  DecodedImage decoded;
  decoded.metadata = read_webp_metadata(file, decoded.details);
  decoded.image = options.image(static_cast<int>(file.width), static_cast<int>(file.height), format_of(file));
  const View canvas = decoded.image.view();
  if (!file.fills_canvas()) {
    for (int y = 0; y < canvas.height; ++y) {
      std::memset(canvas.row_bytes(y), 0, canvas.tight_pitch_bytes());
    }
  }
  decode_frame(file.frame, canvas, name, options);
  if (file.frames > 1) {
    decoded.notes.emplace_back("WebP animation: first frame only");
  }
  return decoded;
}

DeclaredImage declared_webp(ByteSpan beginning, const std::string& name) {
  const WebpFile file = webp_beginning(beginning, name);
  DeclaredImage declared;
  declared.width = file.width;
  declared.height = file.height;
  declared.color = file.frame.is_lossless ? "RGB" : "YCbCr";
  declared.decoded = format_of(file);
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  // Lossless data are decoded whole, of 4 bytes a pixel; so is the alpha channel of lossy data, twice.
  declared.decoder_bytes_per_pixel = file.frame.is_lossless ? 5 : file.frame.has_alpha ? 3 : 1;
  declared.facts = {{"lossless", file.frame.is_lossless}, {"animated", file.is_animation}};
  return declared;
}

Metadata webp_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  return read_webp_metadata(whole_webp(beginning, name), details);
}

}  // namespace gpuimg::codecs
