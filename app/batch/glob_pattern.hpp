// --include and --exclude: which files of a folder are read. docs/batch.md, "Inputs".
#pragma once

#include <string>
#include <vector>

namespace gpuimg {

/// `*`, `?` and `[…]` as in a shell. A pattern without a slash matches the file's name; one with a slash matches the
/// path below the scanned folder, and its `*` also matches slashes. Only a literal dot matches a leading dot.
bool matches_glob(const std::string& pattern, const std::string& relative_path);

class FileFilter {
 public:
  /// With an empty `include`, files are selected by extension: `endings`, in lower case, without a dot.
  FileFilter(std::vector<std::string> include, std::vector<std::string> exclude, std::vector<std::string> endings);

  [[nodiscard]] bool takes(const std::string& relative_path) const;
  /// True if a pattern of `exclude` matches. An excluded folder is not entered.
  [[nodiscard]] bool excludes(const std::string& relative_path) const;

 private:
  std::vector<std::string> include_;
  std::vector<std::string> exclude_;
  std::vector<std::string> endings_;
};

}  // namespace gpuimg
