// Finds the files of a folder. docs/batch.md, "Inputs".
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch/glob_pattern.hpp"

namespace gpuimg {

/// Device and inode: what a path leads to, whatever its name.
using FileIdentity = std::pair<dev_t, ino_t>;
std::optional<FileIdentity> identity_of(const std::string& path);

/// True for what exists as a folder, and for what ends with a slash.
bool is_folder_name(const std::string& path);

struct FolderScan {
  std::vector<std::string> files;  ///< paths below the folder, sorted by their bytes
  std::vector<std::string> notes;  ///< what was passed over, for people
};

struct ScanOptions {
  bool recursive = false;
  std::optional<FileIdentity> leave_out;  ///< a folder that is not entered: where outputs go
};

/// Regular files that the filter takes; symbolic links are followed. Each folder is entered once, by its own name
/// rather than by a link, which ends circles and makes the result independent of the order on the disk. A folder below
/// that cannot be read is a failed input: Error{read}. So is `folder` itself.
FolderScan scan_folder(const std::string& folder, const FileFilter& filter, const ScanOptions& options);

}  // namespace gpuimg
