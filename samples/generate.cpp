// Writes the sample images to a folder, or checks that the images in a folder have the expected pixels.
// usage: gpuimg_samples FOLDER | gpuimg_samples --check FOLDER
#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "io/input_file.hpp"
#include "io/output_file.hpp"
#include "scenes.hpp"

namespace gpuimg::samples {
namespace {

struct NamedScene {
  const char* name;
  Image (*draw)();
};
constexpr std::array<NamedScene, 9> kScenes{{{"landscape", landscape},
                                             {"night", night},
                                             {"document", document},
                                             {"radiograph", radiograph},
                                             {"ramp", ramp},
                                             {"logo", logo},
                                             {"spectrum", spectrum},
                                             {"posterized", posterized},
                                             {"flat", flat}}};

void write(const Image& image, const std::string& path) {
  codecs::WriteOptions options;
  options.png_level = 3;
  write_output(path, codecs::encode_image(image.view(), codecs::FileFormat::png, path, options), {.force = true});
  std::printf("%s\n", path.c_str());
}

/// True if the file has exactly these pixels. Does not compare the files' bytes, because another version of the
/// compressor may write other bytes.
bool holds(const std::string& path, const Image& expected) {
  const Image found = codecs::decode_image(read_input(path).span(), path, {}).image;
  const bool same = found.format() == expected.format() && found.width() == expected.width() &&
                    found.height() == expected.height() &&
                    std::memcmp(found.view().data, expected.view().data, expected.size_bytes()) == 0;
  std::printf("%s: %s\n", path.c_str(), same ? "as generated" : "DIFFERS from what the generator draws");
  return same;
}

int run(bool check, const std::string& folder) {
  bool good = true;
  for (const NamedScene& scene : kScenes) {
    const std::string path = folder + "/" + scene.name + ".png";
    if (check) {
      good = holds(path, scene.draw()) && good;
    } else {
      write(scene.draw(), path);
    }
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace gpuimg::samples

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !check) {
    std::fputs("usage: gpuimg_samples FOLDER | gpuimg_samples --check FOLDER\n", stderr);
    return 2;
  }
  try {
    return gpuimg::samples::run(check, argv[argc - 1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpuimg_samples: error: %s\n", error.what());
    return 1;
  }
}
