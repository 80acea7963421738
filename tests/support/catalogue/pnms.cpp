// PNM of all kinds, with many maximum values and header layouts, and broken PNM.
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

/// Values scaled to the full range of 8 or 16 bits, rounded to nearest.
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
      const std::string extension = channels == 1 ? ".pgm" : ".ppm";
      const int bytes_each = maximum > 255 ? 2 : 1;
      const auto count = kCount * static_cast<std::size_t>(channels);
      Values values = FixedNumbers(maximum).values(count, maximum + 1);
      to.add_good(name + extension, make_pnm(header, values, bytes_each), expected_of(values, channels, maximum));
      if (maximum != 255 && maximum != 65535) {
        values.back() = maximum + 1;
        to.add_damaged(name + "_and_beyond" + extension, make_pnm(header, values, bytes_each), "declared maximum");
      }
      values.pop_back();
      to.add_damaged(name + "_a_value_short" + extension, make_pnm(header, values, bytes_each), "truncated");
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
      Header{"crlf_line_ends", "P5\r\n4\r\n3\r\n255\n"},
      Header{"zeros_in_front", "P5 0004 0003 00255 "},
      Header{"no_space_after_p5", "P5#c\n4 3 255 "},
      Header{"a_comment_behind_the_maximum", "P5\n4 3\n255# 1 2\n"},
      Header{"a_comment_behind_the_maximum_cr", "P5 4 3 255##\r"},
  };
  const Values values = FixedNumbers().values(kCount, 256);
  for (const Header& header : kSound) {
    to.add_good("pnm_header_with_" + std::string(header.name) + ".pgm", make_pnm(header.text, values, 1),
                expected_of(values, 1, 255));
  }
  to.add_good_and_more("pnm_followed_by_a_second_image.pgm", make_pnm("P5\n4 3\n255\n", values, 1),
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
      Header{"three_channels_but_data_for_one", "P6\n4 3\n255\n"},
  };
  for (const Header& header : kBroken) {
    to.add_damaged("pnm_header_with_" + std::string(header.name) + ".pgm",
                   make_pnm(header.text, Values(kCount, 0x30), 1));
  }
  to.add_unsupported("pnm_of_a_bomb.pgm", make_pnm("P5\n40000 40000\n255\n", values, 1), "--max-pixels");
  to.add_unsupported("pnm_of_a_longer_bomb.ppm", make_pnm("P6\n4294967295 4294967295\n255\n", values, 1), "a side");
}

std::string pam_header(int channels, std::uint32_t maximum, const std::string& type) {
  return "P7\n# made here\nWIDTH 4\nHEIGHT 3\n\nDEPTH " + std::to_string(channels) + "\nMAXVAL " +
         std::to_string(maximum) + "\n" + (type.empty() ? "" : "TUPLTYPE " + type + "\n") + "ENDHDR\n";
}

void add_pams(Catalogue& to) {
  constexpr std::array kTypes = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
  for (int channels = 1; channels <= 4; ++channels) {
    for (const std::uint32_t maximum : {1U, 100U, 255U, 1000U, 65535U}) {
      for (const bool is_typed : {false, true}) {
        const Values values = FixedNumbers(maximum).values(kCount * static_cast<std::size_t>(channels), maximum + 1);
        const std::string type = is_typed ? kTypes.at(static_cast<std::size_t>(channels - 1)) : "";
        to.add_good("pnm_pam_of_" + std::to_string(channels) + "_to_" + std::to_string(maximum) +
                        (is_typed ? "_typed" : "") + ".pam",
                    make_pnm(pam_header(channels, maximum, type), values, maximum > 255 ? 2 : 1),
                    expected_of(values, channels, maximum));
      }
    }
  }
  const Values values(kCount * 4, 0);
  to.add_unsupported("pnm_pam_of_cmyk.pam", make_pnm(pam_header(4, 255, "CMYK"), values, 1), "of type CMYK");
  to.add_unsupported("pnm_pam_of_5_channels.pam", make_pnm(pam_header(5, 255, ""), values, 1), "5 channels");
  to.add_unsupported("pnm_pam_of_a_wrong_type.pam", make_pnm(pam_header(3, 255, "GRAYSCALE"), values, 1),
                     "3 channels of type GRAYSCALE");
  to.add_damaged("pnm_pam_of_an_unknown_line.pam", make_pnm("P7\nWIDE 4\nENDHDR\n", values, 1), "unknown line WIDE");
  to.add_damaged("pnm_pam_of_no_number.pam", make_pnm("P7\nWIDTH four\nENDHDR\n", values, 1), "WIDTH");
  to.add_damaged("pnm_pam_without_size.pam", make_pnm("P7\nDEPTH 1\nMAXVAL 9\nENDHDR\n", values, 1), "0x0");
  to.add_damaged("pnm_pam_without_maximum.pam", make_pnm("P7\nWIDTH 4\nHEIGHT 3\nDEPTH 1\nENDHDR\n", values, 1),
                 "maximum value is 0");
}

