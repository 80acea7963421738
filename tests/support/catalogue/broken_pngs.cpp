// PNG with a broken header, or with damaged, missing or misplaced chunks.
#include <functional>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/header_field.hpp"
#include "support/catalogue/png_pictures.hpp"

namespace gpuimg::test {
namespace {

using Chunks = std::vector<PngChunk>;

constexpr PngKind kRgb{2, 8};
constexpr PngKind kIndexed{3, 8};

template <class Change>
FileBytes changed(PngKind kind, Change change) {
  Chunks chunks = png_chunks(small_png_picture(kind));
  change(chunks);
  return assemble_png(chunks);
}

void add_wrong_checksums(Catalogue& to) {
  for (const PngKind kind : {kRgb, kIndexed}) {
    const Chunks sound = png_chunks(small_png_picture(kind));
    for (std::size_t i = 0; i < sound.size(); ++i) {
      for (const std::uint32_t error : {1U, 0x80000000U}) {
        const std::string name = "png_" + name_of(kind) + "_crc_of_" + sound[i].name + (error == 1 ? "_low" : "_high");
        to.add_damaged(name + ".png", changed(kind, [&](Chunks& c) { c[i].crc_error = error; }),
                       "the checksum of its " + sound[i].name);
      }
    }
  }
}

constexpr HeaderField kDamagedHeaders[] = {
    {"width_0", 3, 0, "0x4 pixels"},
    {"height_0", 7, 0, "5x0 pixels"},
    {"depth_0", 8, 0, ""},
    {"depth_3", 8, 3, ""},
    {"rgb_of_depth_4", 8, 4, ""},
    {"depth_32", 8, 32, ""},
    {"color_type_1", 9, 1, ""},
    {"color_type_5", 9, 5, ""},
    {"color_type_7", 9, 7, ""},
    {"palette_without_plte", 9, 3, "palette"},
    {"more_channels_than_data", 9, 6, ""},
    {"fewer_channels_than_data", 9, 0, ""},
    {"twice_the_depth", 8, 16, ""},
    {"compression_1", 10, 1, ""},
    {"filter_method_1", 11, 1, ""},
    {"interlacing_2", 12, 2, ""},
    {"interlacing_1_of_plain_data", 12, 1, ""},
    {"one_column_more", 3, 6, ""},
    {"one_column_less", 3, 4, ""},
    {"one_row_more", 7, 5, "less"},
    {"one_row_less", 7, 3, "more"},
    {"far_more_than_the_file_can_hold", 5, 0x70, "cannot hold"},
};

void add_broken_headers(Catalogue& to) {
  for (const HeaderField& broken : kDamagedHeaders) {
    to.add_damaged("png_header_" + std::string(broken.what) + ".png",
                   changed(kRgb, [&](Chunks& c) { c[0].data = with_field(c[0].data, broken); }), broken.words);
  }
  to.add_damaged("png_header_indexed_of_depth_16.png",
                 changed(kIndexed, [](Chunks& c) { c[0].data[8] = std::byte{16}; }));
  to.add_damaged("png_header_too_short.png", changed(kRgb, [](Chunks& c) { c[0].data.pop_back(); }), "IHDR");
  to.add_damaged("png_header_too_long.png", changed(kRgb, [](Chunks& c) { c[0].data.push_back({}); }), "IHDR");
  to.add_unsupported("png_header_side_beyond_31_bits.png",
                     changed(kRgb, [](Chunks& c) { c[0].data[0] = std::byte{0x80}; }), "a side");
  to.add_unsupported("png_header_of_a_bomb.png",
                     changed(kRgb, [](Chunks& c) { c[0].data[1] = c[0].data[5] = std::byte{1}; }), "--max-pixels");
}

void add_chunks_out_of_place(Catalogue& to) {
  const auto add = [&](const char* what, PngKind kind, const std::function<void(Chunks&)>& change,
                       const char* words = "") {
    to.add_damaged("png_" + std::string(what) + ".png", changed(kind, change), words);
  };
  add(
      "without_ihdr", kRgb, [](Chunks& c) { c.erase(c.begin()); }, "IHDR");
  add(
      "without_plte", kIndexed, [](Chunks& c) { c.erase(c.begin() + 1); }, "palette");
  add(
      "without_idat", kRgb, [](Chunks& c) { c.erase(c.begin() + 1); }, "no image data");
  add(
      "without_iend", kRgb, [](Chunks& c) { c.pop_back(); }, "truncated");
  add(
      "signature_alone", kRgb, [](Chunks& c) { c.clear(); }, "truncated");
  add(
      "idat_first", kRgb, [](Chunks& c) { std::swap(c[0], c[1]); }, "IHDR");
  add(
      "plte_after_idat", kIndexed, [](Chunks& c) { std::swap(c[1], c[2]); }, "palette");
  add(
      "iend_before_idat", kRgb, [](Chunks& c) { std::swap(c[1], c[2]); }, "no image data");
  add("ihdr_twice", kRgb, [](Chunks& c) { c.insert(c.begin(), PngChunk(c[0])); });
  add("ihdr_after_idat", kRgb, [](Chunks& c) { c.insert(c.begin() + 2, PngChunk(c[0])); });
  add("plte_twice", kIndexed, [](Chunks& c) { c.insert(c.begin(), PngChunk(c[1])); });
  add("plte_twice_in_place", kIndexed, [](Chunks& c) { c.insert(c.begin() + 1, PngChunk(c[1])); });
  add("plte_of_no_color", kIndexed, [](Chunks& c) { c[1].data.clear(); });
  add("plte_with_a_cut_color", kIndexed, [](Chunks& c) { c[1].data.pop_back(); });
  add("plte_of_257_colors", kIndexed, [](Chunks& c) { c[1].data.resize(3 * 257); });
  add(
      "idat_in_two_places", kRgb,
      [](Chunks& c) {
        c.insert(c.begin() + 2, {{"tEXt", bytes_of("Title")}, {"IDAT", {c[1].data.back()}}});
        c[1].data.pop_back();
      },
      "not contiguous");
  add("unknown_critical_chunk", kRgb, [](Chunks& c) { c.insert(c.begin() + 1, {"QUIT", {}}); });
  add("chunk_with_an_invalid_name", kRgb, [](Chunks& c) { c.insert(c.begin() + 1, {"a\x01\x02z", {}}); });
  to.add_unsupported("png_cgbi.png",
                     changed(kRgb,
                             [](Chunks& c) {
                               c.insert(c.begin(), {"CgBI", FileBytes(4)});
                             }),
                     "Apple");
}

void add_broken_lengths(Catalogue& to) {
  const FileBytes sound = make_png(small_png_picture(kRgb));
  constexpr std::size_t kIdat = 33;
  const auto with_length = [&](std::size_t at, std::uint32_t length) {
    FileBytes file = sound;
    FileBytes number;
    add_be(number, length, 4);
    std::copy(number.begin(), number.end(), file.begin() + static_cast<std::ptrdiff_t>(at));
    return file;
  };
  to.add_damaged("png_idat_longer_than_the_file.png", with_length(kIdat, 0x10000), "truncated");
  to.add_damaged("png_idat_of_4_gigabytes.png", with_length(kIdat, 0xFFFFFFFF), "truncated");
  to.add_damaged("png_idat_length_one_more.png", with_length(kIdat, static_cast<std::uint32_t>(sound.size()) - 56));
  to.add_damaged("png_idat_length_one_less.png", with_length(kIdat, static_cast<std::uint32_t>(sound.size()) - 58));
  to.add_damaged("png_iend_length_1.png", with_length(sound.size() - 12, 1), "truncated");
}

/// The signature is designed to be damaged by text-mode transfers.
void add_broken_signatures(Catalogue& to) {
  FileBytes file = make_png(small_png_picture(kRgb));
  FileBytes seven_bits = file;
  seven_bits[0] &= std::byte{0x7F};
  to.add_damaged("png_signature_of_7_bits.png", seven_bits, "known image format");
  FileBytes line_ends = file;
  line_ends.erase(line_ends.begin() + 4);
  to.add_damaged("png_signature_without_cr.png", line_ends, "known image format");
  file.insert(file.begin() + 7, std::byte{'\r'});
  to.add_damaged("png_signature_with_another_cr.png", file, "known image format");
}

}  // namespace

void add_broken_pngs(Catalogue& to) {
  add_wrong_checksums(to);
  add_broken_headers(to);
  add_chunks_out_of_place(to);
  add_broken_lengths(to);
  add_broken_signatures(to);
}

}  // namespace gpuimg::test
