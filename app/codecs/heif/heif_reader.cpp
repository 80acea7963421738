// libheif decodes the whole image, applies the file's transformations, and converts it to RGB. Metadata items are taken
// as they are if they are what they claim to be. ISO/IEC 23008-12, annex A, for EXIF.
#include "codecs/formats.hpp"

#include <fmt/format.h>
#include <libheif/heif.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/heif/heif_boxes.hpp"
#include "codecs/heif/heif_library.hpp"
#include "codecs/heif/libheif.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/metadata.hpp"
#include "codecs/metadata/xmp.hpp"
#include "codecs/refusals.hpp"
#include "codecs/threads.hpp"
#include "gpuimg/error.hpp"
#include "gpuimg/image.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::heif {
namespace {

/// libheif's message, which may hold bytes of the file, as a clause.
std::string clause(const heif_error& error) {
  constexpr std::string_view kOfDecoder =
      "Decoder plugin generated an error: Unspecified: ";  // hevc_decoder.cpp's follows
  std::string text = printable_name(error.message != nullptr ? error.message : "unknown error");
  if (text.starts_with(kOfDecoder)) {
    text.erase(0, kOfDecoder.size());
  }
  std::replace(text.begin(), text.end(), ';', ',');
  return text;
}

/// A HEIF in memory, opened with libheif: its primary image, and gpuimg's errors in place of libheif's.
class HeifFile {
 public:
  /// Opens the primary image. `bytes` and `name` (printable) must outlive the object. Throws like decode_image; for a
  /// file that is cut off, TruncatedFile.
  HeifFile(ByteSpan bytes, const std::string& name);

  [[nodiscard]] const LibHeif& library() const { return library_; }
  [[nodiscard]] heif_context* context() const { return context_.get(); }
  [[nodiscard]] const heif_image_handle* image() const { return image_.get(); }
  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] std::uint64_t width() const;  ///< after transformations
  [[nodiscard]] std::uint64_t height() const;
  [[nodiscard]] std::uint64_t stored_width() const;  ///< before transformations: cropping may hide most of it
  [[nodiscard]] std::uint64_t stored_height() const;
  [[nodiscard]] ByteSpan bytes() const { return bytes_; }
  [[nodiscard]] int bits() const { return bits_; }  ///< of a channel, as stored
  [[nodiscard]] PixelFormat format() const;         ///< of the decoded image
  [[nodiscard]] bool is_premultiplied() const;      ///< its colors by its alpha
  [[nodiscard]] int images() const;                 ///< that the file shows
  [[nodiscard]] std::string_view brand() const;     ///< 4 letters: "heic", "avif"
  [[nodiscard]] bool is_sequence() const;

  /// Throws if a call of libheif failed.
  void check(const heif_error& error) const;

 private:
  const LibHeif& library_;
  ByteSpan bytes_;
  const std::string& name_;
  HeifOwner<heif_context> context_;
  HeifOwner<const heif_image_handle> image_;
  int bits_ = 8;
};

HeifFile::HeifFile(ByteSpan bytes, const std::string& name) : library_(libheif(name)), bytes_(bytes), name_(name) {
  check_boxes(bytes, name);
  context_.reset(library_.context_alloc());
  if (context_ == nullptr) {
    throw Error(ErrorKind::out_of_memory, name + ": not enough memory to start libheif; free some memory");
  }
  check(library_.context_read_from_memory_without_copy(context(), bytes.data(), bytes.size(), nullptr));
  heif_image_handle* primary = nullptr;
  const heif_error error = library_.context_get_primary_image_handle(context(), &primary);
  image_.reset(primary);
  check(error);
  bits_ = library_.image_handle_get_luma_bits_per_pixel(image());
  if (bits_ < 1 || bits_ > 16) {
    refuse_damaged(name, "it does not say how many bits its channels have");
  }
}

std::uint64_t HeifFile::width() const {
  return static_cast<std::uint64_t>(std::max(library_.image_handle_get_width(image()), 0));
}

std::uint64_t HeifFile::height() const {
  return static_cast<std::uint64_t>(std::max(library_.image_handle_get_height(image()), 0));
}

std::uint64_t HeifFile::stored_width() const {
  return static_cast<std::uint64_t>(std::max(library_.image_handle_get_ispe_width(image()), 0));
}

