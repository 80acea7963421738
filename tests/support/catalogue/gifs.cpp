// Valid GIF with all color table sizes and row orders, and broken GIF.
#include <algorithm>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/fixed_numbers.hpp"
#include "support/small_formats.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

using Values = std::vector<std::uint32_t>;

constexpr int kWidth = 7;
constexpr int kHeight = 11;

const Values kFour = {0x112233, 0x445566, 0x778899, 0xAABBCC};

GifFrame frame_of(std::uint32_t colors) {
  GifFrame frame;
  frame.width = kWidth;
  frame.height = kHeight;
  frame.indices = FixedNumbers(colors).values(std::size_t{kWidth} * kHeight, colors);
  return frame;
}

/// The row at position k of an interlaced frame: every 8th row first, then the rows between, in four passes.
int interlaced_row(int k) {
  std::vector<int> rows;
  for (const auto& [first, step] : {std::pair{0, 8}, {4, 8}, {2, 4}, {1, 2}}) {
    for (int y = first; y < kHeight; y += step) {
      rows.push_back(y);
    }
  }
  return rows.at(static_cast<std::size_t>(k));
}

Image rgb_image(const Values& indices, const Values& colors) {
  return image_of_pixels(kWidth, kHeight, {Sample::u8, 3}, [&](std::size_t i) { return rgb_of(colors[indices[i]]); });
}

constexpr const char* kCut = "damaged or cut off after its first frame";

/// A GIF with one frame. Readers do not need its trailer.
void add_frame_of(Catalogue& to, std::string name, FileBytes bytes, Image expected) {
  to.add_good_with_rest(std::move(name), std::move(bytes), 1, std::move(expected), "", kCut);
}

void add_tables(Catalogue& to) {
  for (std::uint32_t colors = 2; colors <= 256; colors *= 2) {
    const Values table = FixedNumbers(colors).colors(colors);
    GifFrame frame = frame_of(colors);
    const Values shown = frame.indices;
    const std::string name = "gif_" + std::to_string(colors) + "_colors";
    add_frame_of(to, name + ".gif", make_gif(kWidth, kHeight, table, {frame}), rgb_image(shown, table));
    frame.interlaced = true;
    for (int k = 0; k < kHeight; ++k) {
      std::copy_n(shown.begin() + interlaced_row(k) * kWidth, kWidth, frame.indices.begin() + k * kWidth);
    }
    add_frame_of(to, name + "_interlaced.gif", make_gif(kWidth, kHeight, table, {frame}), rgb_image(shown, table));
    frame = frame_of(colors);
    frame.own_colors = FixedNumbers(colors + 1).colors(colors);
    add_frame_of(to, name + "_of_the_frame.gif", make_gif(kWidth, kHeight, kFour, {frame}),
                 rgb_image(shown, frame.own_colors));
    frame.own_colors.clear();
    frame.transparent = static_cast<int>(shown[0]);
    add_frame_of(to, name + "_one_transparent.gif", make_gif(kWidth, kHeight, table, {frame}),
                 image_of_pixels(kWidth, kHeight, {Sample::u8, 4}, [&](std::size_t i) {
                   Values pixel = rgb_of(table[shown[i]]);
                   pixel.push_back(255);
                   return shown[i] == shown[0] ? Values(4, 0) : pixel;
                 }));
  }
}

void add_codes_of_many_lengths(Catalogue& to) {
  const Values two = {0x102030, 0xF0E0D0};
  GifFrame of_two = frame_of(2);
  of_two.spare_bits = -1;
  add_frame_of(to, "gif_codes_of_1_bit.gif", make_gif(kWidth, kHeight, two, {of_two}), rgb_image(of_two.indices, two));
  const Values table = FixedNumbers(5).colors(256);
  for (const int bits : {9, 11}) {
    GifFrame frame = frame_of(256);
    frame.spare_bits = bits - 8;
    add_frame_of(to, "gif_codes_of_" + std::to_string(bits) + "_bits.gif", make_gif(kWidth, kHeight, table, {frame}),
                 rgb_image(frame.indices, table));
    frame.indices[3] = 256;
    to.add_damaged("gif_code_without_color_of_" + std::to_string(bits) + "_bits.gif",
                   make_gif(kWidth, kHeight, table, {frame}), "invalid code");
  }
}

