// BMP, TGA, GIF, PSD and PNM: every prefix is rejected, and every mutant is read or rejected without a crash.
#include <gtest/gtest.h>

#include "support/small_format_checks.hpp"

namespace gpuimg::test_small_formats {
namespace {

using namespace test;

struct SmallFile {
  std::string name;
  FileBytes bytes;
  std::size_t whole_from = ~std::size_t{0};  ///< size of the shortest prefix that contains the whole image
};

std::vector<SmallFile> small_files() {
  Random random;
  const Values six = random_values(random, 6, 2);
  BmpChoices palette;
  palette.palette = {5, 6};
  BmpChoices masks;
  masks.header_bytes = 124;
  masks.compression = 3;
  masks.masks = {0xFF, 0xFF00, 0xFF0000, 0xFF000000};
  TgaChoices runs;
  runs.run_length = true;
  TgaChoices map;
  map.map = {1, 2, 3};
  map.run_length = true;
  BmpChoices coded;
  coded.compression = 1;
  coded.palette = {1, 2, 3};
  FileBytes bmp_runs = make_bmp(3, 2, 8, {}, coded);
  add_bytes(bmp_runs, bytes_of({"\3\1\0\0\0\3\1\2\0\0", 10}));
  PsdChoices large;
  large.is_large = true;
  large.run_length = true;
  large.transparent = true;
  GifFrame frame;
  frame.width = 20;
  frame.height = 20;
  frame.indices = random_values(random, 400, 4);
  constexpr std::size_t kPadding = 3;  // of the last row
  return {{"a.bmp", make_bmp(3, 2, 24, six), make_bmp(3, 2, 24, six).size() - kPadding},
          {"b.bmp", make_bmp(3, 2, 1, six, palette), make_bmp(3, 2, 1, six, palette).size() - kPadding},
          {"c.bmp", make_bmp(3, 2, 32, six, masks)},
          {"d.bmp", bmp_runs},
          {"d.psb", make_psd(3, 2, 4, 16, random_values(random, 24, 2), large)},
          {"a.tga", make_tga(2, 3, 2, 24, six)},
          {"b.tga", make_tga(3, 3, 2, 8, six, runs)},
          {"c.tga", make_tga(1, 3, 2, 8, six, map)},
          {"d.tga", make_tga(2, 3, 2, 16, six, runs)},
          {"a.gif", make_gif(20, 20, kFour, {frame}), make_gif(20, 20, kFour, {frame}).size() - 1},
          {"b.gif", make_gif(20, 20, kFour, {frame, frame}), make_gif(20, 20, kFour, {frame}).size() - 1},
          {"a.psd", make_psd(3, 2, 3, 8, random_values(random, 18, 256))},
          {"b.psd", make_psd(3, 2, 3, 8, random_values(random, 18, 2), {.run_length = true})},
          {"c.psd", make_psd(3, 2, 4, 16, random_values(random, 24, 65536))},
          {"a.pgm", make_pnm("P5\n3 2\n255\n", six, 1)},
          {"b.ppm", make_pnm("P6\n1 2\n65535\n", six, 2)},
          {"c.pgm", bytes_of("P2 3 2 99 11 22 # 33\n44 55 66 7 ")},
          {"d.pbm", bytes_of("P1 3 2 101\n011")},
          {"e.pam", make_pnm("P7\nWIDTH 1\nHEIGHT 3\nDEPTH 2\nMAXVAL 7\nENDHDR\n", six, 1)}};
}

TEST(SmallFormats, RejectEveryPrefix) {
  for (const SmallFile& file : small_files()) {
    SCOPED_TRACE(file.name);
    expect_prefixes_rejected(file.bytes, file.whole_from, file.name);
  }
}

TEST(SmallFormats, SurviveMutations) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const SmallFile& file : small_files()) {
    SCOPED_TRACE(file.name);
    expect_sane_when_mutated(file.bytes, file.name, random, 1500);
  }
}

}  // namespace
}  // namespace gpuimg::test_small_formats