std::uint64_t HeifFile::stored_height() const {
  return static_cast<std::uint64_t>(std::max(library_.image_handle_get_ispe_height(image()), 0));
}

PixelFormat HeifFile::format() const {
  constexpr int kByte = 8;
  const bool has_alpha = library_.image_handle_has_alpha_channel(image()) != 0;
  return {bits_ > kByte ? Sample::u16 : Sample::u8, has_alpha ? 4 : 3};
}

bool HeifFile::is_premultiplied() const {
  return format().has_alpha() && library_.image_handle_is_premultiplied_alpha(image()) != 0;
}

int HeifFile::images() const { return library_.context_get_number_of_top_level_images(context()); }

std::string_view HeifFile::brand() const {
  constexpr std::size_t kOffset = 8;  // in the ftyp box
  return {reinterpret_cast<const char*>(bytes_.data()) + kOffset, 4};
}

bool HeifFile::is_sequence() const {
  constexpr std::array<std::string_view, 4> kSequences = {"avis", "hevc", "hevx", "msf1"};
  return std::find(kSequences.begin(), kSequences.end(), brand()) != kSequences.end();
}

void HeifFile::check(const heif_error& error) const {
  switch (error.code) {
    case heif_error_Ok: return;
    case heif_error_Memory_allocation_error:
      if (error.subcode == heif_suberror_Security_limit_exceeded) {
        refuse_unsupported(name_, fmt::format("HEIF beyond the limits of libheif ({})", clause(error)));
      }
      throw Error(ErrorKind::out_of_memory, name_ + ": libheif ran out of memory; use a machine with more memory");
    case heif_error_Unsupported_filetype:
    case heif_error_Unsupported_feature:
      refuse_unsupported(name_, fmt::format("this kind of HEIF ({}: {})", heif_library(), clause(error)));
    default: refuse_damaged(name_, clause(error));
  }
}

constexpr std::size_t kMaxItemBytes = std::size_t{64} << 20;

std::vector<std::byte> icc_of(const HeifFile& file, std::vector<std::string>& details) {
  const std::size_t size = file.library().image_handle_get_raw_color_profile_size(file.image());
  if (size == 0 || size > kMaxItemBytes) {
    return {};
  }
  std::vector<std::byte> profile(size);
  const heif_error error = file.library().image_handle_get_raw_color_profile(file.image(), profile.data());
  const ByteSpan icc = error.code == heif_error_Ok ? icc_profile_in(profile) : ByteSpan{};
  if (icc.empty()) {
    details.emplace_back("its ICC profile is damaged and is left out");
  }
  return {icc.begin(), icc.end()};
}

/// Colors declared by numbers (nclx), unless they are those of sRGB or unspecified. The pixels are full-range RGB.
std::optional<std::array<std::byte, 4>> cicp_of(const HeifFile& file) {
  constexpr int kSrgbPrimaries = 1;
  constexpr int kSrgbTransfer = 13;
  constexpr int kUnspecified = 2;
  heif_color_profile_nclx* nclx = nullptr;
  const heif_error error = file.library().image_handle_get_nclx_color_profile(file.image(), &nclx);
  const HeifOwner<heif_color_profile_nclx> owner(nclx);
  if (error.code != heif_error_Ok || nclx == nullptr) {
    return std::nullopt;
  }
  const int primaries = nclx->color_primaries;
  const int transfer = nclx->transfer_characteristics;
  const bool is_known = primaries > 0 && primaries < 256 && transfer > 0 && transfer < 256 &&
                        primaries != kUnspecified && transfer != kUnspecified;
  if (!is_known || (primaries == kSrgbPrimaries && transfer == kSrgbTransfer)) {
    return std::nullopt;
  }
  return std::array{static_cast<std::byte>(primaries), static_cast<std::byte>(transfer), std::byte{0}, std::byte{1}};
}

/// Empty if it cannot be read.
std::vector<std::byte> item_bytes(const HeifFile& file, heif_item_id id) {
  const std::size_t size = file.library().image_handle_get_metadata_size(file.image(), id);
  std::vector<std::byte> bytes(size <= kMaxItemBytes ? size : 0);
  if (!bytes.empty() &&
      file.library().image_handle_get_metadata(file.image(), id, bytes.data()).code != heif_error_Ok) {
    bytes.clear();
  }
  return bytes;
}

