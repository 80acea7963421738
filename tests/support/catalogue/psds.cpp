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
constexpr int kRgbMode = 3;

void add_sound(Catalogue& to) {
  for (const int bits : {8, 16}) {
    for (const int channels : {3, 4, 5, 56, 57}) {
      for (const bool run_length : {false, true}) {
        if (run_length && bits == 16) {
          continue;
        }
        const Values planes = FixedNumbers(static_cast<std::uint32_t>(bits + channels))
                                  .values(kCount * static_cast<std::size_t>(channels), run_length ? 2 : 1U << bits);
        const std::string name = "psd_" + std::to_string(bits) + "_bits_" + std::to_string(channels) + "_channels" +
                                 (run_length ? "_runs" : "") + ".psd";
        to.add_good(name, make_psd(kWidth, kHeight, channels, bits, planes, run_length),
                    image_of_pixels(kWidth, kHeight, {bits == 16 ? Sample::u16 : Sample::u8, 3},
                                    [&](std::size_t i) {
                                      return Values{planes[i], planes[kCount + i], planes[2 * kCount + i]};
                                    }),
                    channels > 3 ? "extra channels" : "");
      }
    }
  }
}

FileBytes plain_psd() { return make_psd(kWidth, kHeight, 3, 8, FixedNumbers().values(3 * kCount, 256), false); }

void add_broken_header(Catalogue& to) {
  struct Field {
    const char* what;
    std::size_t offset;  ///< of the low byte of a number, or of its only byte that is not 0
    std::uint32_t value;
    Verdict verdict;
    const char* words;
  };
  constexpr Field kFields[] = {
      {"large_document", 5, 2, Verdict::unsupported, "PSB"},
      {"bits_1", 23, 1, Verdict::unsupported, "1-bit PSD"},
      {"bits_32", 23, 32, Verdict::unsupported, "32-bit PSD"},
      {"bitmap", 25, 0, Verdict::unsupported, "bitmap"},
      {"grayscale", 25, 1, Verdict::unsupported, "grayscale"},
      {"indexed", 25, 2, Verdict::unsupported, "indexed"},
      {"cmyk", 25, 4, Verdict::unsupported, "CMYK"},
      {"multichannel", 25, 7, Verdict::unsupported, "multichannel"},
      {"duotone", 25, 8, Verdict::unsupported, "duotone"},
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
  to.add_unsupported("psd_16_bits_runs.psd", make_psd(kWidth, kHeight, 3, 16, Values(3 * kCount, 0), true, kRgbMode),
                     "16-bit PSD");
}

void add_broken_runs(Catalogue& to) {
  const FileBytes sound = make_psd(kWidth, kHeight, 3, 8, Values(3 * kCount, 7), true);
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
