// Writes the catalogue to a folder, and prints a line for each file: name, tab, verdict.
// usage: write_catalogue FOLDER
#include <cstdio>
#include <fstream>

#include "support/catalogue/catalogue.hpp"

namespace {

const char* word_for(gpuimg::test::Verdict verdict) {
  using gpuimg::test::Verdict;
  return verdict == Verdict::good ? "good" : verdict == Verdict::damaged ? "damaged" : "unsupported";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_catalogue FOLDER\n");
    return 2;
  }
  const gpuimg::test::Catalogue catalogue = gpuimg::test::make_catalogue();
  for (const gpuimg::test::CatalogueFile& file : catalogue.files()) {
    std::ofstream out(std::string(argv[1]) + "/" + file.name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(file.bytes.data()), static_cast<std::streamsize>(file.bytes.size()));
    if (!out.flush()) {
      std::fprintf(stderr, "write_catalogue: cannot write to %s\n", argv[1]);
      return 4;
    }
    std::printf("%s\t%s\n", file.name.c_str(), word_for(file.verdict));
  }
  return 0;
}
