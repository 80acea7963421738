// PNG with broken image data: the zlib stream, the rows in it, or the indices in the rows. The CRCs are correct.
#include <array>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/png_pictures.hpp"
#include "support/oracle_png.hpp"

namespace gpuimg::test {
namespace {

constexpr PngKind kRgb{2, 8};
constexpr std::size_t kRowBytes = 16;  // a filter byte and five pixels

FileBytes with_data(const PngPicture& picture, const FileBytes& data) {
  std::vector<PngChunk> chunks = png_chunks(picture);
  chunks[chunks.size() - 2].data = data;
  return assemble_png(chunks);
}

template <class Change>
FileBytes with_changed_stream(Change change) {
  const PngPicture picture = small_png_picture(kRgb);
  FileBytes data = zlib_stored(png_raw(picture));
  change(data);
  return with_data(picture, data);
}

template <class Change>
FileBytes with_changed_rows(const PngPicture& picture, Change change) {
  FileBytes raw = png_raw(picture);
  change(raw);
  return with_data(picture, zlib_stored(raw));
}

void add_broken_streams(Catalogue& to) {
  struct Case {
    const char* what;
    std::size_t offset;
    std::uint32_t flipped;
    const char* words;
  };
  // The stream starts with a 2-byte header. The stored block has a type byte, a length, and the length's complement.
  constexpr std::array kCases = {
      Case{"method_9", 0, 0x01, ""},
      Case{"window_beyond_32k", 0, 0x80, ""},
      Case{"header_check_wrong", 1, 0x01, ""},
      Case{"preset_dictionary", 1, 0x20, ""},
      Case{"block_kind_3", 2, 0x06, ""},
      Case{"block_is_not_the_last", 2, 0x01, ""},
      Case{"block_length_wrong", 3, 0x01, ""},
      Case{"block_complement_wrong", 5, 0x01, ""},
      Case{"pixel_flipped", 9, 0x01, "checksum"},
  };
  for (const Case& broken : kCases) {
    to.add_damaged("png_stream_" + std::string(broken.what) + ".png", with_changed_stream([&](FileBytes& data) {
                     data[broken.offset] ^= static_cast<std::byte>(broken.flipped);
                   }),
                   broken.words);
  }
  for (std::size_t byte = 1; byte <= 4; ++byte) {
    to.add_damaged("png_stream_adler_wrong_" + std::to_string(byte) + ".png",
                   with_changed_stream([&](FileBytes& data) { data[data.size() - byte] ^= std::byte{0x10}; }),
                   "checksum");
  }
  for (const std::size_t cut : {1, 2, 3, 4, 5, 6, 40}) {
    to.add_damaged("png_stream_short_of_" + std::to_string(cut) + ".png",
                   with_changed_stream([&](FileBytes& data) { data.resize(data.size() - cut); }));
  }
  for (const std::size_t more : {1, 4, 3000}) {
    to.add_good("png_stream_long_by_" + std::to_string(more) + ".png",
                with_changed_stream([&](FileBytes& data) { data.resize(data.size() + more, std::byte{0x5A}); }),
                expected_image(small_png_picture(kRgb)),
                "follows its compressed data is ignored (bytes: " + std::to_string(more));
  }
  to.add_damaged("png_stream_empty.png", with_changed_stream([](FileBytes& data) { data.clear(); }));
  to.add_damaged("png_stream_of_a_header_alone.png", with_changed_stream([](FileBytes& data) { data.resize(2); }));
}

/// Invalid deflate blocks. RFC 1951, sections 3.2.5 to 3.2.7.
void add_impossible_blocks(Catalogue& to) {
  struct Case {
    const char* what;
    FileBytes block;
  };
  const std::array cases = {
      Case{"distance_before_the_start", bytes_of({"\x03\x02\0", 3})},  // fixed code: length 3, distance 1
      Case{"length_symbol_286", bytes_of({"\x1B\x03\0", 3})},
      Case{"code_of_no_lengths", bytes_of({"\x05\0\0\0\0\0", 6})},
      Case{"too_many_lengths", bytes_of({"\xFD\x1F\0\0\0\0", 6})},  // 288 literal and 32 distance codes
      Case{"end_at_once", bytes_of({"\x03\0", 2})},
  };
  for (const Case& broken : cases) {
    FileBytes data = bytes_of("\x78\x01");
    add_bytes(data, broken.block);
    add_be(data, 1, 4);
    to.add_damaged("png_block_" + std::string(broken.what) + ".png", with_data(small_png_picture(kRgb), data));
  }
}

void add_broken_rows(Catalogue& to) {
  PngPicture picture = small_png_picture(kRgb);
  for (const std::size_t cut : {std::size_t{1}, kRowBytes, 3 * kRowBytes, 4 * kRowBytes}) {
    to.add_damaged("png_rows_short_of_" + std::to_string(cut) + ".png",
                   with_changed_rows(picture, [&](FileBytes& raw) { raw.resize(raw.size() - cut); }),
                   cut < 4 * kRowBytes ? "less" : "");
  }
  for (const std::size_t more : {std::size_t{1}, kRowBytes, std::size_t{70000}}) {
    to.add_damaged("png_rows_long_by_" + std::to_string(more) + ".png",
                   with_changed_rows(picture, [&](FileBytes& raw) { raw.resize(raw.size() + more); }), "more");
  }
  for (const std::uint32_t filter : {5U, 128U, 255U}) {
    for (const std::size_t row : {0, 3}) {
      to.add_damaged(
          "png_filter_" + std::to_string(filter) + "_in_row_" + std::to_string(row) + ".png",
          with_changed_rows(picture, [&](FileBytes& raw) { raw[row * kRowBytes] = static_cast<std::byte>(filter); }),
          "filter");
    }
  }
  picture.interlaced = true;
  to.add_damaged("png_filter_5_in_the_first_pass.png",
                 with_changed_rows(picture, [](FileBytes& raw) { raw[0] = std::byte{5}; }), "filter");
  to.add_damaged("png_filter_5_in_the_last_pass.png",
                 with_changed_rows(picture, [](FileBytes& raw) { raw[raw.size() - kRowBytes] = std::byte{5}; }),
                 "filter");
  to.add_damaged("png_last_pass_missing.png",
                 with_changed_rows(picture, [](FileBytes& raw) { raw.resize(raw.size() - 2 * kRowBytes); }), "less");
}

void add_indices_beyond_the_palette(Catalogue& to) {
  for (const int depth : {1, 2, 4, 8}) {
    for (const bool interlaced : {false, true}) {
      PngPicture picture = small_png_picture({3, depth});
      picture.interlaced = interlaced;
      const auto colors = static_cast<std::uint32_t>(picture.palette.size() / 3) - 1;
      picture.palette.resize(std::size_t{3} * colors);
      for (std::uint32_t& index : picture.samples) {
        index %= colors;
      }
      picture.samples.back() = colors;
      to.add_damaged(
          "png_" + name_of(picture.kind) + "_index_beyond_the_palette" + (interlaced ? "_interlaced" : "") + ".png",
          make_png(picture), "palette has size " + std::to_string(colors));
    }
  }
}

}  // namespace

void add_pngs_of_broken_data(Catalogue& to) {
  add_broken_streams(to);
  add_impossible_blocks(to);
  add_broken_rows(to);
  add_indices_beyond_the_palette(to);
}

}  // namespace gpuimg::test
