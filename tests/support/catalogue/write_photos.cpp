// Writes JPEG photos of every kind to a folder, and damaged copies of some of them. A device decodes some of these
// files and leaves the others to the host. Each run writes new photos; GPUIMG_TEST_SEED repeats a run.
// usage: write_photos FOLDER [COUNT]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "support/catalogue/jpeg_segments.hpp"
#include "support/icc_maker.hpp"
#include "support/random_jpeg.hpp"

namespace gpuimg::test {
namespace {

FileBytes with_icc(const FileBytes& jpeg, bool is_color) {
  std::vector<JpegPart> parts = jpeg_parts(jpeg);
  JpegPart profile;
  profile.marker = 0xE2;
  profile.payload = bytes_of(std::string_view("ICC_PROFILE\0\1\1", 14));
  add_bytes(profile.payload, make_icc({.color_space = is_color ? "RGB " : "GRAY", .size = 3000}));
  parts.insert(parts.begin() + 1, profile);
  return assemble_jpeg(parts);
}

/// The kind depends on the number, so a few dozen photos include every kind.
FileBytes make_photo(Random& random, int number, std::string& name) {
  const bool is_color = number % 7 != 3;
  JpegChoices choices = any_jpeg(random, 50, 500);
  choices.progressive = number % 5 == 4;
  const int width = random.between(1, number % 3 == 0 ? 2500 : 400);
  const int height = random.between(1, number % 3 == 0 ? 1800 : 400);
  const Image image = number % 11 == 10 ? constant_image(1400, 1000, {Sample::u8, is_color ? 3 : 1}, 255)
                                        : photo_like_image(random, width, height, is_color ? 3 : 1);
  FileBytes file = make_jpeg(image.view(), choices);
  name = std::to_string(1000 + number) + (choices.progressive ? "-progressive" : "") + (is_color ? "" : "-gray") + "-" +
         std::to_string(choices.horizontal_sampling) + "x" + std::to_string(choices.vertical_sampling) +
         (choices.restart_interval > 0 ? "-restarts" : "");
  if (number % 4 == 1) {
    file = with_icc(file, is_color);
    name += "-icc";
  }
  if (number % 4 >= 2) {
    const int orientation = random.between(1, 8);
    file = with_exif(file, exif_with(orientation, number % 2 == 0));
    name += "-orientation" + std::to_string(orientation);
  }
  return file;
}

/// A copy with changed bytes, or a truncated copy.
FileBytes damaged(Random& random, const FileBytes& file) {
  FileBytes bytes = file;
  if (random.below(2) == 0) {
    bytes.resize(file.size() / 4 + random.below(static_cast<std::uint32_t>(file.size() / 2)));
    return bytes;
  }
  for (int i = random.between(1, 4); i > 0; --i) {
    bytes[file.size() / 2 + random.below(static_cast<std::uint32_t>(file.size() / 2))] =
        static_cast<std::byte>(random.below(256));
  }
  return bytes;
}

void write(const std::string& path, const FileBytes& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) {
    throw std::runtime_error("cannot write " + path);
  }
}

void write_photos(const std::string& folder, int count) {
  Random random;
  std::printf("%s\n", random.trace().c_str());
  for (int number = 0; number < count; ++number) {
    std::string name;
    const FileBytes photo = make_photo(random, number, name);
    write(folder + "/" + name + ".jpg", photo);
    if (number % 6 == 5) {
      write(folder + "/" + name + "-damaged.jpg", damaged(random, photo));
    }
  }
}

}  // namespace
}  // namespace gpuimg::test

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: write_photos FOLDER [COUNT]\n");
    return 2;
  }
  try {
    gpuimg::test::write_photos(argv[1], argc == 3 ? std::atoi(argv[2]) : 60);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_photos: %s\n", error.what());
    return 4;
  }
  return 0;
}