/// After a number that says where the TIFF structure begins.
ByteSpan exif_in(ByteSpan item) {
  constexpr std::size_t kNumber = 4;
  const std::size_t begin = item.size() >= kNumber ? kNumber + u32be_at(item, 0) : item.size();
  const ByteSpan exif = begin < item.size() ? item.subspan(begin) : ByteSpan{};
  return is_exif(exif) ? exif : ByteSpan{};
}

void take_item(const HeifFile& file, heif_item_id id, Metadata& metadata, std::vector<std::string>& details) {
  const auto text = [](const char* from) { return std::string_view(from != nullptr ? from : ""); };
  const std::string_view type = text(file.library().image_handle_get_metadata_type(file.image(), id));
  const std::string_view content = text(file.library().image_handle_get_metadata_content_type(file.image(), id));
  const bool is_packet = type == "mime" && content == "application/rdf+xml";
  if (type == "Exif" && metadata.exif.empty()) {
    const std::vector<std::byte> item = item_bytes(file, id);
    const ByteSpan exif = exif_in(item);
    metadata.exif.assign(exif.begin(), exif.end());
    if (exif.empty()) {
      details.emplace_back("its EXIF data are damaged and are left out");
    }
  } else if (is_packet && metadata.xmp.empty()) {
    metadata.xmp = item_bytes(file, id);
    if (!is_xmp(metadata.xmp)) {
      metadata.xmp.clear();
      details.emplace_back("its XMP is damaged and is left out");
    }
  } else {
    metadata.not_kept.push_back(fmt::format("the {} item", printable_name(type)));
  }
}

/// Of the primary image. Colors that are declared by numbers become cICP. Adds a clause to `details` for each damaged
/// piece.
Metadata read_metadata(const HeifFile& file, std::vector<std::string>& details) {
  Metadata metadata;
  metadata.icc = icc_of(file, details);
  if (metadata.icc.empty()) {
    metadata.cicp = cicp_of(file);
  }
  constexpr int kMaxItems = 16;
  heif_item_id ids[kMaxItems] = {};
  const int count = file.library().image_handle_get_list_of_metadata_block_IDs(file.image(), nullptr, ids, kMaxItems);
  for (int i = 0; i < count; ++i) {
    take_item(file, ids[i], metadata, details);
  }
  return metadata;
}

/// Equal blocks take few bits, and cropping or false boxes can hide most of an image, so that a few bytes could take
/// any memory.
void check_sizes(const HeifFile& file, const ReadOptions& options) {
  constexpr std::uint64_t kMaxPixelsPerByte = 1024;  // as of WebP
  check_size(file.name(), file.width(), file.height(), options.max_pixels);
  allow_sparse_hevc(options.max_sparse_pixels);
  std::vector<CodedSize> sizes = av1_sizes(file.bytes());
  sizes.push_back({file.stored_width(), file.stored_height()});
  for (const CodedSize& size : sizes) {
    check_size(file.name(), size.width, size.height, options.max_pixels);
    check_coverage(file.name(), size.width * size.height, kMaxPixelsPerByte * file.bytes().size(), options);
  }
}

heif_chroma chroma_of(PixelFormat format) {
  if (format.sample == Sample::u8) {
    return format.has_alpha() ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
  }
  return format.has_alpha() ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE;
}

HeifOwner<const heif_image> decoded_by_library(const HeifFile& file, const ReadOptions& options) {
  const LibHeif& library = file.library();
  const HeifOwner<heif_decoding_options> decoding(library.decoding_options_alloc());
  constexpr int kHasStrictness = 3;  // the version of the options
  if (decoding != nullptr && decoding->version >= kHasStrictness) {
    decoding->strict_decoding = 1;
  }
  const int threads = allowed_threads(options.threads);
  library.context_set_max_decoding_threads(file.context(), threads > 1 ? threads : 0);
  heif_image* image = nullptr;
  const heif_error error =
      library.decode_image(file.image(), &image, heif_colorspace_RGB, chroma_of(file.format()), decoding.get());
  HeifOwner<const heif_image> owner(image);
  file.check(error);
  return owner;
}

/// Values of 9 to 16 bits, scaled to the full range of 16 and rounded.
void widen_row(const std::byte* from, int bits, std::size_t count, std::uint16_t* to) {
  const std::uint32_t full = (1U << bits) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t value =
        std::to_integer<std::uint32_t>(from[2 * i]) | std::to_integer<std::uint32_t>(from[2 * i + 1]) << 8;
    to[i] = static_cast<std::uint16_t>((std::min(value, full) * 65535U + full / 2) / full);
  }
}

