// Valid BMP with all headers, depths and channel layouts.
#include <array>
#include <bit>
#include <utility>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/fixed_numbers.hpp"
#include "support/small_formats.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

using Values = std::vector<std::uint32_t>;

constexpr int kWidth = 5;
constexpr int kHeight = 3;
constexpr std::size_t kCount = 15;

Image rgb_image(const Values& colors) {
  return image_of_pixels(kWidth, kHeight, {Sample::u8, 3}, [&](std::size_t i) { return rgb_of(colors[i]); });
}

/// Adds a file of uncompressed rows. If its last row ends with padding, a file without the padding still has all
/// pixels.
void add_rows(Catalogue& to, const std::string& name, FileBytes file, int bits, Image expected) {
  const int unused_bits = (32 - kWidth * bits % 32) % 32;
  to.add_good_with_rest(name, std::move(file), static_cast<std::size_t>(unused_bits / 8), std::move(expected), "",
                        "the padding of its last row is missing");
}

void add_palettes(Catalogue& to) {
  for (const int bits : {1, 2, 4, 8}) {
    const std::size_t colors = bits == 8 ? 11 : std::size_t{1} << bits;
    for (const int header_bytes : {12, 16, 40, 64, 108, 124}) {
      for (const bool top_down : {false, true}) {
        if (top_down && header_bytes == 12) {
          continue;
        }
        FixedNumbers numbers(static_cast<std::uint32_t>(bits * 1000 + header_bytes));
        BmpChoices choices;
        choices.header_bytes = header_bytes;
        choices.top_down = top_down;
        choices.palette = numbers.colors(colors);
        choices.colors_used = header_bytes == 40 ? static_cast<std::uint32_t>(colors) : 0;
        const Values indices = numbers.values(kCount, static_cast<std::uint32_t>(colors));
        Values shown;
        for (const std::uint32_t index : indices) {
          shown.push_back(choices.palette[index]);
        }
        add_rows(to,
                 "bmp_palette" + std::to_string(bits) + "_header" + std::to_string(header_bytes) +
                     (top_down ? "_top_down" : "") + ".bmp",
                 make_bmp(kWidth, kHeight, bits, indices, choices), bits, rgb_image(shown));
      }
    }
  }
}

void add_direct_color(Catalogue& to) {
  for (const int header_bytes : {12, 40, 56, 64, 108, 124}) {
    for (const bool top_down : {false, true}) {
      if (top_down && header_bytes == 12) {
        continue;
      }
      const Values colors = FixedNumbers(static_cast<std::uint32_t>(header_bytes)).colors(kCount);
      BmpChoices choices;
      choices.header_bytes = header_bytes;
      choices.top_down = top_down;
      const std::string name = "_header" + std::to_string(header_bytes) + (top_down ? "_top_down" : "") + ".bmp";
      add_rows(to, "bmp_24_bits" + name, make_bmp(kWidth, kHeight, 24, colors, choices), 24, rgb_image(colors));
      if (header_bytes != 12) {
        to.add_good("bmp_32_bits" + name, make_bmp(kWidth, kHeight, 32, colors, choices), rgb_image(colors));
      }
    }
  }
  const Values colors = FixedNumbers().colors(kCount);
  BmpChoices gap;
  gap.gap = 7;
  const FileBytes plain = make_bmp(kWidth, kHeight, 32, colors);
  add_rows(to, "bmp_gap_before_the_pixels.bmp", make_bmp(kWidth, kHeight, 24, colors, gap), 24, rgb_image(colors));
  to.add_good_and_more("bmp_bytes_after_the_pixels.bmp", plain, FileBytes(9), rgb_image(colors));
  Values with_alpha = colors;
  with_alpha[4] |= 0x80000000U;
  to.add_good("bmp_32_bits_with_the_reserved_byte_in_use.bmp", make_bmp(kWidth, kHeight, 32, with_alpha),
              rgb_image(colors));
}

