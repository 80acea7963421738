// WebP: lossless images, lossy images, and alpha with each filter, in simple files, extended files and animations, and
// broken WebP. Containers, lossless images and alpha are written by hand; lossy images are known files of one color.
#include <algorithm>
#include <optional>
#include <string_view>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/fixed_numbers.hpp"
#include "support/metadata_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

using namespace std::string_view_literals;
using Values = std::vector<std::uint32_t>;

constexpr int kWidth = 5;
constexpr int kHeight = 3;
constexpr std::size_t kCount = 15;
constexpr std::uint32_t kAnimation = 0x02;
constexpr std::uint32_t kAlpha = 0x10;

/// 5×3 pixels with the color 200, 39, 89.
constexpr std::string_view kLossy =
    "\x70\x01\x00\x9d\x01\x2a\x05\x00\x03\x00\x00\xc0\x12\x25\xa0\x02\x74\x01\x75\x00\x00\xfe\xf5\x88\x95\xaf\xff\xd9"
    "\x2b\x7f\xfe\xcf\x2f\xff\xfb\x25\x6f\xfb\x1e\x40\x00\x00"sv;

/// 16×16 pixels with the gray level 128.
constexpr std::string_view kLossyGray =
    "\x50\x01\x00\x9d\x01\x2a\x10\x00\x10\x00\x00\xc0\x12\x25\xa4\x00\x04\x74\x00\x00\xfe\x00\x00\x00"sv;

/// Writes bits, lowest bit first.
class Bits {
 public:
  void add(std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) {
      if (used_++ % 8 == 0) {
        bytes_.push_back(std::byte{0});
      }
      bytes_.back() |= static_cast<std::byte>((value >> i & 1U) << ((used_ - 1) % 8));
    }
  }
  [[nodiscard]] const FileBytes& bytes() const { return bytes_; }

 private:
  FileBytes bytes_;
  std::size_t used_ = 0;
};

/// A prefix code: the first 256 symbols have 8-bit codes, in order; the other symbols have no codes.
void add_code_of_bytes(Bits& to, int symbols) {
  constexpr std::uint32_t kOrderOf0 = 2;
  constexpr std::uint32_t kOrderOf8 = 11;
  to.add(0, 1);  // not simple
  to.add(kOrderOf8 + 1 - 4, 4);
  for (std::uint32_t i = 0; i <= kOrderOf8; ++i) {
    to.add(i == kOrderOf0 || i == kOrderOf8 ? 1 : 0, 3);
  }
  to.add(0, 1);  // lengths for all symbols
  for (int symbol = 0; symbol < symbols; ++symbol) {
    to.add(symbol < 256 ? 1 : 0, 1);
  }
}

void add_high_bit_first(Bits& to, std::uint32_t byte) {
  for (int bit = 7; bit >= 0; --bit) {
    to.add(byte >> bit & 1U, 1);
  }
}

/// A lossless image of 0xAARRGGBB pixels, coded as literals without transforms.
FileBytes lossless(const Values& colors, bool has_alpha, int width = kWidth, std::uint32_t version = 0) {
  Bits bits;
  bits.add(0x2F, 8);
  bits.add(static_cast<std::uint32_t>(width - 1), 14);
  bits.add(static_cast<std::uint32_t>(colors.size() / static_cast<std::size_t>(width) - 1), 14);
  bits.add(has_alpha ? 1 : 0, 1);
  bits.add(version, 3);
  bits.add(0, 3);  // no transform, no color cache, one group of codes
  for (const int symbols : {280, 256, 256, 256}) {
    add_code_of_bytes(bits, symbols);
  }
  bits.add(0b0001, 4);  // distance code with a single symbol, 0
  for (const std::uint32_t color : colors) {
    for (const int shift : {8, 16, 0, 24}) {
      add_high_bit_first(bits, color >> shift & 0xFFU);
    }
  }
  return bits.bytes();
}

FileBytes chunk(std::string_view type, const FileBytes& payload) {
  FileBytes bytes = bytes_of(type);
  add_le(bytes, payload.size(), 4);
  add_bytes(bytes, payload);
  bytes.resize(bytes.size() + bytes.size() % 2);
  return bytes;
}

FileBytes riff(const std::vector<FileBytes>& chunks) {
  FileBytes content = bytes_of("WEBP");
  for (const FileBytes& each : chunks) {
    add_bytes(content, each);
  }
  return chunk("RIFF", content);
}

FileBytes vp8x(std::uint32_t flags, std::uint32_t width = kWidth, std::uint32_t height = kHeight) {
  FileBytes fields;
  add_le(fields, flags, 4);
  add_le(fields, width - 1, 3);
  add_le(fields, height - 1, 3);
  return chunk("VP8X", fields);
}

FileBytes anim() { return chunk("ANIM", FileBytes(6)); }

struct Place {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t width = kWidth;
  std::uint32_t height = kHeight;
};

