// --include and --exclude: which files of a folder are taken. docs/batch.md, "Inputs".
#pragma once

#include <string>
#include <vector>

namespace gpuimg {

/// `*`, `?` and `[…]` as in a shell. A pattern without a slash is held against the file's name, one with a slash
/// against the path below the scanned folder, where `*` matches slashes too. A leading dot is matched by a dot alone.
bool matches_glob(const std::string& pattern, const std::string& relative_path);

class FileFilter {
 public:
  /// Without a pattern to include, files are told by their ending: those of `endings`, lower case, without dot.
  FileFilter(std::vector<std::string> include, std::vector<std::string> exclude, std::vector<std::string> endings);

  [[nodiscard]] bool takes(const std::string& relative_path) const;
  /// By a pattern of `exclude`; of a folder, it is not entered.
  [[nodiscard]] bool excludes(const std::string& relative_path) const;

 private:
  std::vector<std::string> include_;
  std::vector<std::string> exclude_;
  std::vector<std::string> endings_;
};

}  // namespace gpuimg