/// The bits of a mask, widened to eight by repetition.
std::uint32_t masked(std::uint32_t value, std::uint32_t mask) {
  const int bits = std::popcount(mask);
  const std::uint32_t stored = (value & mask) >> std::countr_zero(mask);
  std::uint32_t wide = 0;
  for (int have = 0; have < 8; have += bits) {
    wide = have + bits <= 8 ? (wide << bits) | stored : (wide << (8 - have)) | (stored >> (bits - 8 + have));
  }
  return wide;
}

struct Masks {
  const char* name;
  int bits;
  Values masks;
};

void add_masks(Catalogue& to) {
  const std::array layouts = {
      Masks{"565", 16, {0xF800, 0x07E0, 0x001F}},
      Masks{"555", 16, {0x7C00, 0x03E0, 0x001F}},
      Masks{"332", 16, {0x00E0, 0x001C, 0x0003}},
      Masks{"4444", 16, {0x0F00, 0x00F0, 0x000F, 0xF000}},
      Masks{"1555", 16, {0x7C00, 0x03E0, 0x001F, 0x8000}},
      Masks{"888_of_24", 24, {0xFF0000, 0x00FF00, 0x0000FF}},
      Masks{"888_of_24_red_first", 24, {0x0000FF, 0x00FF00, 0xFF0000}},
      Masks{"6666_of_24", 24, {0x03F000, 0x000FC0, 0x00003F, 0xFC0000}},
      Masks{"888_red_first", 32, {0x0000FF, 0x00FF00, 0xFF0000}},
      Masks{"888_high", 32, {0xFF000000, 0x00FF0000, 0x0000FF00}},
      Masks{"8888", 32, {0xFF0000, 0x00FF00, 0x0000FF, 0xFF000000}},
      Masks{"8888_alpha_low", 32, {0xFF000000, 0x00FF0000, 0x0000FF00, 0x000000FF}},
      Masks{"767_of_30", 32, {0x1FC00000, 0x0003F000, 0x0000007F}},
  };
  for (const Masks& layout : layouts) {
    for (const int header_bytes : {40, 52, 56, 108, 124}) {
      const bool has_alpha = layout.masks.size() == 4;
      if (has_alpha && header_bytes < 56) {
        continue;
      }
      FixedNumbers numbers(static_cast<std::uint32_t>(header_bytes));
      Values values = numbers.values(kCount, 1U << 16);
      for (std::uint32_t& value : values) {
        value |= layout.bits > 16 ? numbers.below(1U << (layout.bits - 16)) << 16 : 0;
      }
      BmpChoices choices;
      choices.header_bytes = header_bytes;
      choices.compression = 3;
      choices.masks = layout.masks;
      add_rows(to, "bmp_masks_" + std::string(layout.name) + "_header" + std::to_string(header_bytes) + ".bmp",
               make_bmp(kWidth, kHeight, layout.bits, values, choices), layout.bits,
               image_of_pixels(kWidth, kHeight, {Sample::u8, has_alpha ? 4 : 3}, [&](std::size_t i) {
                 Values pixel;
                 for (const std::uint32_t mask : layout.masks) {
                   pixel.push_back(masked(values[i], mask));
                 }
                 return pixel;
               }));
    }
  }
}

struct Runs {
  const char* name;
  int bits;
  std::vector<int> bytes;
  Values indices;  ///< 5×3, top row first
  const char* note = "";
};

