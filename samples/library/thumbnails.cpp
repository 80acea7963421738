// Makes thumbnails. usage: thumbnails SIDE FOLDER IN… reads the images, shrinks each to fit into SIDE×SIDE pixels, and
// writes JPEG files to FOLDER. Explained in docs/library.md.
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "gpuimg/backend.hpp"
#include "gpuimg/loader.hpp"

gpuimg::Image resized(gpuimg::Backend& backend, gpuimg::Image image, int side) {
  gpuimg::ResizeOptions options;
  options.width = side;
  options.height = side;
  const gpuimg::Picture picture = backend.upload(std::move(image));
  return backend.download(backend.apply(picture, options));
}

int main(int count, char** arguments) try {
  if (count < 4) {
    throw gpuimg::Error(gpuimg::ErrorKind::usage, "usage: thumbnails SIDE FOLDER IN...");
  }
  const int side = std::stoi(arguments[1]);
  const std::filesystem::path folder = arguments[2];
  const std::vector<std::string> paths(arguments + 3, arguments + count);

  const auto backend = gpuimg::make_cpu_backend(0);
  auto files = gpuimg::read_image_files(paths);  // reads ahead on its own threads
  int failures = 0;
  while (auto file = files.next()) {
    try {
      if (file->error) {
        std::rethrow_exception(file->error);
      }
      const gpuimg::Image small = resized(*backend, std::move(file->result->image), side);
      const std::string name = std::filesystem::path(paths[file->index]).stem().string() + ".jpg";
      gpuimg::write_image_file(small.view(), folder / name,
                               {.quality = 85, .may_replace = true, .metadata = file->result->metadata});
    } catch (const gpuimg::Error& error) {
      std::cerr << "thumbnails: " << error.what() << '\n';
      ++failures;
    }
  }
  return failures > 0 ? 1 : 0;
} catch (const std::exception& error) {
  std::cerr << "thumbnails: " << error.what() << '\n';
  return 1;
}
