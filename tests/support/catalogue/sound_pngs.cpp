// Valid PNG of all kinds, interlacings and filters, and with optional chunks.
#include <algorithm>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/png_pictures.hpp"
#include "support/oracle_png.hpp"

namespace gpuimg::test {

namespace {

void add_every_kind(Catalogue& to) {
  for (const PngKind kind : png_kinds()) {
    PngPicture picture = small_png_picture(kind);
    for (const bool interlaced : {false, true}) {
      picture.interlaced = interlaced;
      for (picture.filter = 0; picture.filter < 5; ++picture.filter) {
        const std::string name = "png_" + name_of(kind) + (interlaced ? "_interlaced" : "") + "_filter" +
                                 std::to_string(picture.filter) + ".png";
        to.add_good(name, make_png(picture), expected_image(picture));
      }
    }
  }
}

void add_transparency(Catalogue& to) {
  for (const PngKind kind : png_kinds()) {
    if (kind.color_type >= 4) {
      continue;
    }
    PngPicture picture = small_png_picture(kind);
    for (int c = 0; c < kind.channels(); ++c) {
      kind.color_type == 3 ? add_be(picture.transparency, 0x80, 1)
                           : add_be(picture.transparency, picture.samples[static_cast<std::size_t>(c)], 2);
    }
    to.add_good("png_" + name_of(kind) + "_transparency.png", make_png(picture), expected_image(picture));
  }
}

void add_data_in_pieces(Catalogue& to) {
  const PngPicture picture = small_png_picture({2, 8});
  const std::vector<PngChunk> whole = png_chunks(picture);
  const FileBytes& data = whole[1].data;
  std::vector<PngChunk> pieces = {whole[0]};
  for (std::size_t i = 0; i < data.size(); i += 9) {
    const auto piece = std::span(data).subspan(i, std::min<std::size_t>(9, data.size() - i));
    pieces.push_back({"IDAT", FileBytes(piece.begin(), piece.end())});
    pieces.push_back({"IDAT", {}});
  }
  pieces.push_back({"IEND", {}});
  to.add_good("png_data_in_pieces.png", assemble_png(pieces), expected_image(picture));
  for (const std::size_t last_bytes : {1, 4, 5}) {
    std::vector<PngChunk> chunks = whole;
    const auto cut = data.end() - static_cast<std::ptrdiff_t>(last_bytes);
    chunks[1].data.assign(data.begin(), cut);
    chunks.insert(chunks.begin() + 2, {"IDAT", FileBytes(cut, data.end())});
    to.add_good("png_data_with_last_" + std::to_string(last_bytes) + "_apart.png", assemble_png(chunks),
                expected_image(picture));
  }
}

/// Damaged ancillary chunks are skipped. Each of these chunks is damaged, in its content or in its CRC.
void add_damaged_extras(Catalogue& to) {
  const PngPicture picture = small_png_picture({2, 8});
  for (const char* chunk : {"gAMA", "iCCP", "tEXt", "zTXt", "sRGB", "cHRM", "pHYs", "eXIf", "sPLT", "prIv"}) {
    std::vector<PngChunk> chunks = png_chunks(picture);
    chunks.insert(chunks.begin() + 1, {chunk, FileBytes(3, std::byte{0x41})});
    to.add_good("png_" + std::string(chunk) + "_of_nonsense.png", assemble_png(chunks), expected_image(picture));
  }
  for (const PngKind kind : {PngKind{0, 8}, PngKind{2, 8}, PngKind{3, 8}}) {
    PngPicture transparent = small_png_picture(kind);
    transparent.transparency = FileBytes(static_cast<std::size_t>(kind.color_type == 3 ? 1 : 2 * kind.channels()));
    std::vector<PngChunk> chunks = png_chunks(transparent);
    chunks[chunks.size() - 3].crc_error = 1;
    transparent.transparency.clear();
    to.add_good("png_" + name_of(kind) + "_transparency_of_wrong_checksum.png", assemble_png(chunks),
                expected_image(transparent));
  }
}

void add_with_trailing_bytes(Catalogue& to) {
  const PngPicture picture = small_png_picture({2, 8});
  to.add_good_and_more("png_bytes_after_the_end.png", make_png(picture), bytes_of("anything"), expected_image(picture));
  to.add_good_and_more("png_second_png_after_the_end.png", make_png(picture), make_png(picture),
                       expected_image(picture));
}

}  // namespace

void add_sound_pngs(Catalogue& to) {
  add_every_kind(to);
  add_transparency(to);
  add_data_in_pieces(to);
  add_damaged_extras(to);
  add_with_trailing_bytes(to);
}

}  // namespace gpuimg::test
