// Matches globs with fnmatch(3).
#include "batch/glob_pattern.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "text/path_names.hpp"

namespace gpuimg {

bool matches_glob(const std::string& pattern, const std::string& relative_path) {
  const bool whole_path = pattern.find('/') != std::string::npos;
  const std::string subject = whole_path ? relative_path : name_of_path(relative_path);
  return ::fnmatch(pattern.c_str(), subject.c_str(), FNM_PERIOD) == 0;
}

FileFilter::FileFilter(std::vector<std::string> include, std::vector<std::string> exclude,
                       std::vector<std::string> endings)
    : include_(std::move(include)), exclude_(std::move(exclude)), endings_(std::move(endings)) {}

bool FileFilter::excludes(const std::string& relative_path) const {
  return std::any_of(exclude_.begin(), exclude_.end(),
                     [&](const std::string& pattern) { return matches_glob(pattern, relative_path); });
}

bool FileFilter::takes(const std::string& relative_path) const {
  const auto matched_by = [&](const std::string& pattern) { return matches_glob(pattern, relative_path); };
  if (excludes(relative_path)) {
    return false;
  }
  if (!include_.empty()) {
    return std::any_of(include_.begin(), include_.end(), matched_by);
  }
  const bool hidden = name_of_path(relative_path).starts_with('.');
  return !hidden && std::find(endings_.begin(), endings_.end(), file_ending(relative_path)) != endings_.end();
}

}  // namespace gpuimg