void add_packed(Catalogue& to) {
  for (const std::uint32_t colors : {4U, 256U}) {
    const Values table = FixedNumbers(colors).colors(colors);
    GifFrame frame = frame_of(colors);
    frame.packing.runs = true;
    frame.indices.assign(frame.indices.size(), 3);  // equal pixels: a code is used before the decoder's table has it
    const std::string name = "gif_packed_" + std::to_string(colors) + "_colors_";
    add_frame_of(to, name + "flat.gif", make_gif(kWidth, kHeight, table, {frame}), rgb_image(frame.indices, table));
    frame.indices = FixedNumbers(colors).values(frame.indices.size(), 3);
    add_frame_of(to, name + "repeated.gif", make_gif(kWidth, kHeight, table, {frame}), rgb_image(frame.indices, table));
    const auto file = [&] { return make_gif(frame.width, frame.height, table, {frame}); };
    frame.packing.clears_at_first = false;
    add_frame_of(to, name + "not_cleared_at_first.gif", file(), rgb_image(frame.indices, table));
    // The table fills up and is cleared several times.
    frame.width = frame.height = 150;
    frame.indices = FixedNumbers(colors).values(150 * 150, colors);
    const auto shown = [&] {
      return image_of_pixels(150, 150, {Sample::u8, 3}, [&](std::size_t i) { return rgb_of(table[frame.indices[i]]); });
    };
    add_frame_of(to, name + "of_full_tables.gif", file(), shown());
    frame.packing.clears_when_full = false;
    add_frame_of(to, name + "of_a_full_table.gif", file(), shown());
  }
}

/// Inserts the bytes of a block between the screen and the first frame.
FileBytes with_block(const FileBytes& bytes) {
  FileBytes file = make_gif(kWidth, kHeight, kFour, {frame_of(4)});
  file.insert(file.begin() + 13 + 3 * 4, bytes.begin(), bytes.end());
  return file;
}

void add_variants(Catalogue& to) {
  const GifFrame frame = frame_of(4);
  const auto whole = [&] { return rgb_image(frame.indices, kFour); };
  const FileBytes plain = make_gif(kWidth, kHeight, kFour, {frame});
  FileBytes of_1987 = plain;
  of_1987[4] = std::byte{'7'};
  add_frame_of(to, "gif_of_1987.gif", of_1987, whole());
  add_frame_of(to, "gif_with_comment.gif",
               with_block(bytes_of({"\x21\xFE\x03"
                                    "abc\0",
                                    7})),
               whole());
  add_frame_of(to, "gif_with_application_data.gif", with_block(bytes_of({"\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0", 19})),
               whole());
  FileBytes longer = plain;
  longer.resize(longer.size() + 2000, std::byte{1});  // now too long to try every prefix
  to.add_good("gif_bytes_after_the_trailer.gif", longer, whole());
  GifFrame small;
  small.x = 2;
  small.y = 3;
  small.width = small.height = 2;
  small.indices = {1, 2, 3, 0};
  const FileBytes two = make_gif(kWidth, kHeight, kFour, {frame, small});
  const std::size_t rest = two.size() - plain.size() + 1;
  to.add_good_with_rest("gif_of_two_frames.gif", two, rest, whole(), "first frame only", kCut);
  const auto part = [&] {
    return image_of_pixels(kWidth, kHeight, {Sample::u8, 4}, [](std::size_t i) {
      const std::size_t x = i % kWidth;
      const std::size_t y = i / kWidth;
      if (x < 2 || x > 3 || y < 3 || y > 4) {
        return Values(4, 0);
      }
      Values pixel = rgb_of(kFour[((y - 3) * 2 + x - 2 + 1) % 4]);
      pixel.push_back(255);
      return pixel;
    });
  };
  add_frame_of(to, "gif_frame_smaller_than_the_screen.gif", make_gif(kWidth, kHeight, kFour, {small}), part());
  add_frame_of(to, "gif_frame_smaller_than_the_screen_with_background.gif",
               make_gif(kWidth, kHeight, kFour, {small}, 3), part());
}

/// A screen that is too small is enlarged to hold the first frame.
void add_small_screens(Catalogue& to) {
  const GifFrame frame = frame_of(4);
  for (const auto& [width, height] : {std::pair{0, 0}, {0, kHeight}, {kWidth, 0}, {kWidth - 1, kHeight}}) {
    add_frame_of(to, "gif_screen_of_" + std::to_string(width) + "x" + std::to_string(height) + ".gif",
                 make_gif(width, height, kFour, {frame}), rgb_image(frame.indices, kFour));
  }
  GifFrame moved = frame;
  moved.x = 2;
  moved.y = 1;
  add_frame_of(to, "gif_frame_beyond_its_screen.gif", make_gif(kWidth, kHeight, kFour, {moved}),
               image_of_pixels(kWidth + 2, kHeight + 1, {Sample::u8, 4}, [&](std::size_t i) {
                 const std::size_t x = i % (kWidth + 2);
                 const std::size_t y = i / (kWidth + 2);
                 if (x < 2 || y < 1) {
                   return Values(4, 0);
                 }
                 Values pixel = rgb_of(kFour[frame.indices[(y - 1) * kWidth + x - 2]]);
                 pixel.push_back(255);
                 return pixel;
               }));
}

