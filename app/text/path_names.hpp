// Parts of a path as text. A path is any bytes but NUL; nothing here looks at the disk.
#pragma once

#include <string>

namespace gpuimg {

/// What stands after the last slash.
std::string name_of_path(const std::string& path);

/// The name up to its last dot; the whole name where there is none, or it is the first character.
std::string stem_of_path(const std::string& path);

/// The lower-case ending without its dot: "png"; empty for names without one.
std::string file_ending(const std::string& path);

/// `path` with the ending (given without a dot) in place of its own.
std::string with_ending(const std::string& path, const std::string& ending);

/// Two parts with one slash between them; the other part where one is empty.
std::string joined_path(const std::string& folder, const std::string& relative);

/// The path without empty parts and ".": the same text for "a//b", "./a/b" and "a/b". ".." stays.
std::string plain_path(const std::string& path);

/// As tar stores a name: no leading slash, no "." and nothing up to the last "..", so that it stays below a folder it
/// is joined to.
std::string contained_path(const std::string& path);

}  // namespace gpuimg
