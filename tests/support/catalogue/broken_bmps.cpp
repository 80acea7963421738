// Broken BMP: fields of its header, and indices beyond its palette.
#include <algorithm>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/fixed_numbers.hpp"
#include "support/small_formats.hpp"

namespace gpuimg::test {
namespace {

using Values = std::vector<std::uint32_t>;

constexpr int kWidth = 5;
constexpr int kHeight = 3;
constexpr std::size_t kCount = 15;

FileBytes with_number(FileBytes file, std::size_t offset, std::uint32_t value, int bytes) {
  FileBytes number;
  add_le(number, value, bytes);
  std::copy(number.begin(), number.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
  return file;
}

struct Field {
  const char* what;
  std::size_t offset;
  std::uint32_t value;
  int bytes;
  const char* words;
};

constexpr Field kDamagedFields[] = {
    {"width_0", 18, 0, 4, "0x3"},
    {"height_0", 22, 0, 4, "5x0"},
    {"width_negative", 18, 0xFFFFFFFB, 4, "negative"},
    {"one_row_more", 22, 4, 4, "truncated"},
    {"one_row_more_top_down", 22, 0xFFFFFFFC, 4, "truncated"},
    {"one_column_more", 18, 6, 4, "truncated"},
    {"pixels_in_the_header", 10, 53, 4, "inside its header"},
    {"pixels_at_0", 10, 0, 4, "inside its header"},
    {"pixels_beyond_the_file", 10, 0x10000, 4, "truncated"},
    {"pixels_at_4_gigabytes", 10, 0xFFFFFFFF, 4, "truncated"},
    {"twice_the_depth", 28, 32, 2, "truncated"},
    {"masks_of_24_bits", 30, 3, 4, "masks"},
};

constexpr Field kUnsupportedFields[] = {
    {"bits_0", 28, 0, 2, "0 bits"},
    {"bits_2", 28, 2, 2, "2 bits"},
    {"bits_64", 28, 64, 2, "64 bits"},
    {"run_length_8", 30, 1, 4, "run-length"},
    {"run_length_4", 30, 2, 4, "run-length"},
    {"jpeg_inside", 30, 4, 4, "compression kind 4"},
    {"png_inside", 30, 5, 4, "compression kind 5"},
    {"cmyk", 30, 11, 4, "compression kind 11"},
    {"header_of_13_bytes", 14, 13, 4, "header of 13 bytes"},
    {"header_of_4_gigabytes", 14, 0xFFFFFFFF, 4, "header of"},
    {"height_of_31_bits", 22, 0x80000000, 4, "a side"},
    {"a_bomb", 20, 0x7FFF, 2, "--max-pixels"},
};

void add_broken_fields(Catalogue& to) {
  const FileBytes plain = make_bmp(kWidth, kHeight, 24, FixedNumbers().colors(kCount));
  for (const Field& field : kDamagedFields) {
    to.add_damaged("bmp_" + std::string(field.what) + ".bmp",
                   with_number(plain, field.offset, field.value, field.bytes), field.words);
  }
  for (const Field& field : kUnsupportedFields) {
    to.add_unsupported("bmp_" + std::string(field.what) + ".bmp",
                       with_number(plain, field.offset, field.value, field.bytes), field.words);
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
                   make_bmp(kWidth, kHeight, bits, indices, choices), "palette of " + std::to_string(colors));
    choices.palette.clear();
    to.add_damaged("bmp_without_its_palette" + std::to_string(bits) + ".bmp",
                   make_bmp(kWidth, kHeight, bits, Values(kCount, 0), choices), "palette of 0");
  }
  BmpChoices masks;
  masks.compression = 3;
  masks.masks = {0xF800, 0, 0x1F};
  to.add_damaged("bmp_mask_of_no_bits.bmp", make_bmp(kWidth, kHeight, 16, Values(kCount, 0), masks), "no bits");
  masks.masks = {0xF8000000, 0x07E0, 0x1F};
  to.add_damaged("bmp_mask_beyond_the_pixel.bmp", make_bmp(kWidth, kHeight, 16, Values(kCount, 0), masks), "no bits");
  masks.masks = {0xA800, 0x07E0, 0x1F};
  to.add_damaged("bmp_mask_with_gaps.bmp", make_bmp(kWidth, kHeight, 16, Values(kCount, 0), masks), "side by side");
  masks.masks = {0x3FF, 0xFFC00, 0x3FF00000};
  to.add_unsupported("bmp_masks_of_10_bits.bmp", make_bmp(kWidth, kHeight, 32, Values(kCount, 0), masks),
                     "8 bits a channel");
}

}  // namespace

void add_broken_bmps(Catalogue& to) {
  add_broken_fields(to);
  add_broken_colors(to);
}

}  // namespace gpuimg::test