void add_damage_after_the_frame(Catalogue& to) {
  const FileBytes plain = make_gif(kWidth, kHeight, kFour, {frame_of(4)});
  const auto add = [&](const char* name, FileBytes bytes) {
    const std::size_t rest = bytes.size() - (plain.size() - 1);
    to.add_good_with_rest(name, std::move(bytes), rest, rgb_image(frame_of(4).indices, kFour), kCut, kCut);
  };
  const FileBytes without_trailer(plain.begin(), plain.end() - 1);
  FileBytes strange = without_trailer;
  strange.push_back(std::byte{0x3C});
  add("gif_unknown_block_after_the_frame.gif", strange);
  add("gif_without_trailer.gif", without_trailer);
  FileBytes second_cut = make_gif(kWidth, kHeight, kFour, {frame_of(4), frame_of(4)});
  second_cut.resize(second_cut.size() - 20);
  add("gif_second_frame_cut.gif", second_cut);
}

void add_broken_frames(Catalogue& to) {
  const auto add = [&](const char* what, GifFrame frame, const char* words, const Values& colors = kFour) {
    to.add_damaged("gif_" + std::string(what) + ".gif", make_gif(kWidth, kHeight, colors, {std::move(frame)}), words);
  };
  GifFrame frame = frame_of(4);
  frame.indices.pop_back();
  add("a_pixel_short", frame, "fewer pixels");
  frame.indices.clear();
  add("without_pixels", frame, "fewer pixels");
  frame = frame_of(4);
  frame.width = 0;
  add("frame_of_width_0", frame, "empty");
  frame = frame_of(4);
  frame.height = 0;
  add("frame_of_height_0", frame, "empty");
  add("without_colors", frame_of(4), "color table is missing", {});
  add("color_beyond_the_table", frame_of(4), "color table has size 2", {1, 2});
  to.add_damaged("gif_without_a_frame.gif", make_gif(kWidth, kHeight, kFour, {}), "no image");
}

void add_broken_codes(Catalogue& to) {
  const FileBytes plain = make_gif(kWidth, kHeight, kFour, {frame_of(4)});
  // Offset of the first frame's block: after the header, the color table and the graphic control block.
  constexpr std::size_t kFrame = 13 + 12 + 8;
  constexpr std::size_t kRootBits = kFrame + 10;
  const auto with = [&](std::size_t offset, std::uint32_t value) {
    FileBytes file = plain;
    file.at(offset) = static_cast<std::byte>(value);
    return file;
  };
  for (const std::uint32_t bits : {0U, 12U, 255U}) {
    to.add_damaged("gif_codes_of_" + std::to_string(bits) + "_bits.gif", with(kRootBits, bits),
                   "its minimum code size");
  }
  to.add_damaged("gif_code_before_it_is_defined.gif", with(kRootBits + 2, 0xFC), "invalid code");
  FileBytes forgotten = plain;  // clear, 0, 1, 2, clear, 0, and 7, which the clear code removed
  const FileBytes codes = bytes_of("\x44\x44\x38");
  std::copy(codes.begin(), codes.end(), forgotten.begin() + kRootBits + 2);
  to.add_damaged("gif_code_removed_by_a_clear.gif", forgotten, "invalid code");
  to.add_damaged("gif_end_at_once.gif", with(kRootBits + 2, 0x2C), "fewer pixels");  // clear (4), end (5)
  to.add_damaged("gif_block_longer_than_the_file.gif", with(kRootBits + 1, 0xFF), "truncated");
  to.add_damaged("gif_unknown_block.gif", with(kFrame, 0x2D), "unknown block");
  to.add_damaged("gif_without_the_end_of_its_codes.gif", FileBytes(plain.begin(), plain.end() - 2), "truncated");
  FileBytes version = plain;
  version[4] = std::byte{'8'};
  to.add_damaged("gif_of_1988.gif", version, "known image format");
}

}  // namespace

void add_gifs(Catalogue& to) {
  add_tables(to);
  add_codes_of_many_lengths(to);
  add_packed(to);
  add_variants(to);
  add_small_screens(to);
  add_damage_after_the_frame(to);
  add_broken_frames(to);
  add_broken_codes(to);
}

}  // namespace gpuimg::test
