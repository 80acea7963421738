// Equalizes a binary PGM or PPM with 8 bits per channel. usage: equalize IN OUT [cuda]. Explained in docs/library.md.
#include <fstream>
#include <iostream>
#include <string>
#include <utility>

#include "gpuimg/backend.hpp"
#include "gpuimg/cuda.hpp"

void equalize(gpuimg::Backend& backend, std::istream& in, std::ostream& out) {
  std::string magic;
  int width = 0, height = 0, max_level = 0;
  in >> magic >> width >> height >> max_level;
  in.ignore();  // the line feed before the pixels
  if (!in || width < 1 || height < 1 || max_level != 255) {
    throw gpuimg::Error(gpuimg::ErrorKind::decode, "the input is not a PGM or PPM with 8 bits per channel");
  }
  gpuimg::Image image(width, height, {gpuimg::Sample::u8, magic == "P6" ? 3 : 1});
  in.read(reinterpret_cast<char*>(image.view().data), static_cast<std::streamsize>(image.size_bytes()));

  gpuimg::Picture picture = backend.upload(std::move(image));
  picture = backend.equalize(picture, {});
  const gpuimg::Image result = backend.download(picture);

  out << magic << '\n' << width << ' ' << height << "\n255\n";
  out.write(reinterpret_cast<const char*>(result.view().data), static_cast<std::streamsize>(result.size_bytes()));
}

int main(int count, char** arguments) try {
  if (count < 3) {
    throw gpuimg::Error(gpuimg::ErrorKind::usage, "usage: equalize IN OUT [cuda]");
  }
  std::ifstream in(arguments[1], std::ios::binary);
  std::ofstream out(arguments[2], std::ios::binary);
  const auto backend = count > 3 ? gpuimg::make_cuda_backend(0) : gpuimg::make_cpu_backend(0);
  equalize(*backend, in, out);
  if (!in || !out.flush()) {
    throw gpuimg::Error(gpuimg::ErrorKind::read, "the input is truncated, or the output cannot be written");
  }
} catch (const std::exception& error) {
  std::cerr << "equalize: " << error.what() << '\n';
  return 1;
}