FileBytes anmf(const FileBytes& image, const Place& place = {}) {
  FileBytes fields;
  for (const std::uint32_t value : {place.x / 2, place.y / 2, place.width - 1, place.height - 1, 100U}) {
    add_le(fields, value, 3);
  }
  fields.push_back(std::byte{0});
  add_bytes(fields, image);
  return chunk("ANMF", fields);
}

/// Uncompressed alpha. `filter` is 0 for none; 1, 2 and 3 predict from the left, from above, and from both.
FileBytes alph(const Values& alpha, std::uint32_t filter) {
  FileBytes bytes{static_cast<std::byte>(filter << 2)};
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    const bool is_first_column = i % kWidth == 0;
    const bool is_first_row = i < kWidth;
    const int left = is_first_column ? 0 : static_cast<int>(alpha[i - 1]);
    const int above = is_first_row ? 0 : static_cast<int>(alpha[i - kWidth]);
    const int corner = is_first_row || is_first_column ? 0 : static_cast<int>(alpha[i - kWidth - 1]);
    const int by_both = std::clamp(left + above - corner, 0, 255);
    const int predicted = filter == 0                                         ? 0
                          : (is_first_row && is_first_column)                 ? 0
                          : is_first_row || (filter == 1 && !is_first_column) ? left
                          : is_first_column || filter == 2                    ? above
                                                                              : by_both;
    bytes.push_back(static_cast<std::byte>(static_cast<int>(alpha[i]) - predicted));
  }
  return chunk("ALPH", bytes);
}

Values random_colors(std::uint32_t start, bool has_alpha) {
  FixedNumbers numbers(start);
  Values colors;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint32_t color = numbers.below(1U << 16) << 8 | numbers.below(256);
    colors.push_back(color | (has_alpha ? numbers.below(256) : 255U) << 24);
  }
  return colors;
}

Image shown(const Values& colors, bool has_alpha, int width = kWidth) {
  return image_of_pixels(width, static_cast<int>(colors.size()) / width, {Sample::u8, has_alpha ? 4 : 3},
                         [&](std::size_t i) {
                           Values channels = {colors[i] >> 16 & 255U, colors[i] >> 8 & 255U, colors[i] & 255U};
                           if (has_alpha) {
                             channels.push_back(colors[i] >> 24);
                           }
                           return channels;
                         });
}

FileBytes image_chunk(std::uint32_t start, bool has_alpha) {
  return chunk("VP8L", lossless(random_colors(start, has_alpha), has_alpha));
}

Image image_shown(std::uint32_t start, bool has_alpha) { return shown(random_colors(start, has_alpha), has_alpha); }

void add_stills(Catalogue& to) {
  const FileBytes lossy = chunk("VP8 ", bytes_of(kLossy));
  const Values lossy_colors(kCount, 0xFFC82759);
  to.add_good("webp_lossless.webp", riff({image_chunk(1, false)}), image_shown(1, false));
  to.add_good("webp_lossless_alpha.webp", riff({image_chunk(2, true)}), image_shown(2, true));
  to.add_good("webp_lossy.webp", riff({lossy}), shown(lossy_colors, false));
  to.add_good("webp_lossy_gray.webp", riff({chunk("VP8 ", bytes_of(kLossyGray))}),
              constant_image(16, 16, {Sample::u8, 3}, 128));
  to.add_good_and_more("webp_bytes_after_the_end.webp", riff({image_chunk(3, false)}), bytes_of("more"),
                       image_shown(3, false));
  to.add_good("webp_extended.webp",
              riff({vp8x(0x2C), chunk("ICCP", make_icc({})), chunk("odd!", bytes_of("123")), image_chunk(4, false),
                    chunk("EXIF", exif_with(1, true)), chunk("XMP ", xmp_packet())}),
              image_shown(4, false));
  to.add_good("webp_of_damaged_metadata.webp",
              riff({vp8x(0x2C), chunk("ICCP", bytes_of("no profile")), image_chunk(5, false),
                    chunk("EXIF", bytes_of("no EXIF")), bytes_of("XMP \xFF\xFF\xFF\x7F")}),
              image_shown(5, false));
  for (std::uint32_t filter = 0; filter < 4; ++filter) {
    Values colors = lossy_colors;
    Values alpha;
    for (std::size_t i = 0; i < kCount; ++i) {
      alpha.push_back(random_colors(6 + filter, true)[i] >> 24);
      colors[i] = (colors[i] & 0xFFFFFFU) | alpha[i] << 24;
    }
    to.add_good("webp_alpha_of_filter_" + std::to_string(filter) + ".webp",
                riff({vp8x(kAlpha), alph(alpha, filter), lossy}), shown(colors, true));
  }
}

