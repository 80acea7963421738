// The initial corpora, one folder per harness.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/file_bytes.hpp"

namespace gpuimg::fuzz {

class SeedFolder {
 public:
  explicit SeedFolder(std::filesystem::path path) : path_(std::move(path)) {}

  /// Throws if the file cannot be written.
  void add(const std::string& harness, std::span<const std::byte> bytes) {
    const std::filesystem::path folder = path_ / harness;
    std::filesystem::create_directories(folder);
    std::ofstream out(folder / ("seed_" + std::to_string(number_++)), std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) {
      throw std::runtime_error("cannot write to " + folder.string());
    }
  }
  void add(const std::string& harness, const std::string& text) { add(harness, std::as_bytes(std::span(text))); }

 private:
  std::filesystem::path path_;
  int number_ = 0;
};

void add_archive_seeds(SeedFolder& seeds);
void add_image_seeds(SeedFolder& seeds);
void add_text_seeds(SeedFolder& seeds);
void add_choice_seeds(SeedFolder& seeds);
void add_deflate_seeds(SeedFolder& seeds);

}  // namespace gpuimg::fuzz
