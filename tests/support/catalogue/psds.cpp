// PSD with all supported depths, compressions and channel counts, and broken PSD.
#include <algorithm>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/fixed_numbers.hpp"
#include "support/small_formats.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

using Values = std::vector<std::uint32_t>;

constexpr int kWidth = 6;
constexpr int kHeight = 3;
constexpr std::size_t kCount = 18;

struct Kind {
  const char* name;
  int mode;
  int color_planes;
  int bits;
};

constexpr Kind kKinds[] = {{"bitmap", 0, 1, 1},  {"gray", 1, 1, 8},    {"gray16", 1, 1, 16},
                           {"indexed", 2, 1, 8}, {"rgb", 3, 3, 8},     {"rgb16", 3, 3, 16},
                           {"cmyk", 4, 4, 8},    {"cmyk16", 4, 4, 16}, {"duotone", 8, 1, 8}};

/// `number` / `by`, rounded to nearest.
std::uint32_t rounded(std::uint64_t number, std::uint64_t by) {
  return static_cast<std::uint32_t>((2 * number + by) / (2 * by));
}

Values colors_of(const Kind& kind, const Values& planes, const FileBytes& table, std::size_t i) {
  const std::uint64_t full = kind.bits == 16 ? 65535 : 255;
  switch (kind.mode) {
    case 0: return {planes[i] == 1 ? 0U : 255U};
    case 2: {
      Values color;
      for (std::size_t c = 0; c < 3; ++c) {
        color.push_back(std::to_integer<std::uint32_t>(table[c * 256 + planes[i]]));
      }
      return color;
    }
    case 3: return {planes[i], planes[kCount + i], planes[2 * kCount + i]};
    case 4: {
      Values color;
      for (std::size_t c = 0; c < 3; ++c) {
        color.push_back(rounded(std::uint64_t{planes[c * kCount + i]} * planes[3 * kCount + i], full));
      }
      return color;
    }
    default: return {planes[i]};
  }
}

void add_sound_psd(Catalogue& to, const Kind& kind, const PsdChoices& choices, int extra) {
  const int channels = kind.color_planes + extra;
  const Values planes = FixedNumbers(static_cast<std::uint32_t>(kind.bits + channels))
                            .values(kCount * static_cast<std::size_t>(channels), 1U << kind.bits);
  const int shown = kind.mode >= 2 && kind.mode <= 4 ? 3 : 1;
  const PixelFormat format{kind.bits == 16 ? Sample::u16 : Sample::u8, shown + (choices.transparent ? 1 : 0)};
  const std::string name = "psd_" + std::string(kind.name) + "_" + std::to_string(channels) + "_channels" +
                           (choices.run_length ? "_runs" : "") + (choices.row_spare > 0 ? "_spare" : "") +
                           (choices.transparent ? "_transparent" : "") + (choices.is_large ? ".psb" : ".psd");
  const bool has_extra = extra > (choices.transparent ? 1 : 0);
  if (has_extra && kind.mode >= 4) {
    return;  // such a file would have two notes
  }
  to.add_good((choices.is_large ? "large_" : "") + name,
              make_psd(kWidth, kHeight, channels, kind.bits, planes, choices),
              image_of_pixels(kWidth, kHeight, format,
                              [&](std::size_t i) {
                                Values colors = colors_of(kind, planes, choices.colors, i);
                                const std::size_t alpha = static_cast<std::size_t>(kind.color_planes) * kCount + i;
                                if (choices.transparent) {
                                  colors.push_back(planes[alpha]);
                                }
                                return colors;
                              }),
              has_extra        ? "extra channels"
              : kind.mode == 4 ? "CMYK"
              : kind.mode == 8 ? "duotone"
                               : "");
}

void add_sound(Catalogue& to) {
  for (const Kind& kind : kKinds) {
    for (const bool is_large : {false, true}) {
      for (const bool run_length : {false, true}) {
        PsdChoices choices;
        choices.mode = kind.mode;
        choices.is_large = is_large;
        choices.run_length = run_length;
        if (kind.mode == 2) {
          choices.colors = FileBytes(768);
          FixedNumbers numbers(3);
          std::generate(choices.colors.begin(), choices.colors.end(),
                        [&] { return static_cast<std::byte>(numbers.below(256)); });
        }
        add_sound_psd(to, kind, choices, 0);
        add_sound_psd(to, kind, choices, kind.mode == 3 ? 54 : 1);
        choices.row_spare = 3;
        if (run_length) {
          add_sound_psd(to, kind, choices, 0);
        }
        choices.transparent = true;
        if (kind.bits > 1) {
          add_sound_psd(to, kind, choices, 1);
          add_sound_psd(to, kind, choices, 2);
        }
      }
    }
  }
}

