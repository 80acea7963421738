// The choice of a path, and the libpng path. Why libpng, and how strict: docs/operations.md, "Files".
#include "codecs/png/png_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "codecs/png/png_chunks.hpp"
#include "codecs/png/png_fast_reader.hpp"
#include "codecs/png/png_header.hpp"
#include "codecs/png/png_metadata.hpp"
#include "codecs/png/png_palette.hpp"
#include "codecs/png/png_session.hpp"
#include "codecs/png/simple_png.hpp"
#include "codecs/refusals.hpp"

namespace gpuimg::codecs {

namespace {

/// Deflate compresses at most 1032:1, so a short file that declares many pixels is refused before they are allocated.
bool is_plausible(const PngHeader& header, std::uint64_t file_bytes) {
  constexpr std::uint64_t kMaxRatio = 1032;
  const std::uint64_t row_bytes = (std::uint64_t{header.width} * header.bit_depth + 7) / 8;
  return row_bytes * header.height / kMaxRatio <= file_bytes;
}

PngPalette palette_of(PngSession& session) {
  png_colorp colors = nullptr;
  png_bytep alpha = nullptr;
  int size = 0;
  int alpha_count = 0;
  session.guarded([&] {
    png_get_PLTE(session.png(), session.info(), &colors, &size);
    if (png_get_tRNS(session.png(), session.info(), &alpha, &alpha_count, nullptr) == 0) {
      alpha_count = 0;
    }
  });
  static_assert(sizeof(png_color) == 3);
  const auto entries = std::as_bytes(std::span(colors, static_cast<std::size_t>(size)));
  return {entries, std::as_bytes(std::span(alpha, static_cast<std::size_t>(alpha_count)))};
}

/// Reads rows of `row_bytes` each; all passes of an interlaced image go into the same rows.
void read_rows(PngSession& session, std::byte* rows, std::size_t row_bytes, int height, const std::string& name) {
  int passes = 1;
  std::size_t libpng_row_bytes = 0;
  session.guarded([&] {
    passes = png_set_interlace_handling(session.png());
    png_read_update_info(session.png(), session.info());
    libpng_row_bytes = png_get_rowbytes(session.png(), session.info());
  });
  if (libpng_row_bytes != row_bytes) {
    refuse_damaged(name, "its row size does not match its header");
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
  const PngPalette palette = palette_of(session);
  session.guarded([&] { png_set_packing(session.png()); });
  Image image(width, height, {Sample::u8, palette.channels()});
  read_rows(session, PngPalette::indices_of(image), static_cast<std::size_t>(width), height, name);
  palette.paint(image, name);
  return image;
}

Image read_direct_image(PngSession& session, const PngHeader& header, const std::string& name) {
  bool has_transparent_color = false;
  session.guarded([&] {
    int colors = 0;  // 0 for a color that libpng ignores, because it precedes a suggested palette
    has_transparent_color = png_get_tRNS(session.png(), session.info(), nullptr, &colors, nullptr) != 0 && colors > 0;
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
  Image image(static_cast<int>(header.width), static_cast<int>(header.height), format);
  read_rows(session, image.view().data, image.pitch_bytes(), image.height(), name);
  return image;
}

Image read_with_libpng(ByteSpan bytes, const PngHeader& header, const std::string& name) {
  PngSession session(bytes, name);
  session.guarded([&] { png_read_info(session.png(), session.info()); });
  if (!is_plausible(header, bytes.size())) {
    refuse_damaged(
        name, fmt::format("{} bytes cannot hold the declared {}x{} pixels", bytes.size(), header.width, header.height));
  }
  return header.color_type == PNG_COLOR_TYPE_PALETTE
             ? read_palette_image(session, static_cast<int>(header.width), static_cast<int>(header.height), name)
             : read_direct_image(session, header, name);
}

/// Whether more frames follow, and whether libpng ignores a transparent color.
std::vector<std::string> notes_on(ByteSpan bytes, const std::string& name) {
  std::vector<std::string> notes;
  bool has_transparency = false;
  bool has_frame = false;
  std::uint32_t frames = 0;
  PngChunkWalker walker(bytes, name);
  while (walker.next_type() != png_chunk_type("IDAT")) {
    const auto chunk = walker.next();
    has_frame = has_frame || chunk->type() == png_chunk_type("fcTL");
    has_transparency = has_transparency || chunk->type() == png_chunk_type("tRNS");
    if (chunk->type() == png_chunk_type("acTL") && chunk->payload().size() == 8 && chunk->crc_is_right()) {
      frames = u32be_at(chunk->payload(), 0);
    }
    if (chunk->type() == png_chunk_type("PLTE") && has_transparency) {
      notes.emplace_back("PNG: its transparency is ignored, because it precedes the palette");
    }
  }
  if (frames > 1 || (frames == 1 && !has_frame)) {
    notes.emplace_back(has_frame ? "PNG animation: first frame only" : "PNG animation: only the image before it");
  }
  return notes;
}

/// The first thousand tEXt entries in file order; skips damaged ones.
std::vector<TextEntry> texts_of(ByteSpan bytes, const std::string& name) {
  std::vector<TextEntry> texts;
  PngChunkWalker walker(bytes, name);
  constexpr std::size_t kMaxEntries = 1000;  // a file may hold millions of empty ones
  while (const auto chunk = walker.next()) {
    if (chunk->type() == png_chunk_type("tEXt") && texts.size() < kMaxEntries && chunk->crc_is_right()) {
      const ByteSpan payload = chunk->payload();
      const std::string text(reinterpret_cast<const char*>(payload.data()), payload.size());
      const std::size_t end = std::min(text.find('\0'), text.size());
      texts.push_back({text.substr(0, end), text.substr(std::min(end + 1, text.size()))});
    }
  }
  return texts;
}

}  // namespace

Image read_png_pixels(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options,
                      PngPath path) {
  const PngHeader header = read_png_header(bytes, name);
  check_size(name, header.width, header.height, options.max_pixels);
  if (path == PngPath::fast_if_possible && is_plausible(header, bytes.size())) {
    if (const auto simple = parse_simple_png(bytes, name)) {
      if (auto image = read_simple_png(*simple, name, options)) {
        return std::move(*image);
      }
    }
  }
  return read_with_libpng(bytes, header, name);
}

bool is_plausible_png(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& name) {
  return is_plausible(read_png_header(bytes, name), file_bytes);
}

DecodedImage describe_png(std::span<const std::byte> bytes, const std::string& name) {
  DecodedImage decoded;
  decoded.notes = notes_on(bytes, name);
  decoded.text = texts_of(bytes, name);
  decoded.metadata = read_png_metadata(bytes, name, decoded.details);
  return decoded;
}

DecodedImage read_png(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options) {
  Image image = read_png_pixels(bytes, name, options, PngPath::fast_if_possible);
  DecodedImage decoded = describe_png(bytes, name);
  decoded.image = std::move(image);
  return decoded;
}

}  // namespace gpuimg::codecs