void add_animations(Catalogue& to) {
  const char* const note = "WebP animation: first frame only";
  const FileBytes first = anmf(image_chunk(11, false));
  to.add_good("webp_of_one_frame.webp", riff({vp8x(kAnimation), anim(), first}), image_shown(11, false));
  to.add_good("webp_of_two_frames.webp", riff({vp8x(kAnimation), anim(), first, anmf(image_chunk(12, false))}),
              image_shown(11, false), note);
  to.add_good("webp_frames_with_alpha.webp",
              riff({vp8x(kAnimation | kAlpha), anim(), anmf(image_chunk(13, true)), first, first}),
              image_shown(13, true), note);
  const Values colors = random_colors(14, false);
  constexpr std::size_t kCanvasWidth = 8;
  Values canvas(kCanvasWidth * 7, 0);
  for (std::size_t i = 0; i < kCount; ++i) {
    canvas[(4 + i / kWidth) * kCanvasWidth + 2 + i % kWidth] = colors[i];
  }
  to.add_good(
      "webp_frame_on_a_canvas.webp",
      riff({vp8x(kAnimation, kCanvasWidth, 7), anim(), anmf(chunk("VP8L", lossless(colors, false)), {.x = 2, .y = 4})}),
      shown(canvas, true, kCanvasWidth));
  to.add_damaged("webp_frame_beyond_the_canvas.webp",
                 riff({vp8x(kAnimation, 8, 7), anim(), anmf(image_chunk(15, false), {.x = 4, .y = 0})}),
                 "does not fit its canvas of 8x7");
  to.add_damaged("webp_frame_of_another_size.webp",
                 riff({vp8x(kAnimation, 8, 7), anim(), anmf(image_chunk(16, false), {.width = 6})}),
                 "the frame at byte 44 is not as large as its image");
  to.add_damaged("webp_frame_without_image.webp", riff({vp8x(kAnimation), anim(), anmf({})}), "has no image");
  to.add_damaged("webp_frame_too_short.webp", riff({vp8x(kAnimation), chunk("ANMF", FileBytes(15))}), "is too short");
  to.add_damaged("webp_without_frames.webp", riff({vp8x(kAnimation), anim(), image_chunk(17, false)}),
                 "it has no image");
  to.add_unsupported("webp_of_a_huge_canvas.webp", riff({vp8x(kAnimation, 1U << 24, 1U << 24), anim(), first}),
                     "16777216x16777216 pixels, more than the limit");
  to.add_unsupported("webp_of_an_empty_canvas.webp", riff({vp8x(kAnimation, 16384, 16384), anim(), first}),
                     "its data covers at most 15");
}

void add_broken(Catalogue& to) {
  const FileBytes image = image_chunk(21, false);
  const auto without_end = [](FileBytes bytes, std::size_t count) {
    bytes.resize(bytes.size() - count);
    return bytes;
  };
  FileBytes other_start = bytes_of(kLossy);
  other_start[3] = std::byte{0};
  FileBytes no_riff = riff({image});
  no_riff[0] = std::byte{'S'};
  to.add_damaged("webp_without_riff.webp", no_riff, "it does not begin with RIFF");
  to.add_damaged("webp_without_chunks.webp", riff({}), "it has no image");
  to.add_damaged("webp_without_image.webp", riff({vp8x(0), chunk("EXIF", exif_with(1, true))}), "it has no image");
  to.add_damaged("webp_of_another_canvas.webp", riff({vp8x(0, 5, 4), image}), "does not fit its canvas of 5x4");
  to.add_damaged("webp_alpha_without_image.webp", riff({vp8x(kAlpha), alph(Values(kCount, 9), 0)}),
                 "the alpha channel at byte 30 has no image");
  to.add_damaged("webp_short_alpha.webp",
                 riff({vp8x(kAlpha), chunk("ALPH", FileBytes(15)), chunk("VP8 ", bytes_of(kLossy))}),
                 "the lossy image at byte 30 cannot be decoded");
  to.add_damaged("webp_short_lossless.webp",
                 riff({chunk("VP8L", without_end(lossless(random_colors(22, false), false), 8))}),
                 "the lossless image at byte 12");
  to.add_damaged("webp_short_lossy.webp", riff({chunk("VP8 ", without_end(bytes_of(kLossy), 26))}), "at byte 12");
  to.add_damaged("webp_of_another_version.webp",
                 riff({chunk("VP8L", lossless(random_colors(23, false), false, kWidth, 1))}), "no valid header");
  to.add_damaged("webp_of_another_start_code.webp", riff({chunk("VP8 ", other_start)}), "no valid header");
  to.add_damaged("webp_chunk_too_long.webp", riff({bytes_of("VP8L\xFF\xFF\xFF\x7F"), FileBytes(30)}),
                 "the VP8L chunk at byte 12 is longer than its container");
  to.add_damaged("webp_chunk_too_short.webp", riff({vp8x(0), bytes_of("VP8L")}), "the chunk at byte 30 is too short");
  to.add_damaged("webp_canvas_too_short.webp", riff({chunk("VP8X", FileBytes(9)), image}), "is too short");
}

}  // namespace

void add_webps(Catalogue& to) {
  add_stills(to);
  add_animations(to);
  add_broken(to);
}

}  // namespace gpuimg::test
