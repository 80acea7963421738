// Compiled programs in the user's cache folder: a folder per device and driver version, a file per program.
#pragma once

#include <filesystem>
#include <string>

#include "gpuimg/opencl.hpp"

namespace gpuimg::opencl {

/// Never throws: a cache that cannot be read or written means compiling again.
class ProgramCache {
 public:
  ProgramCache(const std::string& folder, const OpenclDevice& device);

  [[nodiscard]] bool is_on() const { return !folder_.empty(); }

  /// The program written for this key; empty if there is none, or if the file is damaged.
  [[nodiscard]] std::string read(const std::string& key) const noexcept;

  /// Written under another name and renamed: a reader sees all of it or nothing.
  void write(const std::string& key, const std::string& binary) const noexcept;

 private:
  std::filesystem::path folder_;
};

}  // namespace gpuimg::opencl
