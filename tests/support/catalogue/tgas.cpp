// Valid TGA of all kinds, row orders and compressions, and broken TGA.
#include <array>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/fixed_numbers.hpp"
#include "support/catalogue/header_field.hpp"
#include "support/small_formats.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

using Values = std::vector<std::uint32_t>;

constexpr int kWidth = 5;
constexpr int kHeight = 3;
constexpr std::size_t kCount = 15;

/// 5 bits per channel, scaled to 255 and rounded down.
Values of_15_bits(std::uint32_t stored) {
  return {((stored >> 10) & 31U) * 255 / 31, ((stored >> 5) & 31U) * 255 / 31, (stored & 31U) * 255 / 31};
}

Values of_16_bits(std::uint32_t stored) {
  Values channels = of_15_bits(stored);
  channels.push_back((stored >> 15) * 255);
  return channels;
}

Values channels_of(std::uint32_t stored, int bits) {
  return bits <= 16 ? of_15_bits(stored) : bits == 24 ? rgb_of(stored) : argb_of(stored);
}

struct Kind {
  const char* name;
  int kind;
  int bits;
  int map_bits;        ///< 0 without a map
  int alpha_bits = 0;  ///< as the header declares
};

constexpr std::array kKinds = {
    Kind{"gray8", 3, 8, 0},
    Kind{"gray_alpha16", 3, 16, 0},
    Kind{"color15", 2, 15, 0},
    Kind{"color16", 2, 16, 0},
    Kind{"color24", 2, 24, 0},
    Kind{"color32", 2, 32, 0},
    Kind{"map15", 1, 8, 15},
    Kind{"map16", 1, 8, 16},
    Kind{"map24", 1, 8, 24},
    Kind{"map32", 1, 8, 32},
    Kind{"map24_index16", 1, 16, 24},
    Kind{"color16_with_alpha", 2, 16, 0, 1},
    Kind{"map16_with_alpha", 1, 8, 16, 1},
};

/// Values with runs. The alpha is neither 0 everywhere nor 255 everywhere.
Values stored_values(const Kind& kind, FixedNumbers& numbers) {
  Values values = kind.map_bits != 0 ? numbers.values(kCount, 4)
                  : kind.bits <= 16  ? numbers.values(kCount, 1U << kind.bits)
                                     : numbers.colors(kCount);
  values[6] = values[7] = values[8] = values[5];
  for (std::size_t i = 0; kind.bits == 32 && i < kCount; ++i) {
    values[i] |= i << 27;
  }
  return values;
}

Image expected_of(const Kind& kind, const Values& values, const Values& map, int map_start) {
  const int shown_bits = kind.map_bits != 0 ? kind.map_bits : kind.bits;
  const int channels = kind.kind == 3 ? kind.bits / 8 : shown_bits == 32 || kind.alpha_bits > 0 ? 4 : 3;
  return image_of_pixels(kWidth, kHeight, {Sample::u8, channels}, [&](std::size_t i) {
    if (kind.kind == 3) {
      return Values{values[i] & 255U, values[i] >> 8};
    }
    const std::uint32_t stored =
        kind.map_bits != 0 ? map[values[i] - static_cast<std::uint32_t>(map_start)] : values[i];
    return kind.alpha_bits > 0 ? of_16_bits(stored) : channels_of(stored, shown_bits);
  });
}

void add_every_kind(Catalogue& to) {
  for (const Kind& kind : kKinds) {
    for (int order = 0; order < 4; ++order) {
      for (const bool run_length : {false, true}) {
        FixedNumbers numbers(static_cast<std::uint32_t>(kind.bits + kind.map_bits));
        TgaChoices choices;
        choices.top_down = (order & 1) != 0;
        choices.right_to_left = (order & 2) != 0;
        choices.run_length = run_length;
        choices.alpha_bits = kind.alpha_bits;
        Values values = stored_values(kind, numbers);
        if (kind.map_bits != 0) {
          choices.map_bits = kind.map_bits;
          choices.map = kind.map_bits <= 16 ? numbers.values(4, 1U << (15 + kind.alpha_bits)) : numbers.colors(4);
          choices.map_start = order;
          for (std::size_t i = 0; kind.map_bits == 32 && i < 4; ++i) {
            choices.map[i] |= i << 29;
          }
          for (std::uint32_t& value : values) {
            value += static_cast<std::uint32_t>(order);
          }
        }
        const std::string name = std::string("tga_") + kind.name + (choices.top_down ? "_top_down" : "") +
                                 (choices.right_to_left ? "_right_to_left" : "") + (run_length ? "_runs" : "");
        to.add_good(name + ".tga", make_tga(kind.kind, kWidth, kHeight, kind.bits, values, choices),
                    expected_of(kind, values, choices.map, choices.map_start));
      }
    }
  }
}