std::string written_out(const Values& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += std::to_string(values[i]) + (i % 5 == 4 ? "\n" : i % 5 == 3 ? " # a comment\n" : " \t");
  }
  return text;
}

void add_texts(Catalogue& to) {
  for (const std::uint32_t maximum : {1U, 9U, 100U, 255U, 256U, 65535U}) {
    for (const int channels : {1, 3}) {
      Values values = FixedNumbers(maximum).values(kCount * static_cast<std::size_t>(channels), maximum + 1);
      values.back() = maximum / 10;  // small enough that another digit could follow
      const std::string header = std::string(channels == 1 ? "P2" : "P3") + " 4 3 " + std::to_string(maximum) + "\n";
      const std::string name = (channels == 1 ? "pnm_gray_text_to_" : "pnm_color_text_to_") + std::to_string(maximum);
      const std::string extension = channels == 1 ? ".pgm" : ".ppm";
      const std::string text = written_out(values);
      const std::size_t kept = text.find_last_of("0123456789") + 2;
      to.add_good_with_rest(name + extension, bytes_of(header + text), text.size() - kept,
                            expected_of(values, channels, maximum), "", "");
      to.add_damaged(name + "_that_may_be_cut" + extension, bytes_of(header + text.substr(0, kept - 1)), "truncated");
      values.back() = maximum;
      const std::string to_the_last_digit =
          written_out(values).substr(0, written_out(values).find_last_of("0123456789") + 1);
      to.add_good(name + "_ending_in_a_digit" + extension, bytes_of(header + to_the_last_digit),
                  expected_of(values, channels, maximum));
      values.front() = maximum + 1;
      to.add_damaged(name + "_and_beyond" + extension, bytes_of(header + written_out(values)), "declared maximum");
    }
  }
  to.add_damaged("pnm_text_of_letters.pgm", bytes_of("P2 4 3 255\n1 2 3 4 5 6 7 8 9 10 11 x\n"), "not all numbers");
  to.add_damaged("pnm_text_of_a_sign.pgm", bytes_of("P2 4 3 255\n1 2 3 4 5 6 7 8 9 10 -1 1\n"), "not all numbers");
}

void add_bitmaps(Catalogue& to) {
  for (const int width : {1, 7, 8, 9, 17}) {
    const Values bits = FixedNumbers(static_cast<std::uint32_t>(width)).values(static_cast<std::size_t>(width) * 3, 2);
    const auto shown = [&] {
      return image_of_pixels(width, 3, {Sample::u8, 1},
                             [&](std::size_t i) { return Values{bits[i] == 1 ? 0U : 255U}; });
    };
    const std::string size = std::to_string(width) + " 3\n";
    std::string digits;
    FileBytes binary = bytes_of("P4\n#\n" + size);
    for (std::size_t y = 0; y < 3; ++y) {
      FileBytes row((static_cast<std::size_t>(width) + 7) / 8);
      for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) {
        const std::uint32_t bit = bits[y * static_cast<std::size_t>(width) + x];
        row[x / 8] |= static_cast<std::byte>(bit << (7 - x % 8));
        digits += std::to_string(bit) + (x % 3 == 2 ? "\n" : "");
      }
      add_bytes(binary, row);
    }
    while (digits.back() == '\n') {
      digits.pop_back();
    }
    to.add_good("pnm_bits_" + std::to_string(width) + "_wide.pbm", binary, shown());
    to.add_good("pnm_bits_as_text_" + std::to_string(width) + "_wide.pbm", bytes_of("P1 " + size + digits), shown());
  }
  to.add_damaged("pnm_bits_as_text_with_a_2.pbm", bytes_of("P1 3 1\n012"), "not all 0 or 1");
}

}  // namespace

void add_pnms(Catalogue& to) {
  add_maximum_values(to);
  add_headers(to);
  add_pams(to);
  add_texts(to);
  add_bitmaps(to);
}

}  // namespace gpuimg::test
