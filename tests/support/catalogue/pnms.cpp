// PNM with many maximum values and header layouts, and broken PNM.
#include <array>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/fixed_numbers.hpp"
#include "support/small_formats.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

using Values = std::vector<std::uint32_t>;

constexpr int kWidth = 4;
constexpr int kHeight = 3;
constexpr std::size_t kCount = 12;

/// Scaled to the full range of 8 or 16 bits, rounded to nearest.
Image expected_of(const Values& values, int channels, std::uint64_t maximum) {
  const PixelFormat format{maximum > 255 ? Sample::u16 : Sample::u8, channels};
  const std::uint64_t full = format.max_value();
  return image_of_pixels(kWidth, kHeight, format, [&](std::size_t i) {
    Values pixel;
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
      const std::uint64_t value = values[i * static_cast<std::size_t>(channels) + c];
      pixel.push_back(static_cast<std::uint32_t>((2 * value * full + maximum) / (2 * maximum)));
    }
    return pixel;
  });
}

void add_maximum_values(Catalogue& to) {
  for (const std::uint32_t maximum : {1U, 2U, 100U, 254U, 255U, 256U, 1023U, 4095U, 65534U, 65535U}) {
    for (const int channels : {1, 3}) {
      const std::string header = std::string(channels == 1 ? "P5" : "P6") + "\n4 3\n" + std::to_string(maximum) + "\n";
      const std::string name = (channels == 1 ? "pnm_gray_to_" : "pnm_color_to_") + std::to_string(maximum);
      const std::string ending = channels == 1 ? ".pgm" : ".ppm";
      const int bytes_each = maximum > 255 ? 2 : 1;
      const auto count = kCount * static_cast<std::size_t>(channels);
      Values values = FixedNumbers(maximum).values(count, maximum + 1);
      to.add_good(name + ending, make_pnm(header, values, bytes_each), expected_of(values, channels, maximum));
      if (maximum != 255 && maximum != 65535) {
        values.back() = maximum + 1;
        to.add_damaged(name + "_and_beyond" + ending, make_pnm(header, values, bytes_each), "declared maximum");
      }
      values.pop_back();
      to.add_damaged(name + "_a_value_short" + ending, make_pnm(header, values, bytes_each), "truncated");
    }
  }
}

void add_headers(Catalogue& to) {
  struct Header {
    const char* name;
    const char* text;
  };
  constexpr std::array kSound = {
      Header{"comments", "P5\n# one\n4 # two\n3\n#three\n255\n"},
      Header{"tabs", "P5\t4\t3\t255\t"},
      Header{"line_ends_of_two", "P5\r\n4\r\n3\r\n255\n"},
      Header{"zeros_in_front", "P5 0004 0003 00255 "},
      Header{"no_space_after_p5", "P5#c\n4 3 255 "},
  };
  const Values values = FixedNumbers().values(kCount, 256);
  for (const Header& header : kSound) {
    to.add_good("pnm_header_with_" + std::string(header.name) + ".pgm", make_pnm(header.text, values, 1),
                expected_of(values, 1, 255));
  }
  to.add_good_and_more("pnm_second_image_after_it.pgm", make_pnm("P5\n4 3\n255\n", values, 1),
                       make_pnm("P5\n4 3\n255\n", values, 1), expected_of(values, 1, 255));
  constexpr std::array kBroken = {
      Header{"width_0", "P5\n0 3\n255\n"},
      Header{"height_0", "P5\n4 0\n255\n"},
      Header{"maximum_0", "P5\n4 3\n0\n"},
      Header{"maximum_65536", "P5\n4 3\n65536\n"},
      Header{"letters", "P5\nx 3\n255\n"},
      Header{"a_sign", "P5\n-4 3\n255\n"},
      Header{"a_fraction", "P5\n4.0 3\n255\n"},
      Header{"an_absurd_number", "P5\n99999999999999999999 1\n255\n"},
      Header{"no_space_at_its_end", "P5\n4 3\n255x"},
      Header{"an_endless_comment", "P5\n4 3 # 255 "},
      Header{"a_row_more", "P5\n4 4\n255\n"},
      Header{"two_bytes_each", "P5\n4 3\n256\n"},
      Header{"three_channels_of_one", "P6\n4 3\n255\n"},
  };
  for (const Header& header : kBroken) {
    to.add_damaged("pnm_header_with_" + std::string(header.name) + ".pgm",
                   make_pnm(header.text, Values(kCount, 0x30), 1));
  }
  to.add_unsupported("pnm_of_a_bomb.pgm", make_pnm("P5\n40000 40000\n255\n", values, 1), "--max-pixels");
  to.add_unsupported("pnm_of_a_longer_bomb.ppm", make_pnm("P6\n4294967295 4294967295\n255\n", values, 1), "a side");
}

}  // namespace

void add_pnms(Catalogue& to) {
  add_maximum_values(to);
  add_headers(to);
}

}  // namespace gpuimg::test
