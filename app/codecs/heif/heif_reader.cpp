// libheif decodes the whole image, applies the file's transformations, and converts it to RGB.
#include "codecs/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "codecs/heif/heif_file.hpp"
#include "codecs/heif/heif_metadata.hpp"
#include "codecs/refusals.hpp"
#include "codecs/threads.hpp"

namespace gpuimg::codecs::heif {
namespace {

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
  decoded.metadata = read_heif_metadata(file, decoded.details);
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
  return read_heif_metadata(HeifFile(beginning, name), details);
}

}  // namespace gpuimg::codecs::heif
