// libheif decodes a whole image and converts it to RGB; then gpuimg crops and rotates it. gpuimg reads gray levels as
// coded and expands their range itself, because libheif does not. docs/operations.md, "Files".
#include <libheif/heif.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "codecs/heif/heif_file.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/rejections.hpp"
#include "codecs/threads.hpp"

namespace gpuimg::codecs::heif {
namespace {

/// One channel of an image that libheif decoded: levels from `low` to `low` + `span`.
struct Channel {
  const std::byte* first = nullptr;
  std::ptrdiff_t row_bytes = 0;
  std::size_t step = 1;  ///< samples from one pixel to the next
  int bits = 8;
  std::uint32_t low = 0;
  std::uint32_t span = 255;

  [[nodiscard]] std::uint32_t at(std::size_t x, std::size_t y) const {
    const std::byte* row = first + static_cast<std::ptrdiff_t>(y) * row_bytes;
    return bits > 8 ? std::uint32_t{u16le_at({row + 2 * x * step, 2}, 0)}
                    : std::to_integer<std::uint32_t>(row[x * step]);
  }
};

/// A decoded image as channels: RGB, or gray as three equal channels; and alpha if there is any.
struct Decoded {
  HeifOwner<const heif_image> image;
  std::array<Channel, 4> channels;
};

void set_video_range(Channel& channel) {
  constexpr std::uint32_t kBlack = 16;  // for 8 bits, like kSpan
  constexpr std::uint32_t kSpan = 219;
  const int more = channel.bits - 8;
  channel.low = kBlack << more;
  channel.span = kSpan << more;
}

heif_chroma interleaved(bool is_deep, bool has_alpha) {
  if (!is_deep) {
    return has_alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
  }
  return has_alpha ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE;
}

/// The item to decode, and the layout of the result.
struct Wanted {
  const heif_image_handle* handle = nullptr;
  std::uint64_t width = 0;  ///< as the handle declares it
  std::uint64_t height = 0;
  int bits = 8;
  std::uint64_t item = 0;
  bool has_alpha = false;
  bool is_plane = false;  ///< decode a gray plane: libheif's conversion would lose the range in HEVC data
};

HeifOwner<const heif_image> decoded_by_library(const HeifFile& file, const Wanted& wanted, const ReadOptions& options) {
  const LibHeif& library = file.library();
  const HeifOwner<heif_decoding_options> decoding(library.decoding_options_alloc());
  constexpr int kHasStrictness = 3;  // version of the options struct
  if (decoding != nullptr && decoding->version >= kHasStrictness) {
    decoding->strict_decoding = 1;
  }
  const int threads = allowed_threads(options.threads);
  library.context_set_max_decoding_threads(file.context(), threads > 1 ? threads : 0);
  heif_image* image = nullptr;
  const heif_error error = library.decode_image(
      wanted.handle, &image, wanted.is_plane ? heif_colorspace_monochrome : heif_colorspace_RGB,
      wanted.is_plane ? heif_chroma_monochrome : interleaved(wanted.bits > 8, wanted.has_alpha), decoding.get());
  HeifOwner<const heif_image> owner(image);
  file.check(error);
  return owner;
}

[[noreturn]] void reject_other_image(const HeifFile& file) {
  reject_damaged(file.name(), "its image has another size or depth than it declares");
}

/// Returns a plane. Rejects the file if the plane does not match `wanted`.
Channel channel_of(const HeifFile& file, const Wanted& wanted, const heif_image* image, heif_channel plane) {
  const LibHeif& library = file.library();
  Channel channel;
  int row_bytes = 0;
  const std::uint8_t* first = library.image_get_plane_readonly(image, plane, &row_bytes);
  channel.first = reinterpret_cast<const std::byte*>(first);
  channel.row_bytes = row_bytes;
  channel.bits = library.image_get_bits_per_pixel_range(image, plane);
  const bool is_deep = wanted.bits > 8;
  const auto is_side = [](int side, std::uint64_t declared) {
    return side > 0 && static_cast<std::uint64_t>(side) == declared;
  };
  if (first == nullptr || !is_side(library.image_get_width(image, plane), wanted.width) ||
      !is_side(library.image_get_height(image, plane), wanted.height) ||
      (is_deep ? channel.bits < 9 || channel.bits > 16 : channel.bits != 8)) {
    reject_other_image(file);
  }
  channel.span = (1U << channel.bits) - 1;
  return channel;
}

/// True if gray levels, which libheif returns as coded, use the full range. The declaration in the file takes
/// precedence over the coded data. The range of alpha comes only from its coded data.
bool is_full_range(const HeifFile& file, const Wanted& wanted, const heif_image* image) {
  const std::optional<bool> declared = file.items().declared_full_range(wanted.item);
  if (wanted.item == file.items().alpha() || (!declared && !wanted.is_plane)) {
    return file.items().is_coded_full_range(wanted.item);
  }
  heif_color_profile_nclx* nclx = nullptr;
  const heif_error error = file.library().image_get_nclx_color_profile(image, &nclx);
  const HeifOwner<heif_color_profile_nclx> owner(nclx);
  return declared.value_or(error.code != heif_error_Ok || nclx == nullptr || nclx->full_range_flag != 0);
}

Decoded decoded(const HeifFile& file, const Wanted& wanted, const ReadOptions& options) {
  Decoded result{decoded_by_library(file, wanted, options), {}};
  const heif_image* image = result.image.get();
  const heif_chroma chroma = wanted.is_plane ? heif_chroma_monochrome : interleaved(wanted.bits > 8, wanted.has_alpha);
  if (file.library().image_get_chroma_format(image) != chroma) {
    reject_other_image(file);
  }
  if (wanted.is_plane) {
    result.channels.fill(channel_of(file, wanted, image, heif_channel_Y));
    if (wanted.has_alpha) {
      result.channels[3] = channel_of(file, wanted, image, heif_channel_Alpha);
    }
  } else {
    Channel channel = channel_of(file, wanted, image, heif_channel_interleaved);
    channel.step = wanted.has_alpha ? 4 : 3;
    for (Channel& each : result.channels) {
      each = channel;
      channel.first += channel.bits > 8 ? 2 : 1;
    }
  }
  if (file.items().is_gray(wanted.item) && !is_full_range(file, wanted, image)) {
    std::for_each(result.channels.begin(), result.channels.begin() + 3, set_video_range);
  }
  return result;
}

/// Scales a channel to the full range of `to`, rounded.
template <class T>
void copy_channel(const Channel& from, const Framing& framing, T* pixel, std::size_t channels, View to, int y) {
  const std::uint64_t full = kMaxOf<T>;
  for (int x = 0; x < to.width; ++x, pixel += channels) {
    const std::uint32_t level =
        from.at(framing.left + static_cast<std::size_t>(x), framing.top + static_cast<std::size_t>(y));
    const std::uint64_t above = std::min(std::max(level, from.low) - from.low, from.span);
    *pixel = static_cast<T>((above * full + from.span / 2) / from.span);
  }
}

template <class T>
void copy_channels(const Decoded& from, const Framing& framing, int count, View to) {
  const auto channels = static_cast<std::size_t>(to.format.channels);
  for (int y = 0; y < to.height; ++y) {
    for (int channel = 0; channel < count; ++channel) {
      copy_channel(from.channels.at(static_cast<std::size_t>(channel)), framing, to.row<T>(y) + channel, channels, to,
                   y);
    }
  }
}

/// True if the decoded rows are 8-bit RGB or RGBA and have the layout of `to`.
bool are_rows_alike(const Decoded& from, int count, View to) {
  const auto is_plain = [&](const Channel& channel) {
    return channel.step == static_cast<std::size_t>(to.format.channels) && channel.bits == 8 && channel.span == 255;
  };
  return to.format.sample == Sample::u8 && count == to.format.channels && count > 1 &&
         std::all_of(from.channels.begin(), from.channels.begin() + count, is_plain);
}

/// Crops a decoded image to `framing` and orients it. Sets the first `count` channels of `format`.
Image framed(const Decoded& from, const Framing& framing, PixelFormat format, int count, const ReadOptions& options) {
  const int orientation = framing.orientation();
  const int width = static_cast<int>(framing.width);
  const int height = static_cast<int>(framing.height);
  Image part = orientation == 1 ? options.image(width, height, format) : Image(width, height, format);
  const View to = part.view();
  if (are_rows_alike(from, count, to)) {
    for (int y = 0; y < height; ++y) {
      const Channel& first = from.channels[0];
      const auto row = static_cast<std::ptrdiff_t>(framing.top) + y;
      std::memcpy(to.row_bytes(y), first.first + row * first.row_bytes + framing.left * first.step,
                  to.tight_pitch_bytes());
    }
  } else if (format.sample == Sample::u8) {
    copy_channels<std::uint8_t>(from, framing, count, to);
  } else {
    copy_channels<std::uint16_t>(from, framing, count, to);
  }
  return apply_orientation(std::move(part), orientation);
}

/// True for an item that is coded as gray; such items are decoded as a plane.
bool is_plane(const HeifFile& file, std::uint64_t id) {
  return file.items().is_gray(id) && file.items().parts_of(id).size() == 1;
}

/// Decodes the colors, and alpha if libheif decodes both together.
Image framed_image(const HeifFile& file, const ReadOptions& options) {
  const bool has_alpha = file.alpha_source() == AlphaSource::with_image;
  const std::uint64_t item = file.items().primary;
  const std::uint64_t alpha = file.items().alpha();
  const Wanted wanted{file.image(), file.coded_width(), file.coded_height(), file.bits(),
                      item,         has_alpha,          is_plane(file, item)};
  Decoded image = decoded(file, wanted, options);
  if (has_alpha && !file.items().is_coded_full_range(alpha)) {
    set_video_range(image.channels[3]);
  }
  return framed(image, file.framing(), file.format(), has_alpha ? 4 : 3, options);
}

template <class T>
void set_alpha(ConstView alpha, View to) {
  for (int y = 0; y < to.height; ++y) {
    const T* from = alpha.row<T>(y);
    T* pixel = to.row<T>(y);
    for (int x = 0; x < to.width; ++x) {
      pixel[4 * static_cast<std::size_t>(x) + 3] = from[x];
    }
  }
}

/// Decodes alpha from its own item.
void add_alpha(const HeifFile& file, const ReadOptions& options, View to) {
  const LibHeif& library = file.library();
  const int bits = library.image_handle_get_luma_bits_per_pixel(file.alpha());
  const std::uint64_t item = file.items().alpha();
  const Wanted wanted{file.alpha(), file.coded_alpha_width(), file.coded_alpha_height(), bits, item,
                      false,        is_plane(file, item)};
  const Decoded alpha = decoded(file, wanted, options);
  ReadOptions plain = options;
  plain.new_image = nullptr;
  const Image levels = framed(alpha, file.alpha_framing(), {to.format.sample, 1}, 1, plain);
  if (to.format.sample == Sample::u8) {
    set_alpha<std::uint8_t>(levels.view(), to);
  } else {
    set_alpha<std::uint16_t>(levels.view(), to);
  }
}

/// Divides RGBA by its alpha: docs/operations.md, "Files".
template <class T>
void divide_by_alpha(View image) {
  for (int y = 0; y < image.height; ++y) {
    T* pixel = image.row<T>(y);
    for (int x = 0; x < image.width; ++x, pixel += 4) {
      const std::uint64_t alpha = pixel[3];
      for (int channel = 0; channel < 3 && alpha > 0; ++channel) {
        const std::uint64_t divided = (pixel[channel] * std::uint64_t{kMaxOf<T>} + alpha / 2) / alpha;
        pixel[channel] = static_cast<T>(std::min<std::uint64_t>(divided, kMaxOf<T>));
      }
    }
  }
}

}  // namespace

Image decoded_image(const HeifFile& file, const ReadOptions& options) {
  Image image = framed_image(file, options);
  if (file.alpha_source() == AlphaSource::by_itself) {
    add_alpha(file, options, image.view());
  }
  if (file.is_premultiplied()) {
    image.format().sample == Sample::u8 ? divide_by_alpha<std::uint8_t>(image.view())
                                        : divide_by_alpha<std::uint16_t>(image.view());
  }
  return image;
}

}  // namespace gpuimg::codecs::heif
