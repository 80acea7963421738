// PNG to pixels, straight into the rows of the Image. Why libpng and how strictly: docs/operations.md, "Files".
#include "files/png_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>

#include "files/byte_fields.hpp"
#include "files/png_session.hpp"
#include "files/refusals.hpp"

namespace gpuimg {

namespace {

struct Header {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t bit_depth = 0;
  std::uint32_t color_type = 0;
};

/// Read before libpng sees the file, so that a declared bomb costs nothing.
Header read_header(ByteSpan bytes, const std::string& name) {
  constexpr std::size_t kBytes = 33;  // signature, and IHDR with its length, name and CRC
  if (bytes.size() < kBytes) {
    refuse_truncated(name);
  }
  constexpr std::uint32_t kIhdr = 0x49484452;
  constexpr std::uint32_t kCgbi = 0x43674249;
  if (u32be_at(bytes, 12) == kCgbi) {
    refuse_unsupported(name, "PNG in Apple's private form (CgBI)");
  }
  if (u32be_at(bytes, 12) != kIhdr || u32be_at(bytes, 8) != 13) {
    refuse_damaged(name, "it does not begin with its header (IHDR)");
  }
  return {u32be_at(bytes, 16), u32be_at(bytes, 20), u8_at(bytes, 24), u8_at(bytes, 25)};
}

/// Deflate cannot make data more than 1032 times smaller, so a short file with a large declared size is refused before
/// its pixels are allocated.
void check_plausible(const Header& header, std::size_t file_bytes, const std::string& name) {
  constexpr std::uint64_t kMaxRatio = 1032;
  const std::uint64_t row_bytes = (std::uint64_t{header.width} * header.bit_depth + 7) / 8;
  if (row_bytes * header.height / kMaxRatio > file_bytes) {
    refuse_damaged(name, fmt::format("{} bytes cannot hold the {}x{} pixels it declares", file_bytes, header.width,
                                     header.height));
  }
}

struct Palette {
  std::array<std::array<std::byte, 4>, 256> colors{};
  int size = 0;
  bool has_alpha = false;
};

Palette palette_of(PngSession& session) {
  png_colorp colors = nullptr;
  png_bytep alpha = nullptr;
  int alpha_count = 0;
  Palette palette;
  session.guarded([&] {
    png_get_PLTE(session.png(), session.info(), &colors, &palette.size);
    if (png_get_tRNS(session.png(), session.info(), &alpha, &alpha_count, nullptr) == 0) {
      alpha_count = 0;
    }
  });
  palette.has_alpha = alpha_count > 0;
  for (int i = 0; i < palette.size && i < 256; ++i) {
    const png_byte opacity = i < alpha_count ? alpha[i] : png_byte{255};
    palette.colors[static_cast<std::size_t>(i)] = {std::byte{colors[i].red}, std::byte{colors[i].green},
                                                   std::byte{colors[i].blue}, std::byte{opacity}};
  }
  return palette;
}

template <std::size_t kChannels>
std::size_t expand(const std::byte* indices, std::byte* pixels, std::size_t count, const Palette& palette) {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = std::to_integer<std::size_t>(indices[i]);
    largest = index > largest ? index : largest;
    const auto color = palette.colors[index];
    for (std::size_t c = 0; c < kChannels; ++c) {
      pixels[i * kChannels + c] = color[c];
    }
  }
  return largest;
}

/// Rows of `row_bytes` each, every pass of an interlaced image into the same rows.
void read_rows(PngSession& session, std::byte* rows, std::size_t row_bytes, int height, const std::string& name) {
  int passes = 1;
  std::size_t libpng_row_bytes = 0;
  session.guarded([&] {
    passes = png_set_interlace_handling(session.png());
    png_read_update_info(session.png(), session.info());
    libpng_row_bytes = png_get_rowbytes(session.png(), session.info());
  });
  if (libpng_row_bytes != row_bytes) {
    refuse_damaged(name, "its rows have another size than its header says");
  }
  session.guarded([&] {
    for (int pass = 0; pass < passes; ++pass) {
      for (int y = 0; y < height; ++y) {
        png_read_row(session.png(), reinterpret_cast<png_bytep>(rows + static_cast<std::size_t>(y) * row_bytes),
                     nullptr);
      }
    }
  });
  session.refuse_damaged_data();
  session.guarded([&] { png_read_end(session.png(), session.info()); });
  session.refuse_damaged_data();
}

Image read_palette_image(PngSession& session, int width, int height, const std::string& name) {
  const Palette palette = palette_of(session);
  session.guarded([&] { png_set_packing(session.png()); });
  Image image(width, height, {Sample::u8, palette.has_alpha ? 4 : 3});
  // Indices go to the end of the pixel memory: expanding from the front never overtakes them.
  const std::size_t count = image.view().pixel_count();
  std::byte* const pixels = image.view().data;
  std::byte* const indices = pixels + (image.size_bytes() - count);
  read_rows(session, indices, static_cast<std::size_t>(width), height, name);
  const std::size_t largest =
      palette.has_alpha ? expand<4>(indices, pixels, count, palette) : expand<3>(indices, pixels, count, palette);
  if (largest >= static_cast<std::size_t>(palette.size)) {
    refuse_damaged(name, fmt::format("a pixel has color {} of a palette of {}", largest, palette.size));
  }
  return image;
}

Image read_direct_image(PngSession& session, const Header& header, const std::string& name) {
  bool has_transparent_color = false;
  session.guarded([&] {
    has_transparent_color = png_get_valid(session.png(), session.info(), PNG_INFO_tRNS) != 0;
    if (has_transparent_color) {
      png_set_tRNS_to_alpha(session.png());
    }
    if (header.bit_depth < 8) {
      png_set_expand_gray_1_2_4_to_8(session.png());
    }
    if (header.bit_depth == 16 && std::endian::native == std::endian::little) {
      png_set_swap(session.png());
    }
  });
  const bool is_color = (header.color_type & PNG_COLOR_MASK_COLOR) != 0;
  const bool has_alpha = (header.color_type & PNG_COLOR_MASK_ALPHA) != 0 || has_transparent_color;
  const PixelFormat format{header.bit_depth == 16 ? Sample::u16 : Sample::u8, (is_color ? 3 : 1) + (has_alpha ? 1 : 0)};
  Image image = options.image(static_cast<int>(header.width), static_cast<int>(header.height), format);
  read_rows(session, image.view().data, image.pitch_bytes(), image.height(), name);
  return image;
}

std::vector<TextEntry> texts_of(PngSession& session) {
  png_textp entries = nullptr;
  int count = 0;
  session.guarded([&] { png_get_text(session.png(), session.info(), &entries, &count); });
  std::vector<TextEntry> texts;
  for (int i = 0; i < count; ++i) {
    texts.push_back({entries[i].key, {entries[i].text, entries[i].text_length}});
  }
  return texts;
}

}  // namespace

DecodedImage read_png(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options) {
  const Header header = read_header(bytes, name);
  check_size(name, header.width, header.height, options.max_pixels);
  PngSession session(bytes, name);
  session.guarded([&] { png_read_info(session.png(), session.info()); });
  check_plausible(header, bytes.size(), name);

  DecodedImage decoded;
  decoded.file_type = "PNG";
  decoded.image =
      header.color_type == PNG_COLOR_TYPE_PALETTE
          ? read_palette_image(session, static_cast<int>(header.width), static_cast<int>(header.height), name)
          : read_direct_image(session, header, name);
  decoded.text = texts_of(session);
  return decoded;
}

}  // namespace gpuimg
