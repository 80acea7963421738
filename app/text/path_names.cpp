// Splits, joins and normalizes paths as text.
#include "text/path_names.hpp"

#include <algorithm>
#include <cctype>

namespace gpuimg {
namespace {

/// Position of the extension's dot in a name; npos if there is none.
std::size_t dot_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == 0 ? std::string::npos : dot;
}

}  // namespace

std::string name_of_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string stem_of_path(const std::string& path) {
  const std::string name = name_of_path(path);
  return name.substr(0, dot_of(name));
}

std::string file_extension(const std::string& path) {
  const std::string name = name_of_path(path);
  const std::size_t dot = dot_of(name);
  std::string extension = dot == std::string::npos ? "" : name.substr(dot + 1);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::string with_extension(const std::string& path, const std::string& extension) {
  const std::string name = name_of_path(path);
  return path.substr(0, path.size() - name.size()) + stem_of_path(path) + "." + extension;
}

std::string joined_path(const std::string& folder, const std::string& relative) {
  if (folder.empty() || relative.empty()) {
    return folder + relative;
  }
  return folder.back() == '/' ? folder + relative : folder + "/" + relative;
}

std::string plain_path(const std::string& path) {
  std::string plain = path.starts_with('/') ? "/" : "";
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, slash - at);
    at = slash + 1;
    if (!part.empty() && part != ".") {
      plain = joined_path(plain, part);
    }
  }
  return plain;
}

std::string contained_path(const std::string& path) {
  std::string kept;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, slash - at);
    at = slash + 1;
    if (part == "..") {
      kept.clear();
    } else if (!part.empty() && part != ".") {
      kept = joined_path(kept, part);
    }
  }
  return kept;
}

}  // namespace gpuimg
