// Writes one small PNG of each kind, filter and interlacing into a folder, for the fuzzers to begin with.
// usage: seed_pngs FOLDER
#include <cstdio>
#include <fstream>

#include "support/png_maker.hpp"

int main(int argc, char** argv) {
  using namespace gpuimg::test;
  if (argc != 2) {
    std::fprintf(stderr, "usage: seed_pngs FOLDER\n");
    return 2;
  }
  int number = 0;
  for (const PngKind kind : png_kinds()) {
    for (int filter = 0; filter < 6; ++filter) {
      PngPicture picture;
      picture.kind = kind;
      picture.width = 7;
      picture.height = 6;
      picture.filter = filter;
      picture.interlaced = filter == 5;
      const std::uint32_t levels = 1U << kind.bit_depth;
      for (std::uint32_t i = 0; i < 42U * static_cast<std::uint32_t>(kind.channels()); ++i) {
        picture.samples.push_back(i * 37 % levels);
      }
      for (std::uint32_t i = 0; kind.color_type == 3 && i < 3 * levels; ++i) {
        add_le(picture.palette, i * 5, 1);
      }
      const FileBytes file = make_png(picture);
      std::ofstream out(std::string(argv[1]) + "/" + std::to_string(number++) + ".png", std::ios::binary);
      out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
      if (!out.flush()) {
        std::fprintf(stderr, "seed_pngs: cannot write to %s\n", argv[1]);
        return 4;
      }
    }
  }
  return 0;
}
