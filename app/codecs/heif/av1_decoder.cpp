// Decodes AV1 for libheif with dav1d. Replaces libheif's own use of dav1d, which lets dav1d print messages and leaks a
// decoder when dav1d rejects data. docs/decisions/0018.
#include <dav1d/dav1d.h>
#include <dav1d/version.h>
#include <libheif/heif_plugin.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include "codecs/byte_fields.hpp"
#include "codecs/heif/libheif.hpp"
#include "io/system_handles.hpp"

#define GPUIMG_TEXT_OF(number) #number
#define GPUIMG_DAV1D_LIBRARY(version) "libdav1d.so." GPUIMG_TEXT_OF(version)

namespace gpuimg::codecs::heif {
namespace {

/// Functions of dav1d, named without their prefix. The library must match the headers, because settings are passed as a
/// struct.
struct LibDav1d {
  SharedLibrary library{GPUIMG_DAV1D_LIBRARY(DAV1D_API_VERSION_MAJOR)};
  GPUIMG_LIBRARY_FUNCTION(close, dav1d_close);
  GPUIMG_LIBRARY_FUNCTION(data_create, dav1d_data_create);
  GPUIMG_LIBRARY_FUNCTION(data_unref, dav1d_data_unref);
  GPUIMG_LIBRARY_FUNCTION(default_settings, dav1d_default_settings);
  GPUIMG_LIBRARY_FUNCTION(get_picture, dav1d_get_picture);
  GPUIMG_LIBRARY_FUNCTION(open, dav1d_open);
  GPUIMG_LIBRARY_FUNCTION(picture_unref, dav1d_picture_unref);
  GPUIMG_LIBRARY_FUNCTION(send_data, dav1d_send_data);
};

const std::optional<LibDav1d>& find_dav1d() {
  static const std::optional<LibDav1d> kFound = [] {
    LibDav1d found;
    return found.library.has_all() ? std::optional(found) : std::nullopt;
  }();
  return kFound;
}

/// Only for code that runs inside a decoder: a decoder exists only if the library is installed.
const LibDav1d& dav1d() { return *find_dav1d(); }

/// A picture that dav1d decoded.
class Av1Picture {
 public:
  Av1Picture() = default;
  ~Av1Picture() { dav1d().picture_unref(&picture_); }
  Av1Picture(const Av1Picture&) = delete;
  Av1Picture& operator=(const Av1Picture&) = delete;

  Dav1dPicture* operator->() { return &picture_; }
  Dav1dPicture* get() { return &picture_; }

 private:
  Dav1dPicture picture_ = {};
};

/// Decodes the picture of one HEIF item.
class Av1Decoder {
 public:
  static constexpr const char* kName = "AV1 for gpuimg, by dav1d";
  static bool supports(heif_compression_format format) {
    return format == heif_compression_AV1 && find_dav1d().has_value();
  }
  static heif_error load() { return kDecoderOk; }

  Av1Decoder() {
    Dav1dSettings settings;
    dav1d().default_settings(&settings);
    settings.logger = {nullptr, nullptr};  // otherwise dav1d would print messages
    settings.all_layers = 0;
    settings.max_frame_delay = 1;
    constexpr unsigned kMaxPixels = 1U << 30;  // libheif's limit
    settings.frame_size_limit = kMaxPixels;
    if (dav1d().open(&context_, &settings) < 0) {
      throw std::bad_alloc();
    }
  }
  ~Av1Decoder() {
    dav1d().data_unref(&data_);
    dav1d().close(&context_);
  }
  Av1Decoder(const Av1Decoder&) = delete;
  Av1Decoder& operator=(const Av1Decoder&) = delete;

  heif_error push(ByteSpan bytes) {
    if (bytes.empty() || data_.sz > 0) {
      return damaged_data("it has no AV1 data");
    }
    std::uint8_t* to = dav1d().data_create(&data_, bytes.size());
    if (to == nullptr) {
      return kDecoderOutOfMemory;
    }
    std::memcpy(to, bytes.data(), bytes.size());
    return kDecoderOk;
  }

  /// Returns the first picture, as libheif's own decoder does.
  heif_error decode(heif_image*& decoded) {
    Av1Picture picture;
    int result = DAV1D_ERR(EAGAIN);
    for (bool is_sent = false; result == DAV1D_ERR(EAGAIN) && !is_sent;) {
      is_sent = data_.sz == 0;  // true: all data has been sent, so only the remaining pictures are fetched
      const int sent = is_sent ? 0 : dav1d().send_data(context_, &data_);
      result = sent < 0 && sent != DAV1D_ERR(EAGAIN) ? sent : dav1d().get_picture(context_, picture.get());
      if (sent == DAV1D_ERR(EAGAIN) && result == sent) {
        break;
      }
    }
    if (result == DAV1D_ERR(ENOMEM)) {
      return kDecoderOutOfMemory;
    }
    return result < 0 ? damaged_data("its AV1 data has errors or ends too early") : convert(picture, decoded);
  }

 private:
  static heif_error convert(Av1Picture& picture, heif_image*& decoded) {
    constexpr std::array kFormats = {heif_chroma_monochrome, heif_chroma_420, heif_chroma_422, heif_chroma_444};
    const heif_chroma chroma = kFormats.at(static_cast<std::size_t>(picture->p.layout));
    const bool is_gray = chroma == heif_chroma_monochrome;
    heif_image* created = nullptr;
    heif_error error = find_libheif()->image_create(
        picture->p.w, picture->p.h, is_gray ? heif_colorspace_monochrome : heif_colorspace_YCbCr, chroma, &created);
    HeifOwner<heif_image> image(created);
    for (std::size_t plane = 0; plane < (is_gray ? 1 : 3) && error.code == heif_error_Ok; ++plane) {
      error = copy_plane(picture, plane, image.get());
    }
    if (error.code == heif_error_Ok) {
      const Dav1dSequenceHeader& header = *picture->seq_hdr;
      error = set_colors(image.get(), {header.pri, header.trc, header.mtrx, header.color_range != 0});
    }
    decoded = error.code == heif_error_Ok ? image.release() : nullptr;
    return error;
  }

  static heif_error copy_plane(Av1Picture& picture, std::size_t plane, heif_image* image) {
    constexpr std::array kChannels = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
    const Dav1dPictureParameters& parameters = picture->p;
    const bool is_chroma = plane > 0;
    const bool is_narrow = is_chroma && parameters.layout != DAV1D_PIXEL_LAYOUT_I444;
    const bool is_low = is_chroma && parameters.layout == DAV1D_PIXEL_LAYOUT_I420;
    return add_plane(image, kChannels.at(plane),
                     {is_narrow ? (parameters.w + 1) / 2 : parameters.w, is_low ? (parameters.h + 1) / 2 : parameters.h,
                      parameters.bpc},
                     static_cast<const std::byte*>(picture->data[plane]), picture->stride[is_chroma ? 1 : 0]);
  }

  Dav1dContext* context_ = nullptr;
  Dav1dData data_ = {};
};

}  // namespace

const heif_decoder_plugin& av1_decoder() {
  static const heif_decoder_plugin kDecoder = decoder_plugin<Av1Decoder>();
  return kDecoder;
}

}  // namespace gpuimg::codecs::heif
