// Broken JPEG: damaged, dropped, repeated or swapped markers, and damaged coded data.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/jpeg_pictures.hpp"
#include "support/catalogue/jpeg_segments.hpp"

namespace gpuimg::test {
namespace {

using Parts = std::vector<JpegPart>;

constexpr std::uint32_t kTables = 0xDB;  // DQT
constexpr std::uint32_t kCodes = 0xC4;   // DHT
constexpr std::uint32_t kFrame = 0xC0;
constexpr std::uint32_t kInterval = 0xDD;
constexpr std::uint32_t kScan = 0xDA;

FileBytes progressive_jpeg() {
  JpegChoices choices;
  choices.progressive = true;
  return make_jpeg(small_photo(1).view(), choices);
}

FileBytes changed(const FileBytes& file, const std::function<void(Parts&)>& change) {
  Parts parts = jpeg_parts(file);
  change(parts);
  return assemble_jpeg(parts);
}

void erase(Parts& parts, std::uint32_t marker) {
  std::erase_if(parts, [&](const JpegPart& part) { return part.marker == marker; });
}

void repeat(Parts& parts, std::uint32_t marker) {
  const auto at = parts.begin() + (&part_of(parts, marker) - parts.data());
  parts.insert(at, JpegPart(*at));
}

void add_broken_lengths(Catalogue& to) {
  const Parts sound = jpeg_parts(plain_jpeg());
  for (std::size_t i = 0; i < sound.size(); ++i) {
    if (!sound[i].has_length()) {
      continue;
    }
    const bool is_unneeded = sound[i].marker == 0xE0;  // libjpeg finds the next segment without it
    const int length = static_cast<int>(sound[i].payload.size()) + 2;
    const std::string name = "jpeg_part" + std::to_string(i) + "_" + name_of_marker(sound[i].marker) + "_length_";
    const auto add = [&](const char* what, int length_error) {
      const FileBytes file = changed(plain_jpeg(), [&](Parts& p) { p[i].length_error = length_error; });
      is_unneeded&& length_error < 0
          ? to.add_good(name + what + ".jpg", file, read_with_libjpeg(plain_jpeg()), "extraneous bytes")
          : to.add_damaged(name + what + ".jpg", file);
    };
    add("0", -length);
    add("1", 1 - length);
    add("2", 2 - length);
    add("one_less", -1);
    add("one_more", 1);
    add("beyond_the_file", 0xFFFF - length);
  }
}

/// A missing or repeated segment is harmless if libjpeg does not need it.
void add_dropped_and_repeated(Catalogue& to) {
  const FileBytes plain = plain_jpeg();
  const auto without = [&](std::uint32_t marker) { return changed(plain, [&](Parts& p) { erase(p, marker); }); };
  const auto twice = [&](std::uint32_t marker) { return changed(plain, [&](Parts& p) { repeat(p, marker); }); };
  to.add_good("jpeg_without_app0.jpg", without(0xE0), read_with_libjpeg(plain));
  // Motion JPEG files look like this: they omit the Huffman tables, and decoders use the tables of the standard.
  to.add_good("jpeg_without_dht.jpg", without(kCodes), read_with_libjpeg(plain));
  to.add_good("jpeg_dqt_twice.jpg", twice(kTables), read_with_libjpeg(plain));
  to.add_good("jpeg_dht_twice.jpg", twice(kCodes), read_with_libjpeg(plain));
  to.add_good("jpeg_dri_twice.jpg", twice(kInterval), read_with_libjpeg(plain));
  to.add_damaged("jpeg_without_soi.jpg", without(0xD8), "known image format");
  to.add_damaged("jpeg_without_dqt.jpg", without(kTables));
  to.add_damaged("jpeg_without_sof.jpg", without(kFrame), "holds no image");
  to.add_damaged("jpeg_without_dri.jpg", without(kInterval));
  to.add_damaged("jpeg_without_sos.jpg", changed(plain, [](Parts& p) {
                   const FileBytes coded = part_of(p, kScan).coded;
                   erase(p, kScan);
                   p[p.size() - 2].coded = coded;
                 }));
  to.add_damaged("jpeg_without_a_scan.jpg", without(kScan));
  to.add_damaged("jpeg_without_eoi.jpg", without(0xD9), "truncated");
  to.add_damaged("jpeg_soi_alone.jpg", bytes_of("\xFF\xD8\xFF"), "truncated");
  to.add_damaged("jpeg_soi_and_eoi_alone.jpg", bytes_of("\xFF\xD8\xFF\xD9"), "holds no image");
  to.add_damaged("jpeg_soi_twice.jpg", twice(0xD8));
  to.add_damaged("jpeg_sof_twice.jpg", twice(kFrame));
  to.add_damaged("jpeg_sos_twice.jpg", changed(plain, [](Parts& p) {
                   repeat(p, kScan);
                   part_of(p, kScan).coded.clear();
                 }));
  to.add_damaged("jpeg_sof_behind_sos.jpg", changed(plain, [](Parts& p) {
                   const JpegPart frame = part_of(p, kFrame);
                   erase(p, kFrame);
                   p.insert(p.end() - 1, frame);
                 }));
  to.add_damaged("jpeg_progressive_without_dht.jpg", changed(progressive_jpeg(), [](Parts& p) { erase(p, kCodes); }));
  to.add_damaged("jpeg_progressive_scan_twice.jpg", changed(progressive_jpeg(), [](Parts& p) { repeat(p, kScan); }));
}

struct FieldCase {
  const char* what;
  std::uint32_t marker;
  std::size_t offset;
  std::uint32_t value;
  const char* words;
};

constexpr FieldCase kDamagedFields[] = {
    {"width_0", kFrame, 4, 0, "0x11 pixels"},
    {"height_0", kFrame, 2, 0, "19x0 pixels"},
    {"channels_in_excess", kFrame, 5, 4, ""},
    {"sampling_0", kFrame, 7, 0x01, ""},
    {"sampling_5", kFrame, 7, 0x15, ""},
    {"table_that_is_not_there", kFrame, 8, 3, ""},
    {"table_4", kFrame, 8, 4, ""},
    {"quantization_table_4", kTables, 0, 4, ""},
    {"quantization_table_of_16_bits", kTables, 0, 0x10, ""},
    {"code_table_4", kCodes, 0, 4, ""},
    {"code_table_of_class_2", kCodes, 0, 0x20, ""},
    {"codes_too_many", kCodes, 16, 0xFF, ""},
    {"codes_beyond_their_bits", kCodes, 1, 3, ""},
    {"scan_of_no_channel", kScan, 0, 0, ""},
    {"scan_of_5_channels", kScan, 0, 5, ""},
    {"scan_of_an_unknown_channel", kScan, 1, 9, ""},
    {"scan_of_a_channel_twice", kScan, 3, 1, ""},
    {"scan_with_codes_4", kScan, 2, 0x44, ""},
    {"scan_that_begins_at_1", kScan, 7, 1, ""},
    {"scan_that_ends_at_62", kScan, 8, 62, ""},
    {"scan_of_a_refinement", kScan, 9, 0x10, ""},
};

constexpr FieldCase kUnsupportedFields[] = {
    {"12_bits", kFrame, 0, 12, "12-bit JPEG"},          {"16_bits", kFrame, 0, 16, "16-bit JPEG"},
    {"no_channel", kFrame, 5, 0, "JPEG of 0 channels"}, {"2_channels", kFrame, 5, 2, "JPEG of 2 channels"},
    {"5_channels", kFrame, 5, 5, "JPEG of 5 channels"},
};

void add_broken_fields(Catalogue& to) {
  const auto with = [](const FieldCase& field) {
    return changed(plain_jpeg(), [&](Parts& p) {
      part_of(p, field.marker).payload.at(field.offset) = static_cast<std::byte>(field.value);
    });
  };
  for (const FieldCase& field : kDamagedFields) {
    to.add_damaged("jpeg_" + std::string(field.what) + ".jpg", with(field), field.words);
  }
  for (const FieldCase& field : kUnsupportedFields) {
    to.add_unsupported("jpeg_" + std::string(field.what) + ".jpg", with(field), field.words);
  }
  to.add_unsupported(
      "jpeg_of_a_bomb.jpg",
      changed(plain_jpeg(), [](Parts& p) { std::fill_n(part_of(p, kFrame).payload.begin() + 1, 4, std::byte{0xFF}); }),
      "--max-pixels");
}

void add_other_processes(Catalogue& to) {
  const FileBytes plain = plain_jpeg();
  const auto of_process = [&](std::uint32_t marker) {
    return changed(plain, [&](Parts& p) { part_of(p, kFrame).marker = marker; });
  };
  to.add_good("jpeg_extended_sequential.jpg", of_process(0xC1), read_with_libjpeg(plain));
  to.add_damaged("jpeg_baseline_called_progressive.jpg", of_process(0xC2));
  to.add_damaged("jpeg_baseline_called_arithmetic.jpg", of_process(0xC9));
  for (const std::uint32_t marker : {0xC3U, 0xCBU}) {
    to.add_unsupported("jpeg_lossless_" + name_of_marker(marker) + ".jpg", of_process(marker), "lossless JPEG");
  }
  for (const std::uint32_t marker : {0xC5U, 0xC6U, 0xC7U, 0xCDU, 0xCEU, 0xCFU}) {
    to.add_unsupported("jpeg_hierarchical_" + name_of_marker(marker) + ".jpg", of_process(marker), "hierarchical JPEG");
  }
  for (const std::uint32_t marker : {0x02U, 0xBFU, 0xC8U, 0xF0U}) {
    to.add_damaged("jpeg_reserved_marker_" + std::to_string(marker) + ".jpg", changed(plain, [&](Parts& p) {
                     p.insert(p.begin() + 2, {marker, FileBytes(4), {}, 0});
                   }));
  }
  // A JFIF file is YCbCr by definition. Without JFIF, transform 7 is undefined, and all decoders treat it as YCbCr.
  const JpegPart adobe = {0xEE, bytes_of({"Adobe\0\x64\0\0\0\0\x07", 12}), {}, 0};
  to.add_good("jpeg_adobe_of_transform_7_beside_jfif.jpg",
              changed(plain, [&](Parts& p) { p.insert(p.begin() + 2, adobe); }), read_with_libjpeg(plain));
  to.add_good("jpeg_adobe_of_transform_7.jpg", changed(plain, [&](Parts& p) { part_of(p, 0xE0) = adobe; }),
              read_with_libjpeg(plain), "not affected by this: Unknown Adobe color transform");
}

/// libjpeg warns about these files, but all their pixels are correct.
void add_harmless_flaws(Catalogue& to) {
  const FileBytes plain = plain_jpeg();
  const auto add = [&](const char* what, FileBytes file, const char* words, std::size_t rest_bytes = 0) {
    const std::string name = "jpeg_" + std::string(what) + ".jpg";
    to.add_good_with_rest(name, std::move(file), rest_bytes, read_with_libjpeg(plain), words, words);
  };
  add("jfif_2", changed(plain, [&](Parts& p) { part_of(p, 0xE0).payload[5] = std::byte{2}; }), "JFIF revision");
  FileBytes between = plain;
  between.insert(between.begin() + 20, 5, std::byte{0x41});  // after APP0
  add("bytes_between_segments", between, "5 extraneous bytes");
  FileBytes padded = plain;
  padded.insert(padded.end() - 2, 9, std::byte{0});
  add("zeros_before_the_end", padded, "extraneous bytes before marker 0xd9");
  FileBytes padded_by_one = plain;
  padded_by_one.insert(padded_by_one.end() - 2, std::byte{0});
  add("a_zero_before_the_end", padded_by_one, "1 extraneous bytes before marker 0xd9");
  FileBytes trailed(plain.begin(), plain.end() - 2);
  add_text(trailed, "trailer of a camera");
  add("a_trailer_without_an_end", trailed, "no end-of-image marker", 19 - 8);
  for (const std::uint32_t length : {0U, 1U}) {
    FileBytes comment = plain;
    const FileBytes segment = bytes_of(std::string("\xFF\xFE\0", 3) + static_cast<char>(length));
    comment.insert(comment.begin() + 2, segment.begin(), segment.end());
    add(length == 0 ? "comment_of_length_0" : "comment_of_length_1", comment, "");
  }
  FileBytes index = bytes_of({"MPF\0MM\0*\0\0\0\x08\0\2", 14});
  add_be(index, 0xB0000007, 4);
  add_be(index, 4, 4);
  add_text(index, "0100");
  add_be(index, 0xB0010004, 4);
  add_be(index, 1, 4);
  add_be(index, 2, 4);
  add("of_two_pictures",
      changed(plain,
              [&](Parts& p) {
                p.insert(p.begin() + 2, {0xE2, index, {}, 0});
              }),
      "several pictures (MPO): first picture only");
}

void add_broken_coded_data(Catalogue& to) {
  const auto add = [&](const char* what, const std::function<void(FileBytes&)>& change, const char* words = "") {
    to.add_damaged("jpeg_coded_data_" + std::string(what) + ".jpg",
                   changed(plain_jpeg(), [&](Parts& p) { change(part_of(p, kScan).coded); }), words);
  };
  const auto first_restart = [](const FileBytes& coded) {
    const auto is_restart = [](std::byte a, std::byte b) { return a == std::byte{0xFF} && b != std::byte{0}; };
    return std::adjacent_find(coded.begin(), coded.end(), is_restart) - coded.begin();
  };
  add("missing", [](FileBytes& coded) { coded.clear(); });
  add("halved", [](FileBytes& coded) { coded.resize(coded.size() / 2); });
  add("short_of_a_restart", [&](FileBytes& coded) {
    coded.erase(coded.begin() + first_restart(coded), coded.begin() + first_restart(coded) + 2);
  });
  add("with_restarts_out_of_order",
      [&](FileBytes& coded) { coded[static_cast<std::size_t>(first_restart(coded)) + 1] = std::byte{0xD5}; });
  for (const std::size_t more : {1, 2, 3, 4, 5}) {  // libjpeg reads up to seven bytes ahead
    add(
        fmt::format("with_{}_bytes_more", more).c_str(),
        [&](FileBytes& coded) { coded.resize(coded.size() + more, std::byte{0x12}); },
        "extraneous bytes before marker 0xd9");
  }
  add("of_ones", [](FileBytes& coded) {
    coded.clear();
    for (int i = 0; i < 100; ++i) {
      add_be(coded, 0xFF00, 2);
    }
  });
  add("with_a_marker_inside", [](FileBytes& coded) { coded[4] = std::byte{0xFF}, coded[5] = std::byte{0xE3}; });
}

}  // namespace

void add_broken_jpegs(Catalogue& to) {
  add_broken_lengths(to);
  add_dropped_and_repeated(to);
  add_broken_fields(to);
  add_other_processes(to);
  add_harmless_flaws(to);
  add_broken_coded_data(to);
}

}  // namespace gpuimg::test