FileBytes footer() {
  FileBytes bytes(8);
  add_text(bytes, "TRUEVISION-XFILE.");
  add_le(bytes, 0, 1);
  return bytes;
}

void add_variants(Catalogue& to) {
  const Values colors = FixedNumbers().colors(kCount);
  const auto rgb = [&] {
    return image_of_pixels(kWidth, kHeight, {Sample::u8, 3}, [&](std::size_t i) { return rgb_of(colors[i]); });
  };
  TgaChoices choices;
  choices.id = "identification";
  to.add_good("tga_with_identification.tga", make_tga(2, kWidth, kHeight, 24, colors, choices), rgb());
  FileBytes by_footer = make_tga(2, kWidth, kHeight, 24, colors);
  to.add_good_and_more("tga_with_footer.tga", by_footer, footer(), rgb());
  add_bytes(by_footer, footer());
  to.add_good("tga_by_its_footer_alone.img", by_footer, rgb());
  to.add_good("tga_32_bits_without_alpha.tga", make_tga(2, kWidth, kHeight, 32, colors), rgb());
  choices.id.clear();
  choices.map = {1, 2, 3};
  to.add_good("tga_color_with_a_map_besides.tga", make_tga(2, kWidth, kHeight, 24, colors, choices), rgb());
}

constexpr HeaderField kDamagedFields[] = {
    {"map_kind_2", 1, 2, "known image format"},
    {"kind_0", 2, 0, "known image format"},
    {"kind_4", 2, 4, "known image format"},
    {"kind_32_huffman", 2, 32, "known image format"},
    {"bits_12", 16, 12, "known image format"},
    {"bits_64", 16, 64, "known image format"},
    {"width_0", 12, 0, "0x3"},
    {"height_0", 14, 0, "5x0"},
    {"one_row_more", 14, 4, "truncated"},
    {"one_column_more", 12, 6, "truncated"},
    {"identification_longer_than_the_file", 0, 255, "truncated"},
    {"mapped_without_a_map", 2, 1, "color map is missing"},
    {"called_run_length", 2, 10, ""},
    {"bits_32_of_24", 16, 32, "truncated"},
};

constexpr HeaderField kUnsupportedFields[] = {
    {"color_of_8_bits", 16, 8, "type 2 with 8 bits"},
    {"gray_of_24_bits", 2, 3, "type 3 with 24 bits"},
    {"interleaved", 17, 0x40, "interleaved"},
};

void add_broken_fields(Catalogue& to) {
  const FileBytes plain = make_tga(2, kWidth, kHeight, 24, FixedNumbers().colors(kCount));
  for (const HeaderField& field : kDamagedFields) {
    to.add_damaged("tga_" + std::string(field.what) + ".tga", with_field(plain, field), field.words);
  }
  for (const HeaderField& field : kUnsupportedFields) {
    to.add_unsupported("tga_" + std::string(field.what) + ".tga", with_field(plain, field), field.words);
  }
  to.add_damaged("tga_of_text.tga", bytes_of("Just some words, long enough to be a header.\n"), "text");
  to.add_damaged("tga_without_its_extension.img", plain, "known image format");
}

void add_broken_maps_and_runs(Catalogue& to) {
  const Values indices = FixedNumbers().values(kCount, 3);
  TgaChoices choices;
  choices.map = {1, 2};
  to.add_damaged("tga_index_beyond_the_map.tga", make_tga(1, kWidth, kHeight, 8, indices, choices), "color map");
  choices.run_length = true;
  to.add_damaged("tga_index_beyond_the_map_runs.tga", make_tga(1, kWidth, kHeight, 8, indices, choices), "color map");
  choices.map = {1, 2, 3};
  choices.map_start = 1;
  to.add_damaged("tga_index_before_the_map.tga", make_tga(1, kWidth, kHeight, 8, indices, choices), "color map");
  choices.map_start = 0xFFFE;
  to.add_damaged("tga_map_too_long.tga", make_tga(1, kWidth, kHeight, 8, indices, choices), "too long");
  choices.map_start = 0;
  choices.map_bits = 8;
  to.add_damaged("tga_map_of_8_bits.tga", make_tga(1, kWidth, kHeight, 8, indices, choices), "unknown depth");
  TgaChoices runs;
  runs.run_length = true;
  FileBytes file = make_tga(3, kWidth, kHeight, 8, Values(kCount, 9), runs);
  file.at(18) = std::byte{0x8F};
  to.add_damaged("tga_run_beyond_the_end.tga", file, "past the last pixel");
  file.at(18) = std::byte{0x8D};
  to.add_damaged("tga_run_too_short.tga", file, "truncated");
}

}  // namespace

void add_tgas(Catalogue& to) {
  add_every_kind(to);
  add_variants(to);
  add_broken_fields(to);
  add_broken_maps_and_runs(to);
}

}  // namespace gpuimg::test
