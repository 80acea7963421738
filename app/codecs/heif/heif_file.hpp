// Opens a HEIF with libheif: the primary image, its alpha channel, and how both are cropped and rotated.
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

/// The source of the image's alpha channel.
enum class AlphaSource : std::uint8_t {
  none,
  with_image,  ///< libheif decodes image and alpha together; the image's framing applies to both
  by_itself,
};

/// A HEIF in memory that libheif has opened. Reports libheif's errors as errors of gpuimg.
class HeifFile {
 public:
  /// Opens the primary image. `bytes` and `name` (printable) must outlive the object. Throws like decode_image, and
  /// TruncatedFile for a file that is cut off.
  HeifFile(ByteSpan bytes, const std::string& name);

  [[nodiscard]] const LibHeif& library() const { return library_; }
  [[nodiscard]] heif_context* context() const { return context_.get(); }
  [[nodiscard]] const heif_image_handle* image() const { return image_.get(); }
  [[nodiscard]] const heif_image_handle* alpha() const { return alpha_.get(); }  ///< only for AlphaSource::by_itself
  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] std::uint64_t width() const { return framing_.shown_width(); }
  [[nodiscard]] std::uint64_t height() const { return framing_.shown_height(); }
  [[nodiscard]] std::uint64_t coded_width() const;  ///< cropping can hide most of the coded image
  [[nodiscard]] std::uint64_t coded_height() const;
  [[nodiscard]] std::uint64_t coded_alpha_width() const { return coded_alpha_width_; }  ///< for alpha_framing()
  [[nodiscard]] std::uint64_t coded_alpha_height() const { return coded_alpha_height_; }
  [[nodiscard]] const Framing& framing() const { return framing_; }
  [[nodiscard]] const Framing& alpha_framing() const { return alpha_framing_; }
  [[nodiscard]] AlphaSource alpha_source() const { return alpha_source_; }
  /// The reason why alpha is left out, as a clause; empty if it is not left out.
  [[nodiscard]] const std::string& lost_alpha() const { return lost_alpha_; }
  [[nodiscard]] ByteSpan bytes() const { return bytes_; }
  [[nodiscard]] int bits() const { return bits_; }  ///< stored bits per channel
  /// See DeclaredImage::scaled_from.
  [[nodiscard]] std::uint32_t scaled_from() const { return bits_ > 8 && bits_ < 16 ? (1U << bits_) - 1 : 0; }
  [[nodiscard]] const HeifItems& items() const { return items_; }
  [[nodiscard]] PixelFormat format() const;      ///< format of the decoded image
  [[nodiscard]] bool is_premultiplied() const;   ///< true if colors are multiplied by alpha
  [[nodiscard]] int images() const;              ///< number of visible images in the file
  [[nodiscard]] std::string_view brand() const;  ///< 4 letters: "heic", "avif"
  [[nodiscard]] bool is_sequence() const;

  /// Throws if a call of libheif failed.
  void check(const heif_error& error) const;

 private:
  /// Gives libheif the file with each transformation of the image and of its alpha replaced by another property of the
  /// item. (With number 0, "no property", libheif 1.15 would not see the later properties.)
  void read_items();
  void open_primary();
  void choose_alpha();
  /// Sets alpha_framing_ or lost_alpha_.
  void frame_alpha();

  const LibHeif& library_;
  ByteSpan bytes_;
  const std::string& name_;
  HeifItems items_;
  std::vector<std::byte> untransformed_;  ///< copy of the file for libheif, if there are transformations
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

/// Decodes the pixels and applies the transformations: heif_pixels.cpp. Throws like decode_image.
Image decoded_image(const HeifFile& file, const ReadOptions& options);

}  // namespace gpuimg::codecs::heif
