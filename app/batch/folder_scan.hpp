// Finds the files in a folder. docs/batch.md, "Inputs".
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch/glob_pattern.hpp"

namespace gpuimg {

/// Device and inode: identifies a file under any of its names.
using FileIdentity = std::pair<dev_t, ino_t>;
std::optional<FileIdentity> identity_of(const std::string& path);

/// True for an existing folder, and for any name that ends with a slash. Throws Error{read} if a disk does not answer.
bool is_folder_name(const std::string& path);

struct FolderScan {
  std::vector<std::string> files;  ///< paths relative to the folder, sorted bytewise
  std::vector<std::string> notes;  ///< messages about skipped files
};

struct ScanOptions {
  bool recursive = false;
  std::optional<FileIdentity> leave_out;  ///< folder that is not entered: where the outputs go
};

/// Returns the regular files that the filter accepts, following symbolic links. Enters each folder once, under its real
/// name rather than through a link: this breaks cycles and makes the result independent of directory order. Throws
/// Error{read} if a folder cannot be read.
FolderScan scan_folder(const std::string& folder, const FileFilter& filter, const ScanOptions& options);

}  // namespace gpuimg
