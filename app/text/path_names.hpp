// Parts of a path as text. A path is any bytes except NUL; these functions do not access the file system.
#pragma once

#include <string>

namespace gpuimg {

/// The part after the last slash.
std::string name_of_path(const std::string& path);

/// The name up to its last dot; the whole name if it has no dot or only a leading one.
std::string stem_of_path(const std::string& path);

/// The lower-case extension without its dot: "png"; empty if there is none.
std::string file_extension(const std::string& path);

/// `path` with its extension replaced by the given one (without a dot).
std::string with_extension(const std::string& path, const std::string& extension);

/// Joins two parts with one slash; returns the other part if one is empty.
std::string joined_path(const std::string& folder, const std::string& relative);

/// The path without empty parts and ".": "a//b", "./a/b" and "a/b" give the same text. ".." is kept.
std::string plain_path(const std::string& path);

/// The path as tar stores it: without a leading slash, without ".", and without everything up to the last "..". So it
/// stays inside any folder that it is joined to.
std::string contained_path(const std::string& path);

}  // namespace gpuimg
