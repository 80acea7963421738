// A HEIF that libheif has opened: its primary image, its alpha, and how both are cropped and turned.
#pragma once

#include <libheif/heif.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/codec.hpp"
#include "codecs/heif/heif_boxes.hpp"
#include "codecs/heif/libheif.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs::heif {

/// Where the image's alpha comes from.
enum class AlphaSource : std::uint8_t {
  none,
  with_image,  ///< libheif decodes both at once; the image's framing holds for both
  by_itself,
};

/// A HEIF in memory, opened with libheif: its primary image, and gpuimg's errors in place of libheif's.
class HeifFile {
 public:
  /// Opens the primary image. `bytes` and `name` (printable) must outlive the object. Throws like decode_image; for a
  /// file that is cut off, TruncatedFile.
  HeifFile(ByteSpan bytes, const std::string& name);

  [[nodiscard]] const LibHeif& library() const { return library_; }
  [[nodiscard]] heif_context* context() const { return context_.get(); }
  [[nodiscard]] const heif_image_handle* image() const { return image_.get(); }
  [[nodiscard]] const heif_image_handle* alpha() const { return alpha_.get(); }  ///< of AlphaSource::by_itself
  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] std::uint64_t width() const { return framing_.shown_width(); }
  [[nodiscard]] std::uint64_t height() const { return framing_.shown_height(); }
  [[nodiscard]] std::uint64_t coded_width() const;  ///< cropping may hide most of it
  [[nodiscard]] std::uint64_t coded_height() const;
  [[nodiscard]] std::uint64_t coded_alpha_width() const { return coded_alpha_width_; }  ///< for alpha_framing()
  [[nodiscard]] std::uint64_t coded_alpha_height() const { return coded_alpha_height_; }
  [[nodiscard]] const Framing& framing() const { return framing_; }
  [[nodiscard]] const Framing& alpha_framing() const { return alpha_framing_; }
  [[nodiscard]] AlphaSource alpha_source() const { return alpha_source_; }
  /// Why its alpha is left out, as a clause; empty if it is not.
  [[nodiscard]] const std::string& lost_alpha() const { return lost_alpha_; }
  [[nodiscard]] ByteSpan bytes() const { return bytes_; }
  [[nodiscard]] int bits() const { return bits_; }  ///< of a channel, as stored
  /// DeclaredImage::scaled_from
  [[nodiscard]] std::uint32_t scaled_from() const { return bits_ > 8 && bits_ < 16 ? (1U << bits_) - 1 : 0; }
  [[nodiscard]] const HeifItems& items() const { return items_; }
  [[nodiscard]] PixelFormat format() const;      ///< of the decoded image
  [[nodiscard]] bool is_premultiplied() const;   ///< colors are multiplied by alpha
  [[nodiscard]] int images() const;              ///< number that the file shows
  [[nodiscard]] std::string_view brand() const;  ///< 4 letters: "heic", "avif"
  [[nodiscard]] bool is_sequence() const;

  /// Throws if a call of libheif failed.
  void check(const heif_error& error) const;

 private:
  /// Gives libheif the file with each transformation of the image and of its alpha replaced by another property of the
  /// item. (Number 0, "no property", would hide the later ones from libheif 1.15.)
  void read_items();
  void open_primary();
  void choose_alpha();
  /// Sets alpha_framing_ or lost_alpha_.
  void frame_alpha();

  const LibHeif& library_;
  ByteSpan bytes_;
  const std::string& name_;
  HeifItems items_;
  std::vector<std::byte> untransformed_;  ///< a copy of the file for libheif, if there are transformations
  HeifOwner<heif_context> context_;
  HeifOwner<const heif_image_handle> image_;
  HeifOwner<const heif_image_handle> alpha_;
  Framing framing_;
  Framing alpha_framing_;
  std::uint64_t coded_alpha_width_ = 0;
  std::uint64_t coded_alpha_height_ = 0;
  AlphaSource alpha_source_ = AlphaSource::none;
  std::string lost_alpha_;
  int bits_ = 8;
};

/// The pixels as they are shown: heif_pixels.cpp. Throws like decode_image.
Image decoded_image(const HeifFile& file, const ReadOptions& options);

}  // namespace gpuimg::codecs::heif
