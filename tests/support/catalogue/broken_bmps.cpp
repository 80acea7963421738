// BMP files with a broken header field, palette, mask or run.
#include <algorithm>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/fixed_numbers.hpp"
#include "support/catalogue/header_field.hpp"
#include "support/small_formats.hpp"

namespace gpuimg::test {
namespace {

using Values = std::vector<std::uint32_t>;

constexpr int kWidth = 5;
constexpr int kHeight = 3;
constexpr std::size_t kCount = 15;

constexpr HeaderField kDamagedFields[] = {
    {"width_0", 18, 0, "0x3", 4},
    {"height_0", 22, 0, "5x0", 4},
    {"width_negative", 18, 0xFFFFFFFB, "negative", 4},
    {"one_row_more", 22, 4, "truncated", 4},
    {"one_row_more_top_down", 22, 0xFFFFFFFC, "truncated", 4},
    {"one_column_more", 18, 6, "truncated", 4},
    {"pixels_in_the_header", 10, 53, "inside its header", 4},
    {"pixels_at_0", 10, 0, "inside its header", 4},
    {"pixels_beyond_the_file", 10, 0x10000, "truncated", 4},
    {"pixels_at_4_gigabytes", 10, 0xFFFFFFFF, "truncated", 4},
    {"twice_the_depth", 28, 32, "truncated", 2},
    {"runs_of_24_bits", 30, 1, "run-length coding for 24 bits", 4},
};

constexpr HeaderField kUnsupportedFields[] = {
    {"bits_0", 28, 0, "0 bits", 2},
    {"bits_3", 28, 3, "3 bits", 2},
    {"bits_64", 28, 64, "64 bits", 2},
    {"jpeg_inside", 30, 4, "compression type 4", 4},
    {"png_inside", 30, 5, "compression type 5", 4},
    {"cmyk", 30, 11, "compression type 11", 4},
    {"header_of_13_bytes", 14, 13, "13-byte header", 4},
    {"header_of_4_gigabytes", 14, 0xFFFFFFFF, "-byte header", 4},
    {"height_beyond_31_bits", 22, 0x80000000, "a side", 4},
    {"a_bomb", 20, 0x7FFF, "--max-pixels", 2},
};

void add_broken_fields(Catalogue& to) {
  const FileBytes plain = make_bmp(kWidth, kHeight, 24, FixedNumbers().colors(kCount));
  for (const HeaderField& field : kDamagedFields) {
    to.add_damaged("bmp_" + std::string(field.what) + ".bmp", with_field(plain, field), field.words);
  }
  for (const HeaderField& field : kUnsupportedFields) {
    to.add_unsupported("bmp_" + std::string(field.what) + ".bmp", with_field(plain, field), field.words);
  }
}

void add_broken_colors(Catalogue& to) {
  for (const int bits : {1, 4, 8}) {
    BmpChoices choices;
    const auto colors = static_cast<std::uint32_t>(bits == 1 ? 1 : 5);
    choices.palette = FixedNumbers().colors(colors);
    Values indices(kCount, 0);
    indices.back() = colors;
    to.add_damaged("bmp_index_beyond_the_palette" + std::to_string(bits) + ".bmp",
                   make_bmp(kWidth, kHeight, bits, indices, choices), "palette has size " + std::to_string(colors));
    choices.palette.clear();
    to.add_damaged("bmp_without_its_palette" + std::to_string(bits) + ".bmp",
                   make_bmp(kWidth, kHeight, bits, Values(kCount, 0), choices), "palette has size 0");
  }
  BmpChoices masks;
  masks.compression = 3;
  masks.palette = {1, 2, 3, 4};
  masks.masks = {0xE0, 0x1C, 3};
  to.add_damaged("bmp_masks_of_8_bits.bmp", make_bmp(kWidth, kHeight, 8, Values(kCount, 0), masks),
                 "masks for 8 bits per pixel");
  masks.palette.clear();
  masks.masks = {0xF800, 0, 0x1F};
  to.add_damaged("bmp_mask_of_no_bits.bmp", make_bmp(kWidth, kHeight, 16, Values(kCount, 0), masks), "mask is empty");
  masks.masks = {0xF8000000, 0x07E0, 0x1F};
  to.add_damaged("bmp_mask_beyond_the_pixel.bmp", make_bmp(kWidth, kHeight, 16, Values(kCount, 0), masks),
                 "mask is empty");
  masks.masks = {0xA800, 0x07E0, 0x1F};
  to.add_damaged("bmp_mask_with_gaps.bmp", make_bmp(kWidth, kHeight, 16, Values(kCount, 0), masks), "not contiguous");
  masks.masks = {0x3FF, 0xFFC00, 0x3FF00000};
  to.add_unsupported("bmp_masks_of_10_bits.bmp", make_bmp(kWidth, kHeight, 32, Values(kCount, 0), masks),
                     "8 bits per channel");
}

void add_broken_runs(Catalogue& to) {
  struct Runs {
    const char* name;
    std::uint32_t compression;
    std::vector<int> bytes;
    const char* words;
  };
  const Runs cases[] = {
      {"a_jump_to_the_right", 1, {0, 2, 9, 0, 0, 1}, "leaves the image"},
      {"a_jump_up", 1, {0, 2, 0, 3, 0, 1}, "leaves the image"},
      {"no_end", 1, {5, 1, 0, 0, 5, 1, 0, 0, 4, 1}, "truncated"},
      {"an_index_beyond_the_palette", 1, {1, 4, 0, 1}, "palette has size 4"},
      {"an_index_beyond_the_palette_in_literals", 1, {0, 3, 1, 4, 1, 0, 0, 1}, "palette has size 4"},
      {"4_bit_index_beyond_the_palette", 2, {2, 0x14, 0, 1}, "palette has size 4"},
  };
  for (const Runs& runs : cases) {
    BmpChoices choices;
    choices.palette = FixedNumbers(7).colors(4);
    choices.compression = runs.compression;
    FileBytes file = make_bmp(kWidth, kHeight, runs.compression == 1 ? 8 : 4, {}, choices);
    for (const int byte : runs.bytes) {
      add_le(file, static_cast<std::uint32_t>(byte), 1);
    }
    to.add_damaged("bmp_runs_with_" + std::string(runs.name) + ".bmp", file, runs.words);
  }
  BmpChoices bomb;
  bomb.palette = {1, 2, 3, 4};
  bomb.compression = 1;
  FileBytes empty = make_bmp(20000, 20000, 8, {}, bomb);
  add_le(empty, 0x0100, 2);
  to.add_unsupported("bmp_runs_for_a_huge_image.bmp", empty, "its data covers at most");
}

}  // namespace

void add_broken_bmps(Catalogue& to) {
  add_broken_fields(to);
  add_broken_colors(to);
  add_broken_runs(to);
}

}  // namespace gpuimg::test
