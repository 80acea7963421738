// Valid JPEG of every supported process, sampling and color space, and with optional segments.
#include <cmath>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/fixed_numbers.hpp"
#include "support/catalogue/jpeg_pictures.hpp"
#include "support/catalogue/jpeg_segments.hpp"
#include "support/icc_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

struct Process {
  const char* name;
  bool progressive;
  bool arithmetic;
};
constexpr Process kProcesses[] = {{"baseline", false, false},
                                  {"progressive", true, false},
                                  {"arithmetic", false, true},
                                  {"progressive_arithmetic", true, true}};

JpegChoices choices_of(const Process& process) {
  JpegChoices choices;
  choices.progressive = process.progressive;
  choices.arithmetic = process.arithmetic;
  return choices;
}

void add_gray_and_color(Catalogue& to) {
  for (const Process& process : kProcesses) {
    for (const int restart_interval : {0, 1}) {
      JpegChoices choices = choices_of(process);
      choices.restart_interval = restart_interval;
      const std::string behind = std::string("_") + process.name + (restart_interval > 0 ? "_restarts" : "") + ".jpg";
      choices.horizontal_sampling = choices.vertical_sampling = 1;
      const FileBytes gray = make_jpeg(small_photo(1).view(), choices);
      to.add_good("jpeg_gray" + behind, gray, read_with_libjpeg(gray));
      for (const int sampling : {11, 21, 12, 22, 41}) {
        choices.horizontal_sampling = sampling / 10;
        choices.vertical_sampling = sampling % 10;
        const FileBytes color = make_jpeg(small_photo(3).view(), choices);
        to.add_good("jpeg_color" + std::to_string(sampling) + behind, color, read_with_libjpeg(color));
      }
    }
  }
}

void add_stored_rgb(Catalogue& to) {
  for (const Process& process : kProcesses) {
    JpegChoices choices = choices_of(process);
    choices.as_rgb = true;
    choices.horizontal_sampling = choices.vertical_sampling = 1;
    const FileBytes file = make_jpeg(small_photo(3).view(), choices);
    to.add_good(std::string("jpeg_rgb_") + process.name + ".jpg", file, read_with_libjpeg(file));
  }
}

/// As defined in docs/operations.md, "Files".
Image rgb_of_inks(ConstView cmyk) {
  return image_of_pixels(cmyk.width, cmyk.height, {Sample::u8, 3}, [&](std::size_t i) {
    const auto x = static_cast<int>(i % static_cast<std::size_t>(cmyk.width));
    const auto y = static_cast<int>(i / static_cast<std::size_t>(cmyk.width));
    const auto light = [&](int channel) { return static_cast<double>(sample_at(cmyk, x, y, channel)); };
    std::vector<std::uint32_t> rgb;
    for (int c = 0; c < 3; ++c) {
      rgb.push_back(static_cast<std::uint32_t>(std::lround(light(c) * light(3) / 255)));
    }
    return rgb;
  });
}

void add_inks(Catalogue& to) {
  struct Inks {
    const char* name;
    bool is_ycck;
    bool adobe;
  };
  for (const Process& process : kProcesses) {
    for (const Inks inks : {Inks{"cmyk", false, true}, {"cmyk_without_adobe", false, false}, {"ycck", true, true}}) {
      JpegChoices choices = choices_of(process);
      choices.as_cmyk = !inks.is_ycck;
      choices.as_ycck = inks.is_ycck;
      choices.adobe = inks.adobe;
      const FileBytes file = make_jpeg(small_photo(4).view(), choices);
      to.add_good(std::string("jpeg_") + inks.name + "_" + process.name + ".jpg", file,
                  rgb_of_inks(read_with_libjpeg(file).view()), "CMYK");
    }
  }
}

JpegPart application_data(std::uint32_t number, const FileBytes& content) { return {0xE0 + number, content, {}, 0}; }

void add_with_other_segments(Catalogue& to) {
  const FileBytes plain = plain_jpeg();
  const auto add = [&](const char* what, const JpegPart& part) {
    std::vector<JpegPart> parts = jpeg_parts(plain);
    parts.insert(parts.begin() + 2, part);
    to.add_good("jpeg_with_" + std::string(what) + ".jpg", assemble_jpeg(parts), read_with_libjpeg(plain));
  };
  FileBytes profile = bytes_of({"ICC_PROFILE\0\1\1", 14});
  FileBytes part_missing = bytes_of({"ICC_PROFILE\0\1\2", 14});
  add_bytes(profile, make_icc());
  add_bytes(part_missing, make_icc());
  FileBytes exif = bytes_of({"Exif\0\0", 6});
  add_bytes(exif, exif_with(1, true));
  add("comment", {0xFE, bytes_of("a comment"), {}, 0});
  add("empty_comment", {0xFE, {}, {}, 0});
  add("profile", application_data(2, profile));
  add("profile_of_which_a_part_is_missing", application_data(2, part_missing));
  add("exif", application_data(1, exif));
  add("exif_cut", application_data(1, FileBytes(exif.begin(), exif.begin() + 11)));
  add("unknown_application_data", application_data(9, FileBytes(20, std::byte{0xFF})));
  add("another_jfif", application_data(0, part_of_plain_jpeg(0xE0)));
}

void add_orientations(Catalogue& to) {
  const FileBytes plain = plain_jpeg();
  for (int orientation = 2; orientation <= 8; ++orientation) {
    const Image stored = read_with_libjpeg(plain);
    const auto w = static_cast<std::size_t>(stored.width());
    const auto h = static_cast<std::size_t>(stored.height());
    const bool exchanged = orientation >= 5;
    // Where the pixel displayed at (x, y) is stored, according to EXIF 2.3.
    const Image seen = image_of_pixels(
        static_cast<int>(exchanged ? h : w), static_cast<int>(exchanged ? w : h), {Sample::u8, 3}, [&](std::size_t i) {
          const std::size_t x = i % (exchanged ? h : w);
          const std::size_t y = i / (exchanged ? h : w);
          const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
          const bool from_below = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
          const std::size_t across = exchanged ? y : x;
          const std::size_t down = exchanged ? x : y;
          const auto column = static_cast<int>(from_right ? w - 1 - across : across);
          const auto row = static_cast<int>(from_below ? h - 1 - down : down);
          std::vector<std::uint32_t> pixel;
          for (int c = 0; c < 3; ++c) {
            pixel.push_back(sample_at(stored.view(), column, row, c));
          }
          return pixel;
        });
    to.add_good("jpeg_orientation" + std::to_string(orientation) + ".jpg",
                with_exif(plain, exif_with(orientation, orientation % 2 == 0)), seen.clone());
  }
}

void add_with_more_behind(Catalogue& to) {
  const FileBytes plain = plain_jpeg();
  to.add_good_and_more("jpeg_bytes_behind_the_end.jpg", plain, bytes_of("a movie, perhaps"), read_with_libjpeg(plain));
  to.add_good_and_more("jpeg_end_twice.jpg", plain, bytes_of("\xFF\xD9"), read_with_libjpeg(plain));
  FileBytes filled = plain;
  filled.insert(filled.begin() + 2, 3, std::byte{0xFF});
  to.add_good("jpeg_fill_bytes_before_a_marker.jpg", filled, read_with_libjpeg(plain));
}

}  // namespace

void add_sound_jpegs(Catalogue& to) {
  add_gray_and_color(to);
  add_stored_rgb(to);
  add_inks(to);
  add_with_other_segments(to);
  add_orientations(to);
  add_with_more_behind(to);
}

}  // namespace gpuimg::test