FileBytes plain_psd() { return make_psd(kWidth, kHeight, 3, 8, FixedNumbers().values(3 * kCount, 256)); }

void add_broken_header(Catalogue& to) {
  struct Field {
    const char* what;
    std::size_t offset;  ///< offset of the number's low byte, or of its only byte that is not 0
    std::uint32_t value;
    Verdict verdict;
    const char* words;
  };
  constexpr Field kFields[] = {
      {"version_3", 5, 3, Verdict::unsupported, "version 3"},
      {"called_large", 5, 2, Verdict::damaged, "truncated"},
      {"bits_1", 23, 1, Verdict::damaged, "RGB pixels of 1 bits"},
      {"bits_4", 23, 4, Verdict::unsupported, "4-bit PSD"},
      {"bits_32", 23, 32, Verdict::unsupported, "32-bit PSD"},
      {"called_bitmap", 25, 0, Verdict::damaged, "bitmap pixels of 8 bits"},
      {"called_indexed", 25, 2, Verdict::damaged, "palette is missing"},
      {"called_cmyk", 25, 4, Verdict::damaged, "3 channels"},
      {"multichannel", 25, 7, Verdict::unsupported, "multichannel"},
      {"lab", 25, 9, Verdict::unsupported, "Lab"},
      {"mode_200", 25, 200, Verdict::unsupported, "an unknown mode"},
      {"deflated", 48, 2, Verdict::unsupported, "deflated"},
      {"deflated_with_prediction", 48, 3, Verdict::unsupported, "deflated"},
      {"a_bomb", 14, 127, Verdict::unsupported, "--max-pixels"},
      {"channels_0", 13, 0, Verdict::damaged, "0 channels"},
      {"channels_2", 13, 2, Verdict::damaged, "2 channels"},
      {"channels_57", 13, 57, Verdict::damaged, "truncated"},
      {"one_channel_more", 13, 4, Verdict::damaged, "truncated"},
      {"height_0", 17, 0, Verdict::damaged, "6x0"},
      {"width_0", 21, 0, Verdict::damaged, "0x3"},
      {"one_row_more", 17, 4, Verdict::damaged, "truncated"},
      {"millions_of_rows_more", 15, 255, Verdict::damaged, "truncated"},
      {"one_column_more", 21, 7, Verdict::damaged, "truncated"},
      {"twice_the_depth", 23, 16, Verdict::damaged, "truncated"},
      {"color_data_beyond_the_file", 26, 255, Verdict::damaged, "truncated"},
      {"resources_beyond_the_file", 30, 255, Verdict::damaged, "truncated"},
      {"layers_beyond_the_file", 40, 255, Verdict::damaged, "truncated"},
      {"called_run_length", 48, 1, Verdict::damaged, "truncated"},
  };
  for (const Field& field : kFields) {
    FileBytes file = plain_psd();
    file.at(field.offset) = static_cast<std::byte>(field.value);
    const std::string name = "psd_" + std::string(field.what) + ".psd";
    field.verdict == Verdict::damaged ? to.add_damaged(name, file, field.words)
                                      : to.add_unsupported(name, file, field.words);
  }
}

void add_broken_runs(Catalogue& to) {
  const FileBytes sound = make_psd(kWidth, kHeight, 3, 8, Values(3 * kCount, 7), {.run_length = true});
  constexpr std::size_t kTable = 26 + 4 + 10 + 7 + 2;  // after three sections and the compression field
  constexpr std::size_t kRows = kTable + 2 * 9;
  const auto with = [&](std::size_t offset, std::uint32_t value) {
    FileBytes file = sound;
    file.at(offset) = static_cast<std::byte>(value);
    return file;
  };
  to.add_damaged("psd_row_longer_than_the_file.psd", with(kTable, 255), "truncated");
  to.add_damaged("psd_first_row_of_one_byte_less.psd", with(kTable + 1, 1));
  to.add_damaged("psd_last_row_of_one_byte_more.psd", with(kTable + 17, 3), "truncated");
  to.add_damaged("psd_run_beyond_its_plane.psd", with(kRows, 200));
  to.add_damaged("psd_run_too_short.psd", with(kRows, 253));
  to.add_damaged("psd_literals_in_place_of_a_run.psd", with(kRows + 16, 3));
}

}  // namespace

void add_psds(Catalogue& to) {
  add_sound(to);
  add_broken_header(to);
  add_broken_runs(to);
}

}  // namespace gpuimg::test