/// Divides RGBA by its alpha: docs/operations.md, "Files".
template <class T>
void divide_by_alpha(T* pixel, int width) {
  for (int x = 0; x < width; ++x, pixel += 4) {
    const std::uint64_t alpha = pixel[3];
    for (int channel = 0; channel < 3 && alpha > 0; ++channel) {
      const std::uint64_t divided = (pixel[channel] * std::uint64_t{kMaxOf<T>} + alpha / 2) / alpha;
      pixel[channel] = static_cast<T>(std::min<std::uint64_t>(divided, kMaxOf<T>));
    }
  }
}

/// Copies what libheif decoded, which must be what the file declares.
void copy_pixels(const HeifFile& file, const heif_image* image, View to) {
  const LibHeif& library = file.library();
  int stride = 0;
  const std::uint8_t* plane = library.image_get_plane_readonly(image, heif_channel_interleaved, &stride);
  const int bits = library.image_get_bits_per_pixel_range(image, heif_channel_interleaved);
  const bool is_deep = to.format.sample == Sample::u16;
  if (plane == nullptr || library.image_get_width(image, heif_channel_interleaved) != to.width ||
      library.image_get_height(image, heif_channel_interleaved) != to.height ||
      library.image_get_chroma_format(image) != chroma_of(to.format) || (is_deep ? bits < 9 || bits > 16 : bits != 8)) {
    refuse_damaged(file.name(), "its image has another size or depth than it declares");
  }
  const bool divides = file.is_premultiplied();
  for (int y = 0; y < to.height; ++y) {
    const auto* from = reinterpret_cast<const std::byte*>(plane) + static_cast<std::ptrdiff_t>(y) * stride;
    if (is_deep) {
      auto* row = to.row<std::uint16_t>(y);
      widen_row(from, bits, to.tight_pitch_bytes() / 2, row);
      divide_by_alpha(row, divides ? to.width : 0);
    } else {
      std::memcpy(to.row_bytes(y), from, to.tight_pitch_bytes());
      divide_by_alpha(to.row<std::uint8_t>(y), divides ? to.width : 0);
    }
  }
}

void add_notes(const HeifFile& file, std::vector<std::string>& notes) {
  if (file.images() > 1) {
    notes.emplace_back(fmt::format("HEIF of {} images: primary image only", file.images()));
  } else if (file.is_sequence()) {
    notes.emplace_back("HEIF sequence: primary image only");
  }
  if (file.is_premultiplied()) {
    notes.emplace_back("HEIF: its colors are stored multiplied by alpha; they are divided by it");
  }
}

}  // namespace

bool looks_like_cut_heif(ByteSpan bytes, std::string_view /*name*/) {
  constexpr std::size_t kSignatureEnd = 12;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kSignatureEnd));
  return text.size() >= 8 && text.size() < kSignatureEnd && text.substr(4).starts_with("ftyp");
}

DecodedImage read_heif(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  const HeifFile file(bytes, name);
  check_sizes(file, options);
  DecodedImage decoded;
  decoded.is_upright = true;
  decoded.metadata = read_metadata(file, decoded.details);
  const HeifOwner<const heif_image> image = decoded_by_library(file, options);
  decoded.image = options.image(static_cast<int>(file.width()), static_cast<int>(file.height()), file.format());
  copy_pixels(file, image.get(), decoded.image.view());
  add_notes(file, decoded.notes);
  return decoded;
}

DeclaredImage declared_heif(ByteSpan beginning, const std::string& name) {
  const HeifFile file(beginning, name);
  DeclaredImage declared;
  declared.width = file.width();
  declared.height = file.height();
  declared.color = "YCbCr";
  declared.bits = file.bits();
  declared.decoded = file.format();
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  declared.decoder_bytes_per_pixel = 3 * declared.bytes_per_pixel;  // as coded, transformed, and converted
  declared.facts = {{"brand", std::string(file.brand())}, {"images", static_cast<std::uint64_t>(file.images())}};
  return declared;
}

Metadata heif_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  return read_metadata(HeifFile(beginning, name), details);
}

}  // namespace gpuimg::codecs::heif
