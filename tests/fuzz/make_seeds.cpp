// Writes the fuzzers' initial corpora. Each run writes the same files.
// usage: make_seeds FOLDER
#include <cstdio>
#include <exception>

#include "fuzz/seed_folder.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_seeds FOLDER\n");
    return 2;
  }
  try {
    gpuimg::fuzz::SeedFolder seeds(argv[1]);
    add_archive_seeds(seeds);
    add_image_seeds(seeds);
    add_text_seeds(seeds);
    add_choice_seeds(seeds);
    add_deflate_seeds(seeds);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "make_seeds: %s\n", failure.what());
    return 4;
  }
  return 0;
}
