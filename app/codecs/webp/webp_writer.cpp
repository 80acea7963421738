// libwebp takes the whole image as ARGB, and gives the whole file.
#include "codecs/webp/webp_writer.hpp"

#include <fmt/format.h>
#include <webp/encode.h>

#include <algorithm>

#include "codecs/growing_bytes.hpp"
#include "codecs/webp/webp_metadata.hpp"
#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

/// libwebp's picture, with its memory.
class Picture {
 public:
  Picture() : is_valid_(WebPPictureInit(&picture_) != 0) {}
  ~Picture() { WebPPictureFree(&picture_); }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  [[nodiscard]] bool is_valid() const { return is_valid_; }
  WebPPicture* operator->() { return &picture_; }
  WebPPicture* get() { return &picture_; }

 private:
  WebPPicture picture_ = {};
  bool is_valid_;
};

int on_bytes(const std::uint8_t* bytes, std::size_t size, const WebPPicture* picture) {
  auto* to = static_cast<GrowingBytes*>(picture->custom_ptr);
  return to->append({reinterpret_cast<const std::byte*>(bytes), size}) ? 1 : 0;
}

bool configure(WebPConfig& config, const WriteOptions& options) {
  constexpr int kLosslessLevel = 2;  // of 0 … 9; higher ones take several times as long and save a few percent
  if (WebPConfigInit(&config) == 0) {
    return false;
  }
  config.quality = static_cast<float>(options.webp_quality);
  config.exact = options.webp_lossless ? 1 : 0;
  return !options.webp_lossless || WebPConfigLosslessPreset(&config, kLosslessLevel) != 0;
}

void copy_row(const std::uint8_t* from, PixelFormat format, int width, std::uint32_t* to) {
  const bool is_gray = format.color_channels() == 1;
  const int alpha = format.channels - 1;
  for (int x = 0; x < width; ++x, from += format.channels) {
    const std::uint32_t opacity = format.has_alpha() ? from[alpha] : 255U;
    to[x] = opacity << 24 | std::uint32_t{from[0]} << 16 | std::uint32_t{from[is_gray ? 0 : 1]} << 8 |
            from[is_gray ? 0 : 2];
  }
}

[[noreturn]] void refuse(const WebPPicture& picture, const std::string& name) {
  const std::string shown = printable_name(name);
  switch (picture.error_code) {
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
    case VP8_ENC_ERROR_FILE_TOO_BIG:
      throw Error(ErrorKind::usage, fmt::format("{}: the image takes more bytes at this quality than WebP holds; use a "
                                                "lower --quality, or write .png",
                                                shown));
    default:
      throw Error(ErrorKind::out_of_memory,
                  fmt::format("{}: cannot write: not enough memory; use a smaller image", shown));
  }
}

}  // namespace

void encode_webp(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink) {
  if (options.webp_quality < 1 || options.webp_quality > 100) {
    throw Error(ErrorKind::usage, fmt::format("WebP quality {}: out of range; use 1 to 100", options.webp_quality));
  }
  WebPConfig config;
  Picture picture;
  if (!picture.is_valid() || !configure(config, options)) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: cannot write: libwebp is of another version than gpuimg was built for; write .png",
                            printable_name(name)));
  }
  picture->use_argb = 1;
  picture->width = pixels.width;
  picture->height = pixels.height;
  if (WebPPictureAlloc(picture.get()) == 0) {
    refuse(*picture.get(), name);
  }
  for (int y = 0; y < pixels.height; ++y) {
    copy_row(pixels.row<std::uint8_t>(y), pixels.format, pixels.width,
             picture->argb + static_cast<std::ptrdiff_t>(y) * picture->argb_stride);
  }
  GrowingBytes encoded;
  picture->writer = on_bytes;
  picture->custom_ptr = &encoded;
  if (WebPEncode(&config, picture.get()) == 0) {
    refuse(*picture.get(), name);
  }
  const Bytes file = encoded.take();
  write_with_metadata(file.span(), options.metadata, sink);
}

}  // namespace gpuimg::codecs