/// Rows of 5 pixels, the bottom row first. Pixels that the runs skip have index 0.
void add_runs(Catalogue& to) {
  constexpr const char* kCut = "extends past its row";
  const Values skipped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0};
  const std::array cases = {
      Runs{"8",
           8,
           {5, 1, 0, 0, 0, 5, 1, 2, 3, 0, 1, 0, 0, 0, 4, 2, 1, 3, 0, 1},
           {2, 2, 2, 2, 3, 1, 2, 3, 0, 1, 1, 1, 1, 1, 1}},
      Runs{"8_without_an_end", 8, {5, 1, 0, 0, 5, 2, 0, 0, 5, 3}, {3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1}},
      Runs{"8_with_padding",
           8,
           {8, 1, 0, 0, 7, 2, 0, 0, 0, 8, 1, 2, 3, 0, 2, 1, 1, 1, 0, 0},
           {1, 2, 3, 0, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1}},
      Runs{"8_ended_early", 8, {2, 1, 0, 1}, skipped},
      Runs{"8_with_short_rows", 8, {2, 1, 0, 0, 0, 0, 0, 0}, skipped},
      Runs{"8_with_a_jump", 8, {2, 1, 0, 2, 1, 2, 1, 3, 0, 1}, {0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0}},
      Runs{"4",
           4,
           {5, 0x12, 0, 0, 0, 5, 0x12, 0x30, 0x10, 0, 0, 0, 3, 0x21, 2, 0x33, 0, 1},
           {2, 1, 2, 3, 3, 1, 2, 3, 0, 1, 1, 2, 1, 2, 1}},
      Runs{"8_past_its_row", 8, {9, 1, 0, 0, 3, 2, 6, 3, 0, 1}, {0, 0, 0, 0, 0, 2, 2, 2, 3, 3, 1, 1, 1, 1, 1}, kCut},
      Runs{"8_literals_past_its_row",
           8,
           {0, 9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 0, 0, 0, 2, 2, 0, 1},
           {0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 1, 2, 3, 1, 2},
           kCut},
      Runs{"4_past_its_row", 4, {9, 0x12, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1, 2, 1}, kCut},
  };
  for (const Runs& runs : cases) {
    for (const bool top_down : {false, true}) {
      BmpChoices choices;
      choices.palette = FixedNumbers(7).colors(4);
      choices.compression = runs.bits == 8 ? 1 : 2;
      choices.top_down = top_down;
      FileBytes file = make_bmp(kWidth, kHeight, runs.bits, {}, choices);
      for (const int byte : runs.bytes) {
        add_le(file, static_cast<std::uint32_t>(byte), 1);
      }
      const Image shown = image_of_pixels(kWidth, kHeight, {Sample::u8, 3}, [&](std::size_t i) {
        const std::size_t y = top_down ? kHeight - 1 - i / kWidth : i / kWidth;
        return rgb_of(choices.palette[runs.indices[y * kWidth + i % kWidth]]);
      });
      const bool is_full_before_its_end = runs.bytes.rbegin()[1] == 0 && runs.indices[4] != 0;
      const std::string name = "bmp_runs_" + std::string(runs.name) + (top_down ? "_top_down" : "") + ".bmp";
      to.add_good_with_rest(name, file, is_full_before_its_end ? 2 : 0, shown.clone(), runs.note, runs.note);
    }
  }
}

/// Mask bits outside the 16 of a pixel are ignored, so there is no alpha.
void add_mask_beyond_the_pixel(Catalogue& to) {
  const Values values = FixedNumbers().values(kCount, 1U << 16);
  BmpChoices choices;
  choices.header_bytes = 108;
  choices.compression = 3;
  choices.masks = {0xF800, 0x07E0, 0x001F, 0xFF000000};
  add_rows(to, "bmp_alpha_mask_beyond_the_pixel.bmp", make_bmp(kWidth, kHeight, 16, values, choices), 16,
           image_of_pixels(kWidth, kHeight, {Sample::u8, 3}, [&](std::size_t i) {
             return Values{masked(values[i], 0xF800), masked(values[i], 0x07E0), masked(values[i], 0x001F)};
           }));
}

}  // namespace

void add_sound_bmps(Catalogue& to) {
  add_palettes(to);
  add_direct_color(to);
  add_masks(to);
  add_runs(to);
  add_mask_beyond_the_pixel(to);
}

}  // namespace gpuimg::test
